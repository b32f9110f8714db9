#include "compiler/model/node_index.h"

#include <algorithm>

namespace muster::model {

NodeIndex::NodeIndex(const Fleet& fleet) {
  std::vector<const HostNames*> lists;
  std::uint32_t begin = 0;
  for (const Pool& pool : fleet.pools) {
    lists.push_back(&pool.node_names);
    begins_.push_back(begin);
    begin += static_cast<std::uint32_t>(pool.node_names.size());
  }
  all_.add(lists);
}

std::size_t NodeIndex::pool_at(std::uint32_t place) const {
  return static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), place) - begins_.begin()) - 1;
}

NodeIndex::Places NodeIndex::find(const HostNames& names) const {
  Places out{std::vector<std::vector<std::uint32_t>>(begins_.size()), {}};
  std::uint32_t done = 0;
  all_.match(names, [&](std::uint32_t count, std::optional<std::uint32_t> place) {
    if (!place && !out.unknown) out.unknown = names.at(done);
    done += count;
    if (!place) return true;
    const std::size_t pool = pool_at(*place);  // a run is of one range, so of one pool
    for (std::uint32_t i = 0; i < count; ++i) out.of_pool[pool].push_back(*place - begins_[pool] + i);
    return true;
  });
  for (std::vector<std::uint32_t>& nodes : out.of_pool) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  }
  return out;
}

}  // namespace muster::model
