#include "plan/place/joint.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "compiler/base/text.h"
#include "plan/fleet/pool_state.h"
#include "plan/place/gang.h"
#include "plan/pools/domains.h"
#include "plan/pools/node_needs.h"

namespace muster::plan {

using scheduler::Line;

namespace {

RolePlan on_pool(RolePlan role, const model::Pool& pool) {
  choose_pool(role, &pool);
  return role;
}

scheduler::Member member_of(const RolePlan& role) {
  scheduler::Gang gang = gang_of(role);
  leave_out_unknown(role, gang);
  return {gang};
}

}  // namespace

JointRequest joint_request(FleetState& fleet, std::span<const RolePlan* const> roles, const model::Pool& pool,
                           Moment moment) {
  JointRequest out;
  const PoolState& all = fleet.of_all(pool, family_of(roles), moment);
  out.stock = &all.stock;
  for (const RolePlan* role : roles) {
    const RolePlan here = on_pool(*role, pool);
    const model::Within domain = domain_of(here);
    const PoolState& view = fleet.of(here, moment, domain);
    scheduler::Member& member = out.members.emplace_back(member_of(here));
    if (&view == &all) continue;
    std::vector<bool> barred;
    for (std::size_t n = 0; n < all.stock.nodes().size(); ++n) {
      const scheduler::Node& node = view.stock.nodes()[n];
      // A role that counts cores has fewer CPUs of a node than one that counts threads.
      const bool small = node.cpus < all.stock.nodes()[n].cpus && node.cpus < member.gang.cpus;
      barred.push_back(all.stock.nodes()[n].usable && (small || !node.usable));
      if (domain != model::Within::leaf) member.leaf.push_back(node.leaf);
    }
    if (std::find(barred.begin(), barred.end(), true) != barred.end()) member.barred = std::move(barred);
  }
  return out;
}

std::optional<JointRequest> joint_request_in_one_view(FleetState& fleet, std::span<const RolePlan* const> roles,
                                                      const model::Pool& pool, Moment moment) {
  JointRequest out;
  for (const RolePlan* role : roles) {
    const RolePlan here = on_pool(*role, pool);
    const PoolState& view = fleet.of(here, moment);
    if (!fleet.keeps(view) || (out.stock != nullptr && out.stock != &view.stock)) return std::nullopt;
    out.stock = &view.stock;
    out.members.push_back(member_of(here));
  }
  return out;
}

namespace {

// "whole h100 nodes", "slots of 4 GPUs", "nodes".
std::string slots_of(const Line& line, const model::Pool& pool) {
  switch (line.unit) {
    case Line::Unit::gpus:
      if (pool.gpu && line.slot == pool.gpu->count)
        return "whole " + (pool.gpu->model.empty() ? "" : pool.gpu->model + " ") + "nodes";
      return line.slot == 1 ? "GPUs" : "slots of " + counted(line.slot, "GPU");
    case Line::Unit::cpus: return line.slot == 1 ? "CPUs" : "slots of " + counted(line.slot, "CPU");
    case Line::Unit::memory: return "slots of " + to_string(Size{line.slot}) + " of memory";
    case Line::Unit::places: return "places on nodes";
    case Line::Unit::nodes: break;
  }
  return "nodes";
}

}  // namespace

Certificate certificate_of(const Line& line, const NameList& who, const model::Pool& pool) {
  const std::string have = std::to_string(line.have);
  return {"hall", line.need, line.have, line.need - line.have,
          who.text() + (who.several() ? " together need " : " needs ") + std::to_string(line.need) + " " +
              slots_of(line, pool) + "; the nodes of pool " + pool.name + " that are available to " +
              (who.several() ? "them" : "it") + " have " + have +
              (line.crowded && who.several() ? ": no node has room for a pod of each" : "")};
}

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
