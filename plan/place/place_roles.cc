#include "plan/place/place_roles.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "plan/fleet/joined.h"
#include "plan/place/joint.h"
#include "plan/place/name_list.h"
#include "plan/place/place.h"
#include "plan/place/place_on_pool.h"
#include "plan/place/place_over_choices.h"
#include "plan/place/place_packed.h"
#include "plan/place/place_within_quota.h"
#include "plan/pools/domains.h"
#include "plan/pools/node_needs.h"
#include "plan/verdict.h"

namespace muster::plan {
namespace {

// The roles as one that asks for all their nodes.
RolePlan whole_of(const std::vector<RolePlan>& roles) {
  RolePlan whole = roles.front();
  whole.nodes = 0;
  whole.copies = 1;
  for (const RolePlan& role : roles) whole.nodes += role.total();
  return whole;
}

// The witness of the whole, cut in the order of the roles and their copies.
void name_parts(const std::vector<RolePlan>& roles, std::vector<PlacedNode>& placements) {
  std::size_t next = 0;
  for (const RolePlan& role : roles)
    for (std::int64_t n = 0; n < role.total() && next < placements.size(); ++n, ++next) {
      placements[next].role = role.role->name;
      placements[next].replica = n / role.nodes;
    }
}

void join(Level& all, const Level& one, const std::string& role, bool alone) {
  const bool only_together = one.verdict == Verdict::does_not_fit && !alone;
  const Verdict verdict = only_together ? Verdict::unknown : one.verdict;
  const std::string note =
      only_together ? "role " + role + " fits alone; no placement beside the others was found" : one.note;
  if (!note.empty() && all.note.find(note) == std::string::npos) all.note += (all.note.empty() ? "" : "; ") + note;
  if (verdict == Verdict::does_not_fit && all.verdict != verdict) all.certificate = one.certificate;
  if (verdict == Verdict::does_not_fit || all.verdict == Verdict::fits) all.verdict = verdict;
}

// Nodes that a role got are not available to other roles.
void take_out(model::Fleet& fleet, const Fit& fit) {
  for (const PlacedNode& node : fit.placements)
    for (model::Pool& pool : fleet.pools)
      if (pool.name == node.pool) pool.drained.push_back(node.index);
}

// Leaf switches that the nodes hang on; a pool without leaves is one.
std::int64_t leaves_of(const model::Fleet& fleet, const std::vector<PlacedNode>& placements) {
  std::set<std::pair<std::string_view, std::size_t>> leaves;
  for (const model::Pool& pool : fleet.pools) {
    std::vector<std::size_t> leaf(static_cast<std::size_t>(pool.node_count), 0);
    for (std::size_t i = 0; i < pool.leaves.size(); ++i)
      for (const std::uint32_t node : pool.leaves[i].nodes)
        if (node < leaf.size()) leaf[node] = i;
    for (const PlacedNode& node : placements)
      if (node.pool == pool.name && node.index < leaf.size()) leaves.emplace(pool.name, leaf[node.index]);
  }
  return static_cast<std::int64_t>(leaves.size());
}

Fit place_one_by_one(FleetState& state, const model::Plane& plane, const model::Queue* queue,
                     const model::Tenant* tenant, const model::Workload& workload, std::vector<RolePlan>& roles) {
  const model::Fleet& fleet = *state.fleet();
  model::Fleet left = fleet;
  FleetState rest(&left);
  Fit all;
  all.capacity.verdict = all.now.verdict = Verdict::fits;
  for (RolePlan& role : roles) {
    RolePlan there = on_copy(role, fleet, left);
    const Fit fit = place(rest, plane, queue, tenant, workload, there);
    const Fit alone = place(state, plane, queue, tenant, workload, role);
    take_amounts(on_copy(there, left, fleet), role);
    join(all.capacity, fit.capacity, role.role->name, alone.capacity.verdict == Verdict::does_not_fit);
    join(all.now, fit.now, role.role->name, alone.now.verdict == Verdict::does_not_fit);
    all.policy = fit.policy;
    if (all.pool.empty()) all.pool = fit.pool;
    all.leaf_lower_bound = std::max(all.leaf_lower_bound, fit.leaf_lower_bound);
    all.placements.insert(all.placements.end(), fit.placements.begin(), fit.placements.end());
    take_out(left, fit);
    rest.forget();
  }
  all.leaf_switches = leaves_of(fleet, all.placements);
  for (const model::Pool& pool : fleet.pools) {
    const SpineCount above = count_spines(state, all.placements, pool, Moment::empty);
    all.spines += above.spines;
    all.spine_lower_bound = std::max(all.spine_lower_bound, above.bound);
  }
  all.verdict = worst_of(all);
  return all;
}

// All at one moment on the pool that each chose for itself.
struct Joint {
  scheduler::JointAnswer answer;
  Level level;
  SpineCount spines{};
};

Joint ask_jointly(FleetState& state, const std::vector<RolePlan>& roles, const model::Plane& plane, Moment moment) {
  std::vector<const RolePlan*> all;
  std::vector<std::string> names;
  for (const RolePlan& role : roles) all.push_back(&role), names.push_back("role " + role.role->name);
  const model::Pool& pool = *roles.front().pool;
  const JointRequest request = joint_request(state, all, pool, moment);
  // A component of a Slurm job has nodes of its own; pods share.
  const bool apart = !plane.traits().shares_nodes;
  Joint out{scheduler::place_together(request.nodes(), request.members, {.apart = apart}), {Verdict::fits, {}, {}}};
  if (const auto* found = std::get_if<scheduler::Together>(&out.answer))
    out.spines = count_spines(*found, request, apart);
  if (const auto* line = std::get_if<scheduler::Line>(&out.answer))
    out.level = {Verdict::does_not_fit, certificate_of(*line, names_of(names, line->members), pool), {}};
  return out;
}

void show(const scheduler::Together& found, const SpineCount& spines, const std::vector<RolePlan>& roles, Fit& fit) {
  fit.spines = spines.spines;
  fit.spine_lower_bound = spines.bound;
  fit.pool = roles.front().pool->name;
  fit.leaf_switches = found.leaves;
  fit.leaf_lower_bound = found.lower_bound;
  fit.placements.clear();
  for (std::size_t r = 0; r < roles.size(); ++r) {
    const std::vector<PlacedNode> nodes = placed_nodes(roles[r], found.placements[r]);
    fit.placements.insert(fit.placements.end(), nodes.begin(), nodes.end());
  }
}

// Roles that fit one by one, all on one pool: whether they do so together. nullopt: neither shown nor
// refuted there, or some role may go elsewhere.
std::optional<Fit> place_jointly(FleetState& state, const model::Plane& plane, const model::Queue* queue,
                                 const model::Tenant* tenant, const model::Workload& workload,
                                 std::vector<RolePlan>& roles) {
  Fit all;
  all.capacity.verdict = all.now.verdict = Verdict::fits;
  bool confined = true, shared = false;
  for (RolePlan& role : roles) {
    const Fit alone = place(state, plane, queue, tenant, workload, role);
    if (alone.capacity.verdict != Verdict::fits || role.pool != roles.front().pool || is_nested(role) ||
        role.spans_pools)
      return std::nullopt;
    if (role.role->resources.part_of_gpu()) return std::nullopt;  // what they share is not searched for
    confined &= role.allowed.size() == 1;
    shared |= role.may_share_nodes();  // then a node may have several of its pods, which no line counts
    all.policy = alone.policy;
    join(all.capacity, alone.capacity, role.role->name, true);
    join(all.now, alone.now, role.role->name, true);
  }
  if (!confined && all.now.verdict != Verdict::fits) return std::nullopt;  // another pool may have room now
  for (const Moment moment : {Moment::empty, Moment::now}) {
    Level& level = moment == Moment::empty ? all.capacity : all.now;
    if (level.verdict != Verdict::fits) continue;
    const Joint joint = ask_jointly(state, roles, plane, moment);
    if (const auto* found = std::get_if<scheduler::Together>(&joint.answer)) show(*found, joint.spines, roles, all);
    else if (!confined || shared || joint.level.verdict != Verdict::does_not_fit) return std::nullopt;
    else level = joint.level;
  }
  all.verdict = worst_of(all);
  return all;
}

// Pods that may share nodes or GPUs, all on the pool that each likes best. nullopt: neither shown nor refuted there, or
// some role may go elsewhere.
std::optional<Fit> place_packed(FleetState& state, const model::Plane& plane, const model::Queue* queue,
                                const model::Tenant* tenant, const model::Workload& workload,
                                std::vector<RolePlan>& roles) {
  Fit all;
  std::vector<const RolePlan*> asked;
  std::vector<std::string> names;
  bool confined = true;
  for (RolePlan& role : roles) {
    all.policy = place(state, plane, queue, tenant, workload, role).policy;
    confined &= role.allowed.size() == 1;
    if (role.pool != roles.front().pool) return std::nullopt;
    asked.push_back(&role), names.push_back("role " + role.role->name);
  }
  const model::Pool& pool = *roles.front().pool;
  for (const Moment moment : {Moment::empty, Moment::now}) {
    if (moment == Moment::now && distance(all.capacity).is_floor) {  // what is too small empty is too small now
      all.now = all.capacity;
      break;
    }
    PackedRoles packed = pack_roles(state, asked, names, pool, moment);
    if (packed.level.verdict == Verdict::does_not_fit && !confined) return std::nullopt;
    if (packed.level.verdict == Verdict::fits) {
      all.placements = std::move(packed.pods);
      all.leaf_switches = packed.leaves, all.leaf_lower_bound = packed.lower_bound;
      all.spines = packed.spines, all.spine_lower_bound = packed.spine_bound;
    }
    (moment == Moment::empty ? all.capacity : all.now) = std::move(packed.level);
  }
  all.pool = pool.name;
  all.verdict = worst_of(all);
  return all;
}

// Whether pods of these roles may meet on a node or on a GPU other than one of each role.
bool are_packed(const std::vector<RolePlan>& roles, bool same) {
  const auto shares = [](const RolePlan& role) { return role.shares_nodes; };
  return std::all_of(roles.begin(), roles.end(), can_be_packed) &&
         (std::any_of(roles.begin(), roles.end(), is_packed) ||
          (same && std::all_of(roles.begin(), roles.end(), shares)));
}

}  // namespace

bool alike(const RolePlan& a, const RolePlan& b) {
  return a.gpus == b.gpus && a.exclusive == b.exclusive && a.all_cpus == b.all_cpus && a.all_memory == b.all_memory &&
         a.cpus == b.cpus && a.memory == b.memory && a.allowed == b.allowed && a.only_nodes == b.only_nodes &&
         a.not_nodes == b.not_nodes && !a.role->topology && !b.role->topology &&
         a.disk.has_value() == b.disk.has_value() && a.held == b.held && a.inside == b.inside &&
         a.memory_a_cpu == b.memory_a_cpu && a.counted_cpus(nullptr) == b.counted_cpus(nullptr) &&
         a.counts_cores == b.counts_cores && !a.role->resources.part_of_gpu() && !b.role->resources.part_of_gpu();
}

namespace {

// Roles of one shape, or of which nothing can be counted, as one gang.
Fit place_whole(FleetState& state, const model::Plane& plane, const model::Queue* queue, const model::Tenant* tenant,
                const model::Workload& workload, std::vector<RolePlan>& roles) {
  RolePlan whole = whole_of(roles);
  Fit fit = place(state, plane, queue, tenant, workload, whole);
  name_parts(roles, fit.placements);
  // Of roles of one shape the amounts are those of all; others, of which nothing was counted, keep their own.
  const bool same = std::all_of(roles.begin(), roles.end(), [&](const RolePlan& r) { return alike(r, roles.front()); });
  for (RolePlan& role : roles) {
    if (same) take_amounts(whole, role);
    else choose_pool(role, whole.pool);
  }
  return fit;
}

Fit place_all_roles(FleetState& state, const model::Plane& plane, const model::Queue* queue,
                    const model::Tenant* tenant, const model::Workload& workload, std::vector<RolePlan>& roles) {
  if (roles.size() == 1) return place(state, plane, queue, tenant, workload, roles.front());
  const bool same = std::all_of(roles.begin(), roles.end(), [&](const RolePlan& r) { return alike(r, roles.front()); });
  const bool placeable = std::all_of(roles.begin(), roles.end(), [](const RolePlan& r) { return !r.allowed.empty(); });
  const bool several = std::any_of(roles.begin(), roles.end(), [](const RolePlan& r) { return r.allowed.size() > 1; });
  if (state.fleet() == nullptr || !placeable) return place_whole(state, plane, queue, tenant, workload, roles);
  const bool packed = plane.traits().shares_nodes && are_packed(roles, same);
  const auto stands = [&](const Fit& fit) {
    return !several || (fit.capacity.verdict == Verdict::fits && fit.now.verdict == Verdict::fits);
  };
  if (packed)
    if (auto fit = place_packed(state, plane, queue, tenant, workload, roles); fit && stands(*fit))
      return std::move(*fit);
  if (!same)
    if (auto fit = place_jointly(state, plane, queue, tenant, workload, roles); fit && stands(*fit))
      return std::move(*fit);
  if (same && !packed) {
    Fit fit = place_whole(state, plane, queue, tenant, workload, roles);
    if (stands(fit)) return fit;
  }
  if (std::any_of(roles.begin(), roles.end(), is_nested))
    return place_one_by_one(state, plane, queue, tenant, workload, roles);
  return place_over_choices(state, plane, queue, tenant, workload, roles);
}

// All pools for which the file of the role says the same, that of its placement among them.
Pools of_its_file(const RolePlan& role) {
  for (const Pools& pools : role.same_file)
    if (std::find(pools.begin(), pools.end(), role.pool) != pools.end()) return pools;
  return role.choice();
}

// The fewest leaves of the role alone on any of these pools; 1 where that is not known.
std::int64_t fewest_leaves(FleetState& state, const RolePlan& role, const Pools& pools, Moment moment) {
  if (pools.empty() || !can_join(role, pools)) return 1;
  RolePlan here = on_all(role, pools);
  here.pool = &state.join(pools, role.family);
  const PoolAnswer answer = ask_pool(state, here, moment);
  return answer.witness ? std::max<std::int64_t>(answer.witness->counts.lower_bound, 1) : 1;
}

// The bound speaks of all nodes that the file allows, and was counted on those of the placement.
void widen_bound(FleetState& state, const std::vector<RolePlan>& roles, Fit& fit) {
  if (fit.leaf_lower_bound < 2 || fit.placements.empty()) return;
  const auto is_wider = [](const RolePlan& role) { return of_its_file(role).size() > 1; };
  if (std::none_of(roles.begin(), roles.end(), is_wider)) return;
  const Moment moment = fit.now.verdict == Verdict::fits ? Moment::now : Moment::empty;
  std::int64_t bound = 1;
  for (const RolePlan& role : roles) bound = std::max(bound, fewest_leaves(state, role, of_its_file(role), moment));
  fit.leaf_lower_bound = std::min(fit.leaf_lower_bound, bound);
  fit.spine_lower_bound = std::min<std::int64_t>(fit.spine_lower_bound, 1);
}

}  // namespace

Fit place_roles(FleetState& state, const model::Plane& plane, const model::Queue* queue, const model::Tenant* tenant,
                const model::Workload& workload, std::vector<RolePlan>& roles, const TakenDevices& taken) {
  Fit out = place_all_roles(state, plane, queue, tenant, workload, roles);
  if (roles.size() > 1) {
    hold_to_quotas({plane, tenant, workload}, roles, out);
    out.verdict = worst_of(out);
  }
  widen_bound(state, roles, out);
  number_devices(out.placements, taken);
  return out;
}

}  // namespace muster::plan
