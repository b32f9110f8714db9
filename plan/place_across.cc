#include "plan/place_across.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/model/attachment.h"
#include "plan/domains.h"
#include "plan/members.h"
#include "plan/place_packed.h"
#include "plan/shape.h"
#include "scheduler/together.h"

namespace muster::plan {
namespace {

using model::Pool;

bool same_gpus(const Pool& a, const Pool& b) {
  if (!a.gpu || !b.gpu) return !a.gpu && !b.gpu;
  return lower(a.gpu->model) == lower(b.gpu->model) && a.gpu->vendor == b.gpu->vendor &&
         a.gpu->memory == b.gpu->memory && a.gpu->link == b.gpu->link;
}

bool same_taints(const Pool& a, const Pool& b) {
  const auto names = [](const Pool& pool) {
    std::vector<std::string_view> out;
    for (const model::Taint& taint : pool.taints) out.push_back(taint.name);
    std::sort(out.begin(), out.end());
    return out;
  };
  return names(a) == names(b);
}

// Whether its file has the same network settings on both.
bool same_attachment(const RolePlan& role, const Pool& a, const Pool& b) {
  if (role.attached_by == nullptr) return true;
  const auto on = [&](const Pool& pool) { return model::attachment_of(*role.attached_by, *role.attached_on, pool); };
  return on(a) == on(b);
}

bool are_alike(const RolePlan& role, const Pool& a, const Pool& b) {
  const bool gpus = role.gpus == 0 || same_gpus(a, b);
  return gpus && a.arch == b.arch && a.fabric == b.fabric && a.zone == b.zone && a.preemptible == b.preemptible &&
         same_taints(a, b) && same_attachment(role, a, b);
}

// The nodes of several pools as those of one.
struct Merged {
  PoolState state;
  std::vector<std::pair<const Pool*, std::uint32_t>> nodes;  // of each: its pool and its number there
  Pool pool;                                                 // what certificates name
  std::string unknown;                                       // a need that some pool does not declare
};

void append(const PoolState& one, const Pool& pool, std::vector<scheduler::Node>& nodes, Merged& all) {
  const auto first_leaf = static_cast<std::uint32_t>(all.state.leaves.size());
  std::uint32_t index = 0;
  for (scheduler::Node node : one.stock.nodes()) {
    node.leaf += first_leaf;
    nodes.push_back(node);
    all.nodes.emplace_back(&pool, index++);
  }
  all.state.leaves.insert(all.state.leaves.end(), one.leaves.begin(), one.leaves.end());
  all.state.drained += one.drained, all.state.spare += one.spare;
  all.state.excluded += one.excluded, all.state.outside += one.outside;
}

Merged merged(FleetState& fleet, const RolePlan& role, const std::vector<const Pool*>& pools, Moment moment) {
  Merged out;
  std::vector<scheduler::Node> nodes;
  std::vector<std::string> names;
  const Pool& largest = **std::max_element(pools.begin(), pools.end(), [&](const Pool* a, const Pool* b) {
    return std::pair(a->gpu ? a->gpu->count : 0, a->usable_cpus(role.family)) <
           std::pair(b->gpu ? b->gpu->count : 0, b->usable_cpus(role.family));
  });
  out.pool.gpu = largest.gpu, out.pool.cpus = largest.usable_cpus(role.family);
  out.pool.threads = largest.threads;
  out.pool.memory = largest.usable_memory(role.family);
  out.pool.reserve_cpus = 0, out.pool.reserve_memory = Size{};
  for (const Pool* pool : pools) {
    RolePlan here = role;
    here.pool = pool;  // with the amounts of all
    scheduler::Gang ignored = gang_of(here);
    if (out.unknown.empty()) out.unknown = leave_out_unknown(here, ignored);
    append(fleet.of(here, moment, domain_of(here)), *pool, nodes, out);
    names.push_back(pool->name);
  }
  out.pool.name = listed(names, "and");
  out.state.stock = scheduler::Inventory(std::move(nodes));
  return out;
}

// "pool a and b has" of one pool's certificate, as several have it.
void name_several(const std::string& names, std::string& text) {
  const std::string one = "pool " + names;
  for (std::size_t at = text.find(one); at != std::string::npos; at = text.find(one, at + one.size() + 1)) {
    text.insert(at + 4, "s");
    const std::size_t end = at + one.size() + 1;
    if (text.compare(end, 4, " has") == 0) text.replace(end, 4, " together have");
  }
}

// The node of a placement on merged pools, as its own pool numbers it.
void name_node(const Merged& all, std::uint32_t merged, PlacedNode& node) {
  const auto& [pool, index] = all.nodes[merged];
  node.pool = pool->name, node.index = index, node.node = pool->node_name(index);
}

Level misfit(const scheduler::Shortage& shortage, const RolePlan& role, const Merged& all, Moment moment) {
  RolePlan named = role;
  named.pool = &all.pool;
  Certificate why = certificate_of(shortage, gang_of(role), named, all.state, moment);
  name_several(all.pool.name, why.text);
  return {Verdict::does_not_fit, std::move(why), {}};
}

struct Across {
  Level level;
  std::vector<PlacedNode> nodes{};
  std::vector<const Pool*> pools{};  // that the nodes are of
  std::int64_t leaves = 0, lower_bound = 0;
};

// Pods that may share nodes, on those of all pools.
PackedRoles pack_across(const Merged& all, const std::vector<RolePlan>& roles, Moment moment) {
  std::vector<RolePlan> there = roles;
  std::vector<const RolePlan*> asked;
  std::vector<std::string> names;
  for (RolePlan& role : there) {
    role.pool = &all.pool;
    asked.push_back(&role), names.push_back(roles.size() > 1 ? "role " + role.role->name : "");
    scheduler::Gang one = gang_of(role);
    one.nodes = one.segment = 1, one.one_leaf = false;
    const scheduler::Answer answer = all.state.stock.place(one);
    const auto* shortage = std::get_if<scheduler::Shortage>(&answer);
    if (shortage != nullptr && shortage->too_small > 0 && shortage->busy + shortage->partial == 0)
      return {misfit(*shortage, role, all, moment), {}};
  }
  PackedRoles out = pack_on(all.state, asked, names, all.pool);
  if (out.level.certificate) name_several(all.pool.name, out.level.certificate->text);
  name_several(all.pool.name, out.level.note);
  for (PlacedNode& pod : out.pods) name_node(all, pod.index, pod);
  return out;
}

Across place_apart(const Merged& all, const RolePlan& role, Moment moment) {
  const scheduler::Answer answer = all.state.stock.place(gang_of(role));
  if (const auto* shortage = std::get_if<scheduler::Shortage>(&answer)) return {misfit(*shortage, role, all, moment)};
  const auto& placement = std::get<scheduler::Placement>(answer);
  Across out{{Verdict::fits, {}, {}}, placed_nodes(role, placement), {}, placement.leaves, placement.lower_bound};
  for (std::size_t i = 0; i < out.nodes.size(); ++i) name_node(all, placement.nodes[i], out.nodes[i]);
  return out;
}

Across ask(FleetState& fleet, const RolePlan& role, const std::vector<const Pool*>& pools, Moment moment) {
  const Merged all = merged(fleet, role, pools, moment);
  if (!all.unknown.empty()) return {{Verdict::unknown, {}, all.unknown}};
  Across out;
  if (is_packed(role)) {
    PackedRoles packed = pack_across(all, {role}, moment);
    out = {std::move(packed.level), std::move(packed.pods), {}, packed.leaves, packed.lower_bound};
  } else {
    out = place_apart(all, role, moment);
  }
  if (out.level.verdict != Verdict::fits) return out;
  for (const PlacedNode& node : out.nodes) {
    const Pool* pool = *std::find_if(pools.begin(), pools.end(), [&](const Pool* p) { return p->name == node.pool; });
    if (std::find(out.pools.begin(), out.pools.end(), pool) == out.pools.end()) out.pools.push_back(pool);
  }
  if (out.pools.size() > 1) {
    std::vector<std::string> names;
    for (const Pool* pool : out.pools) names.push_back(pool->name);
    out.level.note = "on nodes of the pools " + listed(names, "and");
  }
  return out;
}

// Parts of GPUs, segments inside a domain, and nodes that are shared inside one are searched for in one pool only.
bool is_searched(const RolePlan& role) {
  return (is_packed(role) || !role.may_share_nodes()) && !is_nested(role) && !role.role->resources.part_of_gpu();
}

void doubt(Level& level) {
  if (level.verdict == Verdict::does_not_fit)
    level = {
        Verdict::unknown, {}, "a placement on several pools is not searched for; on one: " + level.certificate->text};
}

}  // namespace

std::vector<const Pool*> alike_pools(const RolePlan& role) {
  std::vector<const Pool*> out;
  if (role.pool == nullptr) return out;
  for (const Pool* pool : role.allowed)
    if (pool == role.pool || role.any_pool || are_alike(role, *role.pool, *pool)) out.push_back(pool);
  return out;
}

// The smaller amounts of both, which are of the same role.
void take_smaller(RolePlan& role, const RolePlan& other) {
  if (role.cpus && other.cpus) role.cpus = std::min(*role.cpus, *other.cpus);
  if (role.memory && other.memory) role.memory = std::min(*role.memory, *other.memory);
  for (std::size_t i = 0; i < role.sharing.size(); ++i) take_smaller(role.sharing[i], other.sharing[i]);
  sum_up(role);
}

RolePlan on_all(const RolePlan& role, const std::vector<const Pool*>& pools) {
  RolePlan out = role;
  choose_pool(out, pools.front());
  for (const Pool* pool : pools) {
    RolePlan here = role;
    choose_pool(here, pool);
    take_smaller(out, here);
  }
  return out;
}

bool may_span_pools(const RolePlan& role) { return alike_pools(role).size() > 1; }

void place_across(FleetState& fleet, RolePlan& role, Fit& fit) {
  const std::vector<const Pool*> pools = alike_pools(role);
  if (pools.size() < 2) return;
  if (!is_searched(role)) return doubt(fit.capacity), doubt(fit.now);
  const RolePlan everywhere = on_all(role, pools);
  for (const Moment moment : {Moment::empty, Moment::now}) {
    Level& level = moment == Moment::empty ? fit.capacity : fit.now;
    if (level.verdict != Verdict::does_not_fit) continue;
    // A node that is too small, even empty, is not helped by others; that of the chosen pool says it best.
    Across across = ask(fleet, everywhere, pools, moment);
    if (across.level.verdict == Verdict::does_not_fit && level.certificate && level.certificate->kind == "domain")
      continue;
    level = std::move(across.level);
    if (level.verdict != Verdict::fits) continue;
    fit.placements = std::move(across.nodes);
    fit.leaf_switches = across.leaves, fit.leaf_lower_bound = across.lower_bound;
    fit.spines = fit.spine_lower_bound = 0;
    role = everywhere;
    role.pool = across.pools.front();
    role.spans_pools = across.pools.size() > 1;
    fit.pool = role.pool->name;
  }
}

namespace {

// Whether roles can be asked for together: on the same pools, of which each sees all nodes.
bool share_pools(const std::vector<RolePlan>& roles) {
  const std::vector<const Pool*> pools = alike_pools(roles.front());
  return pools.size() > 1 && std::all_of(roles.begin(), roles.end(), [&](const RolePlan& role) {
           const bool all_nodes = role.only_nodes.empty() && role.not_nodes.empty();
           return all_nodes && !role.role->topology && is_searched(role) && alike_pools(role) == pools;
         });
}

// What one moment answers: the placement goes to `fit`.
Level ask_jointly(const Merged& all, const model::Plane& plane, const std::vector<RolePlan>& roles, Moment moment,
                  Fit& fit) {
  if (!all.unknown.empty()) return {Verdict::unknown, {}, all.unknown};
  if (std::all_of(roles.begin(), roles.end(), can_be_packed) && std::any_of(roles.begin(), roles.end(), is_packed)) {
    PackedRoles packed = pack_across(all, roles, moment);
    if (packed.level.verdict != Verdict::fits) return std::move(packed.level);
    fit.placements = std::move(packed.pods);
    fit.leaf_switches = packed.leaves, fit.leaf_lower_bound = packed.lower_bound;
    fit.spines = fit.spine_lower_bound = 0;
    return {Verdict::fits, {}, "on nodes of the pools " + all.pool.name};
  }
  const bool shared = std::any_of(roles.begin(), roles.end(), [](const RolePlan& r) { return r.may_share_nodes(); });
  std::vector<scheduler::Member> members;
  std::vector<std::string> names;
  for (const RolePlan& role : roles) members.push_back({gang_of(role)}), names.push_back("role " + role.role->name);
  const scheduler::JointAnswer answer =
      scheduler::place_together(all.state.stock.nodes(), members, {.apart = !plane.traits().shares_nodes});
  if (shared && !std::holds_alternative<scheduler::Together>(answer))
    return {Verdict::unknown, {}, "no placement of its roles on the pools " + all.pool.name + " was found"};
  if (const auto* alone = std::get_if<scheduler::MemberMisfit>(&answer))
    return misfit(alone->shortage, roles[alone->member], all, moment);
  if (const auto* line = std::get_if<scheduler::Line>(&answer)) {
    Certificate why = certificate_of(*line, names_of(names, line->members), all.pool);
    name_several(all.pool.name, why.text);
    return {Verdict::does_not_fit, std::move(why), {}};
  }
  const auto* found = std::get_if<scheduler::Together>(&answer);
  if (found == nullptr)
    return {Verdict::unknown, {}, "no way to place its roles together on the pools " + all.pool.name + " was found"};
  fit.placements.clear();
  for (std::size_t r = 0; r < roles.size(); ++r) {
    std::vector<PlacedNode> nodes = placed_nodes(roles[r], found->placements[r]);
    for (std::size_t n = 0; n < nodes.size(); ++n) name_node(all, found->placements[r].nodes[n], nodes[n]);
    fit.placements.insert(fit.placements.end(), nodes.begin(), nodes.end());
  }
  fit.leaf_switches = found->leaves, fit.leaf_lower_bound = found->lower_bound;
  fit.spines = fit.spine_lower_bound = 0;
  return {Verdict::fits, {}, "on nodes of the pools " + all.pool.name};
}

}  // namespace

bool place_across(FleetState& fleet, const model::Plane& plane, std::vector<RolePlan>& roles, Fit& fit) {
  if (!share_pools(roles)) return false;
  const std::vector<const Pool*> pools = alike_pools(roles.front());
  for (RolePlan& role : roles) role = on_all(role, pools), role.pool = pools.front(), role.spans_pools = true;
  for (const Moment moment : {Moment::empty, Moment::now})
    (moment == Moment::empty ? fit.capacity : fit.now) =
        ask_jointly(merged(fleet, roles.front(), pools, moment), plane, roles, moment, fit);
  fit.pool = pools.front()->name;
  return true;
}

}  // namespace muster::plan
