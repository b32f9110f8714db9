#include "plan/place/place_on_pool.h"

#include <algorithm>
#include <utility>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/text.h"
#include "plan/fleet/pool_state.h"
#include "plan/place/divided_tasks.h"
#include "plan/place/gang.h"
#include "plan/place/place_packed.h"
#include "plan/place/placed_nodes.h"
#include "plan/pools/domains.h"
#include "plan/verdict.h"
#include "scheduler/nested.h"

namespace muster::plan {
namespace {

using scheduler::Gang;
using scheduler::Placement;

// What no count of nodes can change.
std::optional<Certificate> impossible(const RolePlan& role) {
  const model::Topology* topology = topology_of(role);
  if (topology != nullptr && topology->required && topology->within.value == model::Within::node && role.nodes > 1)
    return Certificate{"domain", role.nodes, 1, role.nodes - 1,
                       "needs " + counted(role.nodes, "node") + " within one node, as topology requires"};
  const auto& disk = role.disk;
  if (disk && role.pool->disk > Size{} && role.pool->disk < *disk) {
    const auto [need, have] = in_one_unit(*disk, role.pool->disk);
    return Certificate{"floor", disk->bytes, role.pool->disk.bytes, disk->bytes - role.pool->disk.bytes,
                       "needs " + need + " of disk per node; nodes of pool " + role.pool->name + " have " + have};
  }
  return std::nullopt;
}

// Leaf switches of a placement that was counted by other domains, and the fewest that any has.
void count_leaves(FleetState& fleet, const RolePlan& role, Moment moment, Gang gang, Placement& placement) {
  const PoolState& state = fleet.of(role, moment);
  std::vector<std::uint32_t> leaves;
  for (const std::uint32_t node : placement.nodes) leaves.push_back(state.stock.nodes()[node].leaf);
  std::sort(leaves.begin(), leaves.end());
  placement.leaves = std::unique(leaves.begin(), leaves.end()) - leaves.begin();
  placement.spines = placement.spine_bound = 0;
  gang.one_leaf = false, gang.segment = 1;
  const scheduler::Answer anywhere = state.stock.place(gang);
  if (const auto* found = std::get_if<Placement>(&anywhere)) placement.lower_bound = found->lower_bound;
}

std::vector<std::uint32_t> domain_of_nodes(const PoolState& state) {
  std::vector<std::uint32_t> out;
  for (const scheduler::Node& node : state.stock.nodes()) out.push_back(node.leaf);
  return out;
}

Certificate too_few_copies(const scheduler::CopyShortage& shortage, const RolePlan& role, const Gang& gang) {
  const std::string outer(terms_of(topology_of(role)->within.value).device), inner(terms_of(domain_of(role)).device);
  const std::int64_t each = role.nodes / gang.segment;
  const std::string segments = counted(each, "segment") + " of " + counted(gang.segment, "node") + " inside one " +
                               outer + ", each segment inside one " + inner;
  const std::string& pool = role.pool->name;
  if (shortage.need > 1)
    return {"domain", shortage.need, shortage.have, shortage.need - shortage.have,
            "needs " + counted(shortage.need, "replica") + ", each " + segments + "; pool " + pool + " has room for " +
                std::to_string(shortage.have)};
  return {"domain", each, shortage.best, each - shortage.best,
          "needs " + segments + "; in pool " + pool + " the " + outer + " with the most room has " +
              std::to_string(shortage.best)};
}

// The same gang with its segments inside a required domain; what it returns says why that cannot be.
std::optional<Level> nest(const PoolState& state, std::span<const std::uint32_t> outer, const RolePlan& role,
                          const Gang& gang, std::optional<Placement>& placement) {
  if (role.nodes % gang.segment != 0)
    return Level{Verdict::unknown, {}, "segments of " + std::to_string(gang.segment) + " do not divide a replica"};
  auto found = scheduler::place_nested(state.stock.nodes(), outer, gang, role.nodes);
  if (const auto* shortage = std::get_if<scheduler::CopyShortage>(&found)) {
    placement.reset();
    return refused(too_few_copies(*shortage, role, gang));
  }
  placement = std::get<Placement>(std::move(found));
  return std::nullopt;
}

Level ask_apart(FleetState& fleet, const RolePlan& role, Moment moment, std::optional<Placement>& placement,
                bool& shared_gpus) {
  Gang gang = gang_of(role);
  const std::string unknown = leave_out_unknown(role, gang);
  const model::Within domain = domain_of(role);
  const model::Topology* topology = topology_of(role);
  const std::vector<std::uint32_t> outer =
      is_nested(role) ? domain_of_nodes(fleet.of(role, moment, topology->within.value)) : std::vector<std::uint32_t>{};
  const PoolState& state = fleet.of(role, moment, domain);
  shared_gpus = shares_gpus(state);
  scheduler::Answer answer = state.stock.place(gang);
  if (const auto* shortage = std::get_if<scheduler::Shortage>(&answer))
    return refused(certificate_of(*shortage, gang, role, state, moment));
  // A witness that leaves a need out proves nothing.
  if (!unknown.empty()) return {Verdict::unknown, {}, unknown};
  placement = std::get<Placement>(std::move(answer));
  if (is_nested(role))
    if (auto level = nest(state, outer, role, gang, placement)) return std::move(*level);
  Level level{Verdict::fits, {}, {}};
  const DomainTerms terms = terms_of(domain);
  if ((gang.one_leaf || gang.segment > 1) && domains_of(*role.pool, domain).empty())
    add_note(level,
             "pool " + role.pool->name + " does not declare " + std::string(terms.many) + " and is treated as one");
  if (topology != nullptr && !topology->required && in_domain(role) && role.copies == 1 && placement->leaves > 1)
    add_note(level, "one " + std::string(terms.one) + " is preferred; " + std::to_string(placement->leaves) + " " +
                        std::string(terms.devices) + " are needed");
  if (domain != model::Within::leaf || is_nested(role)) count_leaves(fleet, role, moment, gang, *placement);
  return level;
}

Level with_witness(PackedRoles packed, std::optional<Witness>& witness) {
  if (packed.level.verdict == Verdict::fits) {
    witness =
        Witness{{{}, packed.leaves, packed.lower_bound, packed.spines, packed.spine_bound}, std::move(packed.pods)};
  }
  return std::move(packed.level);
}

// Pods that may share nodes and GPUs.
Level ask_packed(FleetState& fleet, const RolePlan& role, Moment moment, std::optional<Witness>& witness) {
  const RolePlan* const roles[] = {&role};
  const std::string names[] = {""};
  return with_witness(pack_roles(fleet, roles, names, *role.pool, moment), witness);
}

}  // namespace

PoolAnswer ask_pool(FleetState& fleet, const RolePlan& role, Moment moment) {
  PoolAnswer out;
  if (std::optional<Certificate> never = impossible(role)) {
    out.level = refused(std::move(*never));
    return out;
  }
  if (is_packed(role)) {
    out.level = ask_packed(fleet, role, moment, out.witness);
    return out;
  }
  if (role.divided) {
    out.level = ask_divided(fleet, role, moment, out.witness);
    return out;
  }
  std::optional<Placement> placement;
  out.level = ask_apart(fleet, role, moment, placement, out.shared_gpus);
  if (placement) out.witness = Witness{std::move(*placement)};
  if (out.level.verdict != Verdict::does_not_fit || !role.may_share_nodes()) return out;
  if (std::optional<PackedRoles> near = pack_near(fleet, role, moment))
    out.level = with_witness(std::move(*near), out.witness);
  else
    out.level = {
        Verdict::unknown, {}, "its pods may share nodes; with nodes of their own: " + out.level.certificate->text};
  return out;
}

void show(const RolePlan& role, const Witness& witness, Fit& fit) {
  fit.leaf_switches = witness.counts.leaves;
  fit.leaf_lower_bound = witness.counts.lower_bound;
  fit.spines = witness.counts.spines;
  fit.spine_lower_bound = witness.counts.spine_bound;
  if (witness.pods.empty()) fit.placements = placed_nodes(role, witness.counts);
  else fit.placements = witness.pods;
}

Verdict verdict_on_pool(FleetState& fleet, const RolePlan& role, Moment moment) {
  return ask_pool(fleet, role, moment).level.verdict;
}

}  // namespace muster::plan
