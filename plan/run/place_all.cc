#include "plan/run/place_all.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "plan/fit/at_once.h"
#include "plan/fit/near.h"
#include "plan/fit/otherwise.h"
#include "plan/place/counted_roles.h"
#include "plan/place/joint.h"
#include "plan/place/place_packed.h"
#include "plan/place/place_roles.h"
#include "plan/pools/node_needs.h"
#include "plan/quota/ceilings.h"
#include "plan/run/confined.h"
#include "plan/run/grow.h"
#include "plan/run/remaining_fleet.h"
#include "plan/run/shared_quota.h"
#include "plan/run/waits.h"
#include "plan/verdict.h"

namespace muster::plan {
namespace {

int urgency(const model::Workload& workload) {
  const std::string priority = workload.priority ? workload.priority->value : "normal";
  return priority == "urgent" ? 3 : priority == "high" ? 2 : priority == "low" ? 0 : 1;
}

// What the plans before one have, as each step asks for it.
struct Others {
  const Plans* plans = nullptr;
  RemainingFleet remaining;
  ConfinedRoles roles{};
  SharedQuota quota{};

  explicit Others(const model::Fleet& fleet) : remaining(fleet) {}

  std::string names() const { return listed_names(*plans, plans->size()); }
  void hold(const Plans& all) {
    plans = &all;
    remaining.hold(all), quota.hold(all);
  }
};

// That these roles, which may go nowhere but to the pool, ask for more than it has.
std::optional<Certificate> line_on(FleetState& fleet, const model::Pool& pool, const CountedRoles& counted_roles,
                                   Moment moment) {
  if (auto heavy = too_heavy(fleet, counted_roles, pool, moment)) return heavy;
  const std::vector<const RolePlan*> roles = counted_roles.each();
  std::optional<JointRequest> found = joint_request_in_one_view(fleet, roles, pool, moment);
  JointRequest request = found ? std::move(*found) : joint_request(fleet, roles, pool, moment);
  // Parts may share a GPU, and pods a node: of these, those that are surely apart are counted.
  for (std::size_t r = 0; r < roles.size(); ++r) {
    request.members[r].count = counted_roles.roles[r].count;
    if (roles[r]->role->resources.part_of_gpu()) request.members[r].gang.gpus = 0;
    if (roles[r]->may_share_nodes()) request.members[r].gang.nodes = roles[r]->nodes_are_pods ? 1 : roles[r]->nodes;
  }
  const scheduler::Line line = scheduler::find_line(*request.stock, request.members, false);
  if (line.need <= line.have) return std::nullopt;
  return certificate_of(line, counted_roles.names_of(line.members), pool);
}

// A role that every one of its pools refuses, whatever the others do.
std::optional<Certificate> refuted(FleetState& fleet, const ConfinedRoles& others, const Plan& plan, Moment moment) {
  for (const RolePlan& role : plan.placed) {
    std::optional<Certificate> first;
    bool everywhere = !role.allowed.empty() && !role.may_span_pools();
    for (const model::Pool* pool : role.allowed) {
      std::optional<Certificate> line =
          everywhere ? line_on(fleet, *pool, others.beside(plan, role, *pool, moment), moment) : std::nullopt;
      everywhere &= line.has_value();
      if (!first) first = std::move(line);
    }
    if (everywhere) return first;
  }
  return std::nullopt;
}

// The level beside the others; where they are what is in the way, the proof or the doubt.
Level with_others(FleetState& fleet, const Level& alone, Level together, Others& others, const Plan& plan,
                  Moment moment) {
  if (alone.verdict != Verdict::fits || together.verdict == Verdict::fits) {
    const bool same = alone.verdict != Verdict::fits;
    return same ? alone : together;
  }
  others.roles.hold(*others.plans);
  if (std::optional<Certificate> proof = refuted(fleet, others.roles, plan, moment)) {
    proof->text = "fits alone; " + proof->text;
    return {Verdict::does_not_fit, std::move(proof), {}};
  }
  return {Verdict::unknown, {}, "fits alone; no placement beside " + others.names() + " was found"};
}

std::string why_not(const Fit& fit) {
  for (const Level* level : {&fit.policy, &fit.capacity, &fit.now}) {
    if (level->verdict == Verdict::fits) continue;
    return level->certificate ? level->certificate->text : level->note;
  }
  return {};
}

// What is over the quotas and limits that it has together with the others. `beside`: the answer of its own pools within
// what the others leave of their quotas.
std::optional<Level> over_with(const Others& others, const Plan& plan, const std::vector<PlacedNode>& nodes,
                               const Level& beside) {
  std::optional<Certificate> over = others.quota.over(plan, nodes);
  if (!over) return std::nullopt;
  const bool depends = others.quota.depends_on_pools(plan, nodes);
  if (beside.certificate && plan.placed.size() == 1 && plan.placed.front().may_span_pools()) {
    over = beside.certificate;  // of all its pools
    over->text = "beside " + others.names() + " " + over->text;
  }
  if (depends) return Level{Verdict::unknown, {}, over->text + "; some of the others could have nodes of another pool"};
  return Level{Verdict::does_not_fit, std::move(over), {}};
}

void place_with_others(FleetState& state, Others& others, Plan& plan) {
  RemainingFleet& remaining = others.remaining;
  const model::Fleet& fleet = *state.fleet();
  const model::Fleet& left = remaining.fleet();
  const Fit alone = plan.fit;
  std::vector<RolePlan> roles;
  for (const RolePlan& role : plan.placed) roles.push_back(on_copy(role, fleet, left));
  std::optional<model::Tenant> held;  // with what the others leave
  if (plan.tenant != nullptr && is_bounded(*plan.tenant)) held = others.quota.left(plan);
  const model::Tenant* own = held ? &*held : plan.tenant;
  Fit fit = place_roles(remaining.state(), *plan.plane, plan.queue, own, *plan.workload, roles, remaining.devices());
  const std::int64_t jobs = others.quota.jobs(plan.queue);
  fit.at_once = count_at_once(remaining.state(), {*plan.plane, plan.queue, own, *plan.workload, roles, jobs}, fit);
  for (std::size_t r = 0; r < roles.size(); ++r) plan.placed[r] = on_copy(roles[r], left, fleet);
  take_pools(plan.placed, plan.roles);
  fit.capacity = with_others(state, alone.capacity, std::move(fit.capacity), others, plan, Moment::empty);
  fit.now = with_others(state, alone.now, std::move(fit.now), others, plan, Moment::now);
  if (alone.capacity.verdict == Verdict::fits) name_room(fit.capacity, fit.at_once.room, fit.at_once);
  if (alone.now.verdict == Verdict::fits) name_room(fit.now, fit.at_once.room_now, fit.at_once);
  // Where it finds no place beside the others, the nodes that it has alone count.
  const bool placed = fit.capacity.verdict == Verdict::fits && !fit.placements.empty();
  const Level beside = std::exchange(fit.policy, alone.policy);
  if (fit.policy.verdict == Verdict::fits)
    if (auto over = over_with(others, plan, placed ? fit.placements : alone.placements, beside))
      fit.policy = std::move(*over);
  if (fit.policy.verdict == Verdict::fits)
    fit.borrowed = others.quota.borrowed(plan, placed ? fit.placements : alone.placements);
  fit.queue_reason = alone.queue_reason;
  note_spread(plan, fit);
  note_otherwise(remaining.state(), {*plan.plane, plan.queue, plan.tenant, own, *plan.site, *plan.workload}, roles,
                 fit);
  if (fit.capacity.verdict != Verdict::fits) fit.placements.clear();
  // Each plan with all those before it would need the square of their number.
  constexpr std::size_t named = 100;
  fit.placed_before_count = others.plans->size();
  for (const Plan* other : std::span(*others.plans).first(std::min(named, others.plans->size())))
    fit.placed_before.push_back(other->workload->id);
  plan.fit = std::move(fit);
  plan.fit.verdict = worst_of(plan.fit);
}

// Another option of `any-of` where the one that was taken alone finds no place: the first that does better beside the
// others.
void take_other_option(FleetState& state, Others& others, Plan& plan) {
  for (const Plan& option : plan.others) {
    Plan attempt = option;
    place_with_others(state, others, attempt);
    if (attempt.fit.verdict == plan.fit.verdict || worse(attempt.fit.verdict, plan.fit.verdict) != plan.fit.verdict)
      continue;
    const std::string_view name = attempt.workload->option;
    std::erase_if(plan.lost, [&](const LostOption& lost) { return lost.name == name; });
    plan.lost.insert(plan.lost.begin(), {plan.workload->option, why_not(plan.fit)});
    attempt.lost = std::move(plan.lost);
    plan = std::move(attempt);
    return;
  }
}

}  // namespace

void place_all(FleetState& state, std::vector<Plan*>& plans) {
  std::stable_sort(plans.begin(), plans.end(),
                   [](const Plan* a, const Plan* b) { return urgency(*a->workload) > urgency(*b->workload); });
  const Waits waits(plans);
  Others others(*state.fleet());
  Plans holding;                    // of those before this one
  std::vector<std::size_t> places;  // theirs
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (i > 0 && holds(*plans[i - 1], Moment::empty)) holding.push_back(plans[i - 1]), places.push_back(i - 1);
    if (plans[i]->plane == nullptr || plans[i]->fit.placements.empty()) continue;
    Plans apart;
    for (std::size_t h = 0; waits.any() && h < holding.size(); ++h)
      if (waits.meet(i, places[h])) apart.push_back(holding[h]);
    others.hold(waits.any() ? apart : holding);
    if (others.plans->empty()) continue;
    place_with_others(state, others, *plans[i]);
    if (plans[i]->fit.verdict != Verdict::fits) take_other_option(state, others, *plans[i]);
  }
  grow_all(others.remaining, plans, [&](std::size_t a, std::size_t b) { return waits.meet(a, b); });
}

}  // namespace muster::plan
