#include "plan/place_over_pools.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "compiler/base/text.h"
#include "plan/members.h"
#include "plan/shape.h"
#include "plan/spine_count.h"

namespace muster::plan {
namespace {

using PoolChoice = std::vector<std::size_t>;  // by role: which of its pools

constexpr std::size_t most_choices = 256;

// All ways, those that the first roles like best first; no more than most_choices and one.
std::vector<PoolChoice> choices_of(const std::vector<RolePlan>& roles) {
  std::vector<PoolChoice> out{{}};
  for (const RolePlan& role : roles) {
    std::vector<PoolChoice> longer;
    for (const PoolChoice& choice : out)
      for (std::size_t pool = 0; pool < role.allowed.size() && longer.size() <= most_choices; ++pool) {
        longer.push_back(choice);
        longer.back().push_back(pool);
      }
    out = std::move(longer);
  }
  return out;
}

// What each role is answered alone on each of its pools, in their order.
using FitsByPool = std::vector<std::vector<Fit>>;

FitsByPool fit_each_alone(FleetState& state, const model::Plane& plane, const model::Queue* queue,
                          const model::Tenant* tenant, const model::Workload& workload,
                          const std::vector<RolePlan>& roles) {
  FitsByPool out;
  for (const RolePlan& role : roles) {
    out.emplace_back();
    for (const model::Pool* pool : role.allowed) {
      RolePlan here = role;
      here.allowed = {pool};
      out.back().push_back(place(state, plane, queue, tenant, workload, here));
    }
  }
  return out;
}

const Level& level_of(const Fit& fit, Moment moment) { return moment == Moment::empty ? fit.capacity : fit.now; }

// The roles that a way sends to one pool, each of which fits there alone, placed together.
struct OnPool {
  Level level{Verdict::fits, {}, {}};
  std::vector<std::vector<PlacedNode>> nodes;  // by role of the pool
  std::int64_t leaves = 0;
  SpineCount spines{};
};

OnPool place_on_pool(FleetState& state, const std::vector<RolePlan*>& roles, const model::Pool& pool, bool apart,
                     Moment moment) {
  std::vector<const RolePlan*> asked(roles.begin(), roles.end());
  std::vector<std::string> names;
  OnPool out;
  for (RolePlan* role : roles) {
    choose_pool(*role, &pool);
    names.push_back("role " + role->role->name);
  }
  const JointRequest request = joint_request(state, asked, pool, moment);
  const scheduler::JointAnswer answer = scheduler::place_together(request.nodes(), request.members, {.apart = apart});
  if (const auto* found = std::get_if<scheduler::Together>(&answer)) {
    for (std::size_t r = 0; r < roles.size(); ++r) out.nodes.push_back(placed_nodes(*roles[r], found->placements[r]));
    out.leaves = found->leaves;
    out.spines = count_spines(*found, request, apart);
    return out;
  }
  if (const auto* line = std::get_if<scheduler::Line>(&answer)) {
    out.level = {Verdict::does_not_fit, certificate_of(*line, names_of(names, line->members), pool), {}};
  } else {
    out.level = {Verdict::unknown, {}, "no way to place its roles together on pool " + pool.name + " was found"};
  }
  return out;
}

// A way at a moment: the worst of its pools, and the roles' nodes where all fit.
struct Tried {
  Level level{Verdict::fits, {}, {}};
  std::vector<PlacedNode> nodes;
  std::int64_t leaves = 0, spines = 0;
};

Tried try_choice(FleetState& state, std::vector<RolePlan>& roles, const FitsByPool& fits, const PoolChoice& choice,
                 bool apart, Moment moment) {
  std::map<const model::Pool*, std::vector<RolePlan*>> by_pool;  // of one fleet: they are in its order
  Tried out;
  for (std::size_t r = 0; r < roles.size(); ++r) {
    const Level& alone = level_of(fits[r][choice[r]], moment);
    if (worse(alone.verdict, out.level.verdict) != out.level.verdict) out.level = alone;
    by_pool[roles[r].allowed[choice[r]]].push_back(&roles[r]);
  }
  if (out.level.verdict != Verdict::fits) return out;
  std::map<const RolePlan*, std::vector<PlacedNode>> nodes;
  for (const auto& [pool, sent] : by_pool) {
    OnPool on = place_on_pool(state, sent, *pool, apart, moment);
    if (worse(on.level.verdict, out.level.verdict) != out.level.verdict) out.level = std::move(on.level);
    for (std::size_t r = 0; r < on.nodes.size(); ++r) nodes[sent[r]] = std::move(on.nodes[r]);
    out.leaves += on.leaves, out.spines += on.spines.spines;
  }
  for (const RolePlan& role : roles) {
    const std::vector<PlacedNode>& own = nodes[&role];
    out.nodes.insert(out.nodes.end(), own.begin(), own.end());
  }
  return out;
}

// The answer of all ways at a moment, and the way it is of.
struct Chosen {
  Tried tried;
  std::size_t choice = 0;
};

Chosen choose(FleetState& state, std::vector<RolePlan>& roles, const FitsByPool& fits,
              const std::vector<PoolChoice>& choices, bool apart, Moment moment) {
  std::optional<Tried> first;
  bool all_refuted = choices.size() <= most_choices;
  for (std::size_t w = 0; w < std::min(choices.size(), most_choices); ++w) {
    Tried tried = try_choice(state, roles, fits, choices[w], apart, moment);
    if (tried.level.verdict == Verdict::fits) return {std::move(tried), w};
    all_refuted &= tried.level.verdict == Verdict::does_not_fit;
    if (!first) first = std::move(tried);
  }
  const std::string several =
      counted(static_cast<long long>(std::min(choices.size(), most_choices)), "way") + " to send its roles to pools";
  if (all_refuted)
    first->level.note = several + (choices.size() > 1 ? " are" : " is") + " proven not to fit; this is the first";
  else
    first->level = {
        Verdict::unknown, {}, "of " + several + " none was found to fit, and not all are proven not to fit"};
  return {std::move(*first), 0};
}

// Leaves that no way goes below: of each role alone, on the pool that serves it best.
std::int64_t leaves_bound(FleetState& state, const std::vector<RolePlan>& roles, Moment moment) {
  std::int64_t bound = 0;
  for (const RolePlan& role : roles) {
    std::optional<std::int64_t> least;
    for (const model::Pool* pool : role.allowed) {
      RolePlan here = role;
      choose_pool(here, pool);
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

}  // namespace

std::optional<Fit> place_over_pools(FleetState& state, const model::Plane& plane, const model::Queue* queue,
                                    const model::Tenant* tenant, const model::Workload& workload,
                                    std::vector<RolePlan>& roles) {
  for (const RolePlan& role : roles)
    if (is_nested(role) || role.role->resources.part_of_gpu()) return std::nullopt;
  const bool apart = !plane.traits().shares_nodes;
  const std::vector<PoolChoice> choices = choices_of(roles);
  const FitsByPool fits = fit_each_alone(state, plane, queue, tenant, workload, roles);
  Fit out;
  out.policy = fits.front().front().policy;
  Chosen empty = choose(state, roles, fits, choices, apart, Moment::empty);
  Chosen now = choose(state, roles, fits, choices, apart, Moment::now);
  out.capacity = std::move(empty.tried.level);
  out.now = std::move(now.tried.level);
  const bool runs = out.now.verdict == Verdict::fits;
  // Pods that may share nodes were tried on nodes of their own only.
  const bool shared = std::any_of(roles.begin(), roles.end(), [](const RolePlan& r) { return r.may_share_nodes(); });
  if (shared && !(runs && out.capacity.verdict == Verdict::fits)) return std::nullopt;
  Chosen& shown = runs ? now : empty;
  for (std::size_t r = 0; r < roles.size(); ++r) choose_pool(roles[r], roles[r].allowed[choices[shown.choice][r]]);
  out.pool = roles.front().pool->name;
  out.placements = std::move(shown.tried.nodes);
  out.leaf_switches = shown.tried.leaves;
  out.spines = shown.tried.spines;
  if (!out.placements.empty()) {
    out.leaf_lower_bound = leaves_bound(state, roles, runs ? Moment::now : Moment::empty);
    out.spine_lower_bound = out.spines > 0 ? 1 : 0;
  }
  out.verdict = worse(worse(out.capacity.verdict, out.policy.verdict), out.now.verdict);
  return out;
}

}  // namespace muster::plan
