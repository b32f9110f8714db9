// Things of a site that workloads call by their names; there may be thousands of both.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/model/plane.h"

namespace muster::model {

// In the order in which they are written. T has `name` and `plane`, which is "" where it is of the whole site.
template <class T>
class NamedList {
 public:
  void push_back(T entry) {
    places_[entry.name].push_back(entries_.size());
    entries_.push_back(std::move(entry));
  }

  // The entry of that name which the plane has: its own, else the site's; nullptr if there is none.
  const T* find(std::string_view name, const Plane& plane) const {
    const auto places = places_.find(name);
    if (places == places_.end()) return nullptr;
    const T* found = nullptr;
    for (const std::size_t place : places->second) {
      const T& entry = entries_[place];
      if (entry.plane == plane.name) return &entry;
      if (entry.plane.empty()) found = &entry;
    }
    return found;
  }

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  const T& operator[](std::size_t place) const { return entries_[place]; }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  std::vector<T> entries_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> places_;
};

}  // namespace muster::model
