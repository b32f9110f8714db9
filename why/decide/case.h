// What is known of one job, pod or workload, by name; and conditions over it that are true, false or not known.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "why/facts.h"

namespace muster::why {

// A value of a fact; "" where it is known that there is none.
struct Known {
  std::string value;
  Place place{};
  std::string unit{};
};

class Case {
 public:
  // A value that a terminal cut is not known.
  void set(std::string key, std::string value, Place place = {}, std::string unit = {});
  void set(std::string key, std::int64_t value, Place place = {}, std::string unit = {});
  // Only where nothing is known yet.
  void offer(std::string key, std::string value, Place place = {});
  void forget(std::string_view key);

  const Known* find(std::string_view key) const;
  // "" for what is not known.
  std::string_view get(std::string_view key) const;
  std::optional<std::int64_t> number(std::string_view key) const;
  bool knows(std::string_view key) const { return find(key) != nullptr; }
  const std::map<std::string, Known, std::less<>>& all() const { return facts_; }

 private:
  std::map<std::string, Known, std::less<>> facts_;
};

enum class Truth : std::uint8_t { no, unknown, yes };

// The answer of a condition, what it lacks, and which facts it has read.
struct Answer {
  Truth seen = Truth::yes;   // what is in front of the `;`
  Truth known = Truth::yes;  // what is behind it
  std::vector<std::string> lacks{};
  std::vector<std::string> read{};
};
Answer answer(std::string_view condition, const Case& facts);

// A sentence with its facts. nullopt: one that is not in [ ] is not known. `read` gets the names of what it has.
std::optional<std::string> fill(std::string_view sentence, const Case& facts, std::vector<std::string>* read = nullptr);

}  // namespace muster::why
