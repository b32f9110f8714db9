#include "plan/place/place_over_choices.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "compiler/base/text.h"
#include "plan/fleet/joined.h"
#include "plan/place/gang.h"
#include "plan/place/joint.h"
#include "plan/place/name_list.h"
#include "plan/place/place.h"
#include "plan/place/place_packed.h"
#include "plan/place/placed_nodes.h"
#include "plan/pools/domains.h"
#include "plan/pools/node_needs.h"
#include "plan/verdict.h"

namespace muster::plan {
namespace {

using Way = std::vector<std::size_t>;  // by role: which of its choices

constexpr std::size_t most_ways = 256;

// All ways, those that the first roles like best first; no more than most_ways and one.
std::vector<Way> ways_of(const std::vector<RolePlan>& roles) {
  std::vector<Way> out{{}};
  for (const RolePlan& role : roles) {
    std::vector<Way> longer;
    for (const Way& way : out)
      for (std::size_t choice = 0; choice < role.choices.size() && longer.size() <= most_ways; ++choice) {
        longer.push_back(way);
        longer.back().push_back(choice);
      }
    out = std::move(longer);
  }
  return out;
}

// What each role is answered alone on each of its choices, in their order.
using FitsByChoice = std::vector<std::vector<Fit>>;

FitsByChoice fit_each_alone(FleetState& state, const model::Plane& plane, const model::Queue* queue,
                            const model::Tenant* tenant, const model::Workload& workload,
                            const std::vector<RolePlan>& roles) {
  FitsByChoice out;
  for (const RolePlan& role : roles) {
    out.emplace_back();
    for (const Pools& choice : role.choices) {
      RolePlan here = role;
      restrict_to(here, choice);
      out.back().push_back(place(state, plane, queue, tenant, workload, here));
    }
  }
  return out;
}

const Level& level_of(const Fit& fit, Moment moment) { return moment == Moment::empty ? fit.capacity : fit.now; }

// Roles that a way sends to pools of which they share some.
struct Crowd {
  std::vector<std::size_t> roles;
  Pools pools;
};

std::vector<Crowd> crowds_of(const std::vector<RolePlan>& roles, const Way& way) {
  std::vector<Crowd> out;
  for (std::size_t r = 0; r < roles.size(); ++r) {
    Crowd crowd{{r}, roles[r].choices[way[r]]};
    for (auto other = out.begin(); other != out.end();) {
      if (!meet(other->pools, crowd.pools)) {
        ++other;
        continue;
      }
      crowd.roles.insert(crowd.roles.begin(), other->roles.begin(), other->roles.end());
      crowd.pools.insert(crowd.pools.end(), other->pools.begin(), other->pools.end());
      other = out.erase(other);
    }
    std::sort(crowd.roles.begin(), crowd.roles.end());
    std::sort(crowd.pools.begin(), crowd.pools.end());  // of one fleet: in its order
    crowd.pools.erase(std::unique(crowd.pools.begin(), crowd.pools.end()), crowd.pools.end());
    out.push_back(std::move(crowd));
  }
  return out;
}

// A crowd at a moment: the roles' nodes where all fit.
struct Placed {
  Level level{Verdict::fits, {}, {}};
  std::vector<std::vector<PlacedNode>> nodes{};  // by role of the crowd
  std::int64_t leaves = 0, spines = 0;
};

// The roles of a crowd as they are asked of the nodes of all its pools.
std::vector<RolePlan> on_pools(FleetState& state, const std::vector<RolePlan>& roles, const Way& way,
                               const Crowd& crowd) {
  const model::Pool& pool = state.join(crowd.pools, roles.front().family);
  std::vector<RolePlan> out;
  for (const std::size_t r : crowd.roles) {
    Pools choice = roles[r].choices[way[r]];
    out.push_back(on_all(roles[r], choice));
    out.back().pool = &pool;
    std::sort(choice.begin(), choice.end());
    if (choice != crowd.pools) out.back().open = std::move(choice);
  }
  return out;
}

Placed pack(FleetState& state, const std::vector<const RolePlan*>& asked, const std::vector<std::string>& names,
            const model::Pool& pool, Moment moment) {
  PackedRoles packed = pack_roles(state, asked, names, pool, moment);
  Placed out{std::move(packed.level), {}, packed.leaves, packed.spines};
  if (out.level.verdict != Verdict::fits) return out;
  for (const RolePlan* role : asked) {
    std::vector<PlacedNode>& own = out.nodes.emplace_back();
    for (const PlacedNode& pod : packed.pods)
      if (pod.role == role->role->name) own.push_back(pod);
  }
  return out;
}

Placed place_together(FleetState& state, const std::vector<const RolePlan*>& asked,
                      const std::vector<std::string>& names, const model::Pool& pool, bool apart, Moment moment) {
  Placed out;
  JointRequest request = joint_request(state, asked, pool, moment);
  for (std::size_t r = 0; apart && r < asked.size(); ++r)
    if (asked[r]->role->resources.part_of_gpu()) give_parts(state, *asked[r], moment, request.members[r]);
  const scheduler::JointAnswer answer = scheduler::place_together(request.nodes(), request.members, {.apart = apart});
  if (const auto* found = std::get_if<scheduler::Together>(&answer)) {
    for (std::size_t r = 0; r < asked.size(); ++r) out.nodes.push_back(placed_nodes(*asked[r], found->placements[r]));
    out.leaves = found->leaves;
    out.spines = count_spines(*found, request, apart).spines;
    return out;
  }
  // Pods that may share nodes were tried on nodes of their own only.
  const bool shared = std::any_of(asked.begin(), asked.end(), [](const auto* role) { return role->may_share_nodes(); });
  const auto* line = std::get_if<scheduler::Line>(&answer);
  if (line != nullptr && !shared)
    out.level = {Verdict::does_not_fit, certificate_of(*line, names_of(names, line->members), pool), {}};
  else out.level = {Verdict::unknown, {}, "no way to place its roles together on pool " + pool.name + " was found"};
  return out;
}

Placed place_crowd(FleetState& state, const std::vector<RolePlan>& roles, bool apart, Moment moment) {
  std::vector<const RolePlan*> asked;
  std::vector<std::string> names;
  bool nested = false, packs = !apart;
  for (const RolePlan& role : roles) {
    asked.push_back(&role), names.push_back("role " + role.role->name);
    nested |= is_nested(role), packs &= can_be_packed(role);
  }
  packs = packs && std::any_of(roles.begin(), roles.end(), is_packed);
  const model::Pool& pool = *roles.front().pool;
  Placed out;
  if (nested)
    out.level = {Verdict::unknown,
                 {},
                 "a placement of several roles, of which one has segments in a domain, is not searched for"};
  else if (packs) out = pack(state, asked, names, pool, moment);
  else out = place_together(state, asked, names, pool, apart, moment);
  if (state.parts(pool).size() > 1) {
    name_several(pool.name, out.level.note);
    if (out.level.certificate) name_several(pool.name, out.level.certificate->text);
  }
  for (std::vector<PlacedNode>& nodes : out.nodes) state.name_origins(nodes);
  return out;
}

// A way at a moment: the worst of its pools, and the roles' nodes where all fit.
struct Tried {
  Level level{Verdict::fits, {}, {}};
  std::vector<PlacedNode> nodes;
  std::int64_t leaves = 0, spines = 0;
};

Tried try_way(FleetState& state, const std::vector<RolePlan>& roles, const FitsByChoice& fits, const Way& way,
              bool apart, Moment moment) {
  Tried out;
  const auto take = [&](const Level& level) {
    if (worse(level.verdict, out.level.verdict) != out.level.verdict) out.level = level;
  };
  for (std::size_t r = 0; r < roles.size(); ++r) take(level_of(fits[r][way[r]], moment));
  if (out.level.verdict != Verdict::fits) return out;
  std::vector<std::vector<PlacedNode>> nodes(roles.size());
  for (const Crowd& crowd : crowds_of(roles, way)) {
    const Fit& alone = fits[crowd.roles.front()][way[crowd.roles.front()]];
    Placed placed{{Verdict::fits, {}, {}}, {alone.placements}, alone.leaf_switches, alone.spines};
    if (crowd.roles.size() > 1) placed = place_crowd(state, on_pools(state, roles, way, crowd), apart, moment);
    take(placed.level);
    for (std::size_t r = 0; r < placed.nodes.size(); ++r) nodes[crowd.roles[r]] = std::move(placed.nodes[r]);
    out.leaves += placed.leaves, out.spines += placed.spines;
  }
  for (const std::vector<PlacedNode>& own : nodes) out.nodes.insert(out.nodes.end(), own.begin(), own.end());
  return out;
}

// The answer of all ways at a moment, and the way it is of.
struct Chosen {
  Tried tried;
  std::size_t way = 0;
};

Chosen choose(FleetState& state, const std::vector<RolePlan>& roles, const FitsByChoice& fits,
              const std::vector<Way>& ways, bool apart, Moment moment) {
  std::optional<Chosen> nearest;
  bool all_refuted = ways.size() <= most_ways;
  for (std::size_t w = 0; w < std::min(ways.size(), most_ways); ++w) {
    Tried tried = try_way(state, roles, fits, ways[w], apart, moment);
    if (tried.level.verdict == Verdict::fits) return {std::move(tried), w};
    all_refuted &= tried.level.verdict == Verdict::does_not_fit;
    if (!nearest || distance(tried.level) < distance(nearest->tried.level)) nearest = Chosen{std::move(tried), w};
  }
  const std::string several =
      counted(static_cast<long long>(std::min(ways.size(), most_ways)), "way") + " to send its roles to pools";
  Level& level = nearest->tried.level;
  if (!all_refuted)
    level = {Verdict::unknown, {}, "of " + several + " none was found to fit, and not all are proven not to fit"};
  else if (ways.size() > 1) level.note = several + " are proven not to fit; this is the one that misses least";
  return std::move(*nearest);
}

// Leaves that no way goes below: of each role alone, on the choice that serves it best.
std::int64_t leaves_bound(FleetState& state, const std::vector<RolePlan>& roles, Moment moment) {
  std::int64_t bound = 0;
  for (const RolePlan& role : roles) {
    std::optional<std::int64_t> least;
    for (const Pools& choice : role.choices) {
      RolePlan here = on_all(role, choice);
      here.pool = &state.join(choice, role.family);
      scheduler::Gang gang = gang_of(here);
      leave_out_unknown(here, gang);
      gang.one_leaf = false, gang.segment = 1;
      const scheduler::Answer answer = state.of(here, moment).stock.place(gang);
      const auto* placement = std::get_if<scheduler::Placement>(&answer);
      if (placement != nullptr) least = std::min(least.value_or(placement->lower_bound), placement->lower_bound);
    }
    bound = std::max(bound, least.value_or(0));
  }
  return bound;
}

// The role with the pool, of those that it was sent to, that the first of its nodes is of.
void settle(const Pools& choice, const std::vector<PlacedNode>& placements, RolePlan& role) {
  if (choice.size() == 1) return choose_pool(role, choice.front());
  RolePlan all = on_all(role, choice);
  const Pools used = pools_of(placements, role.role->name, choice);
  all.pool = used.empty() ? choice.front() : used.front();
  all.spans_pools = used.size() > 1;
  role = std::move(all);
}

}  // namespace

Fit place_over_choices(FleetState& state, const model::Plane& plane, const model::Queue* queue,
                       const model::Tenant* tenant, const model::Workload& workload, std::vector<RolePlan>& roles) {
  const bool apart = !plane.traits().shares_nodes;
  const std::vector<Way> ways = ways_of(roles);
  const FitsByChoice fits = fit_each_alone(state, plane, queue, tenant, workload, roles);
  Fit out;
  out.policy = fits.front().front().policy;
  Chosen empty = choose(state, roles, fits, ways, apart, Moment::empty);
  Chosen now = choose(state, roles, fits, ways, apart, Moment::now);
  out.capacity = std::move(empty.tried.level);
  out.now = std::move(now.tried.level);
  const bool runs = out.now.verdict == Verdict::fits;
  Chosen& shown = runs ? now : empty;
  for (std::size_t r = 0; r < roles.size(); ++r)
    settle(roles[r].choices[ways[shown.way][r]], shown.tried.nodes, roles[r]);
  out.pool = roles.front().pool->name;
  out.placements = std::move(shown.tried.nodes);
  out.leaf_switches = shown.tried.leaves;
  out.spines = shown.tried.spines;
  if (!out.placements.empty()) {
    out.leaf_lower_bound = leaves_bound(state, roles, runs ? Moment::now : Moment::empty);
    out.spine_lower_bound = out.spines > 0 ? 1 : 0;
  }
  out.verdict = worst_of(out);
  return out;
}

}  // namespace muster::plan
