// The file of a task of a broker, as its readers see it.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/loss/reader.h"

namespace muster::loss {

struct Task {
  const Asked& asked;
  const model::Workload& work;
  const model::Role& role;
  const std::string& text;
  const Tree& file;
  const Tree& resources;
  std::string run;
  std::vector<std::string> words;  // of `run`

  bool word(const std::string& wanted) const { return std::find(words.begin(), words.end(), wanted) != words.end(); }
  bool holds(const std::string& part) const { return run.find(part) != std::string::npos; }
};

using Find = std::string (*)(const Task&);

inline std::string when(bool found, std::string place) { return found ? std::move(place) : std::string(); }

inline std::int64_t gib(Size size) { return (size.bytes + (std::int64_t{1} << 30) - 1) >> 30; }
inline std::int64_t seconds(Duration time) { return (time.ms + 999) / 1000; }

template <class List>
auto named(const List& all, const std::string& name) -> decltype(&*all.begin()) {
  for (const auto& item : all)
    if (item.name == name) return &item;
  return nullptr;
}

// What dstack has elsewhere than SkyPilot; nullptr: the readers of read_tasks.cc know.
Find reader_of_dstack(std::string_view key);

}  // namespace muster::loss
