#include "plan/place_all.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "compiler/base/text.h"
#include "plan/grow.h"
#include "plan/members.h"
#include "plan/place.h"
#include "plan/place_packed.h"
#include "plan/place_roles.h"
#include "plan/remaining_fleet.h"
#include "plan/tenant.h"

namespace muster::plan {
namespace {

int urgency(const model::Workload& workload) {
  const std::string priority = workload.priority ? workload.priority->value : "normal";
  return priority == "urgent" ? 3 : priority == "high" ? 2 : priority == "low" ? 0 : 1;
}

// The workloads whose end each one waits for, over all steps.
class Waits {
 public:
  explicit Waits(const std::vector<Plan*>& plans) {
    for (const Plan* plan : plans) by_name_.emplace(plan->workload->name, plan->workload);
    for (const Plan* plan : plans) collect(plan->workload, plan->workload);
  }

  bool any() const { return !before_.empty(); }

  bool meet(const Plan& a, const Plan& b) const {
    return !before_.contains({a.workload, b.workload}) && !before_.contains({b.workload, a.workload});
  }

 private:
  void collect(const model::Workload* waiting, const model::Workload* from) {
    std::vector<const model::Workload*> open{from};
    while (!open.empty()) {
      const model::Workload* next = open.back();
      open.pop_back();
      for (const model::After& after : next->depends_on) {
        const auto found = by_name_.find(after.workload);
        if (after.on == model::AfterOn::start || found == by_name_.end()) continue;
        if (before_.emplace(waiting, found->second).second) open.push_back(found->second);
      }
    }
  }

