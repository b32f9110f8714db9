// Where the named nodes of a fleet are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/model/fleet.h"

namespace muster::model {

class NodeIndex {
 public:
  // Borrows nothing.
  explicit NodeIndex(const Fleet& fleet);

  struct Places {
    std::vector<std::vector<std::uint32_t>> of_pool;  // of each pool its nodes that are named, ascending, each once
    std::optional<std::string> unknown;               // the first name that no pool has
  };
  // O(names) at worst, O(ranges log ranges) where the nodes of a pool follow one another, and what is found.
  Places find(const HostNames& names) const;

 private:
  std::size_t pool_at(std::uint32_t place) const;

  HostNames all_;
  std::vector<std::uint32_t> begins_;  // of each pool, the place of its first node
};

}  // namespace muster::model
