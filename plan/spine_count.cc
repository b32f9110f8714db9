#include "plan/spine_count.h"

#include <set>
#include <vector>

namespace muster::plan {
SpineCount count_spines(const scheduler::Together& found, const JointRequest& request, bool apart) {
  const std::span<const std::uint32_t> spines = request.stock->spine_of_leaf();
  if (spines.empty()) return {};
  std::set<std::uint32_t> used;
  for (const scheduler::Placement& placement : found.placements)
    for (const std::uint32_t node : placement.nodes) used.insert(spines[request.nodes()[node].leaf]);
  std::vector<scheduler::Node> below(request.nodes().begin(), request.nodes().end());
  for (scheduler::Node& node : below) node.leaf = spines[node.leaf];
  return {static_cast<std::int64_t>(used.size()), scheduler::fewest_leaves_bound(below, request.members, apart)};
}

SpineCount count_spines(FleetState& fleet, std::span<const PlacedNode> placements, const model::Pool& pool,
                        Moment moment) {
  const PoolState& state = fleet.of_all(pool, model::PlaneFamily::batch, moment);
  const std::span<const std::uint32_t> spines = state.stock.spine_of_leaf();
  std::set<std::uint32_t> used;
  for (const PlacedNode& node : placements)
    if (node.pool == pool.name && !spines.empty()) used.insert(spines[state.stock.nodes()[node.index].leaf]);
  return {static_cast<std::int64_t>(used.size()), used.empty() ? 0 : 1};
}

}  // namespace muster::plan