  std::map<std::string_view, const model::Workload*> by_name_;
  std::set<std::pair<const model::Workload*, const model::Workload*>> before_;
};

std::string names_of(const Plans& plans) {
  constexpr std::size_t shown = 4;
  std::string out;
  for (std::size_t i = 0; i < std::min(shown, plans.size()); ++i)
    out += (i == 0 ? "" : ", ") + plans[i]->workload->name;
  return plans.size() > shown ? out + " and " + counted(static_cast<long long>(plans.size() - shown), "other") : out;
}

// Whoever may go nowhere but to the pool, and the role in question.
std::optional<Certificate> line_on(FleetState& fleet, const model::Pool& pool, const Plans& others, const Plan& plan,
                                   const RolePlan& asked, Moment moment) {
  std::vector<const RolePlan*> roles{&asked};
  std::vector<std::string> names{plan.workload->name};
  const auto confined = [&](const Plan& other) {
    for (const RolePlan& role : other.roles) {
      if (&role == &asked || role.allowed.size() != 1 || role.allowed.front() != &pool) continue;
      roles.push_back(&role);
      names.push_back(other.workload->name);
    }
  };
  confined(plan);
  for (const Plan* other : others)
    if (holds(*other, moment)) confined(*other);
  if (auto heavy = too_heavy(fleet, roles, names, pool, moment)) return heavy;
  std::optional<JointRequest> found = joint_request_in_one_view(fleet, roles, pool, moment);
  JointRequest request = found ? std::move(*found) : joint_request(fleet, roles, pool, moment);
  // Parts may share a GPU, and replicas a node: one replica without GPUs is counted.
  for (std::size_t r = 0; r < roles.size(); ++r) {
    if (roles[r]->role->resources.part_of_gpu()) request.members[r].gang.gpus = 0;
    if (may_share_nodes(*roles[r])) request.members[r].gang.nodes = roles[r]->nodes;
  }
  const scheduler::Line line = scheduler::find_line(*request.stock, request.members, false);
  if (line.need <= line.have) return std::nullopt;
  return certificate_of(line, names, pool);
}

// A role that every one of its pools refuses, whatever the others do.
std::optional<Certificate> refuted(FleetState& fleet, const Plans& others, const Plan& plan, Moment moment) {
  for (const RolePlan& role : plan.roles) {
    std::optional<Certificate> first;
    bool everywhere = !role.allowed.empty();
    for (const model::Pool* pool : role.allowed) {
      std::optional<Certificate> line = everywhere ? line_on(fleet, *pool, others, plan, role, moment) : std::nullopt;
      everywhere &= line.has_value();
      if (!first) first = std::move(line);
    }
    if (everywhere) return first;
  }
  return std::nullopt;
}

// The level beside the others; where they are what is in the way, the proof or the doubt.
Level with_others(FleetState& fleet, const Level& alone, Level together, const Plans& others, const Plan& plan,
                  Moment moment) {
  if (alone.verdict != Verdict::fits || together.verdict == Verdict::fits) {
    const bool same = alone.verdict != Verdict::fits;
    return same ? alone : together;
  }
  if (std::optional<Certificate> proof = refuted(fleet, others, plan, moment)) {
    proof->text = "fits alone; " + proof->text;
    return {Verdict::does_not_fit, std::move(proof), {}};
  }
  return {Verdict::unknown, {}, "fits alone; no placement beside " + names_of(others) + " was found"};
}

// What the tenant's workloads ask of the pool together.
std::optional<Certificate> shared_quota(const Plans& others, const Plan& plan) {
  const auto tenant = [](const Plan& p) { return tenant_of(*p.workload, *p.site, *p.plane, p.queue); };
  const model::Tenant* own = tenant(plan);
  if (own == nullptr || own->quotas.empty() || plan.roles.empty() || plan.roles.front().pool == nullptr)
    return std::nullopt;
  const model::Pool& pool = *plan.roles.front().pool;
  Demand sum;
  const auto add = [&](const Plan& p) {
    for (const PlacedNode& node : p.fit.placements)
      if (node.pool == pool.name) ++sum.nodes, sum.gpus += node.part ? 0 : static_cast<std::int64_t>(node.gpus.size());
  };
  std::vector<const Plan*> same;
  for (const Plan* other : others)
    if (tenant(*other) == own) add(*other), same.push_back(other);
  add(plan);
  std::optional<Certificate> over = same.empty() ? std::nullopt : over_quota(own, pool, sum);
  if (over) over->text = "with " + names_of(same) + " " + over->text;
  return over;
}

std::string why_not(const Fit& fit) {
  for (const Level* level : {&fit.policy, &fit.capacity, &fit.now}) {
    if (level->verdict == Verdict::fits) continue;
    return level->certificate ? level->certificate->text : level->note;
  }
  return {};
}

void place_with_others(FleetState& state, RemainingFleet& remaining, const Plans& others, Plan& plan) {
  const model::Fleet& fleet = *state.fleet();
  const model::Fleet& left = remaining.fleet();
  const model::Tenant* tenant = tenant_of(*plan.workload, *plan.site, *plan.plane, plan.queue);
  const Fit alone = plan.fit;
  std::vector<RolePlan> roles;
  for (const RolePlan& role : plan.roles) roles.push_back(on_copy(role, fleet, left));
  Fit fit = place_roles(remaining.state(), *plan.plane, plan.queue, tenant, *plan.workload, roles, remaining.devices());
  for (std::size_t r = 0; r < roles.size(); ++r) plan.roles[r] = on_copy(roles[r], left, fleet);
  fit.capacity = with_others(state, alone.capacity, std::move(fit.capacity), others, plan, Moment::empty);
  fit.now = with_others(state, alone.now, std::move(fit.now), others, plan, Moment::now);
  fit.policy = alone.policy;
  if (fit.capacity.verdict != Verdict::fits) fit.placements.clear();
  // Each plan with all those before it would need the square of their number.
  constexpr std::size_t named = 100;
  fit.placed_before_count = others.size();
  for (const Plan* other : std::span(others).first(std::min(named, others.size())))
    fit.placed_before.push_back(other->workload->id);
  plan.fit = std::move(fit);
  if (plan.fit.policy.verdict == Verdict::fits)
    if (auto over = shared_quota(others, plan)) plan.fit.policy = {Verdict::does_not_fit, std::move(over), {}};
  plan.fit.verdict = worse(worse(plan.fit.capacity.verdict, plan.fit.policy.verdict), plan.fit.now.verdict);
}

// Another option of `any-of` where the one that was taken alone finds no place: the first that does better beside the
// others.
void take_other_option(FleetState& state, RemainingFleet& remaining, const Plans& others, Plan& plan) {
  for (const Plan& option : plan.others) {
    Plan attempt = option;
    place_with_others(state, remaining, others, attempt);
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
  RemainingFleet remaining(*state.fleet());
  Plans holding;  // of those before this one
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (i > 0 && holds(*plans[i - 1], Moment::empty)) holding.push_back(plans[i - 1]);
    if (plans[i]->plane == nullptr || plans[i]->fit.placements.empty()) continue;
    Plans apart;
    if (waits.any())
      std::copy_if(holding.begin(), holding.end(), std::back_inserter(apart),
                   [&](const Plan* other) { return waits.meet(*plans[i], *other); });
    const Plans& others = waits.any() ? apart : holding;
    if (others.empty()) continue;
    remaining.hold(others);
    place_with_others(state, remaining, others, *plans[i]);
    if (plans[i]->fit.verdict != Verdict::fits) take_other_option(state, remaining, others, *plans[i]);
  }
  grow_all(remaining, plans, [&](const Plan& a, const Plan& b) { return waits.meet(a, b); });
}

}  // namespace muster::plan
