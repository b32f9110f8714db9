#include "plan/run/grow.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "plan/fleet/fleet_state.h"
#include "plan/place/place.h"
#include "plan/place/placed_nodes.h"
#include "plan/pools/node_needs.h"
#include "plan/quota/ceilings.h"
#include "plan/run/shared_quota.h"

namespace muster::plan {
namespace {

// The range of the only role, of its nodes or else of replicas that start together; nullopt: its size is fixed.
std::optional<Growth> range_of(const Plan& plan) {
  if (plan.placed.size() != 1 || plan.placed.front().pool == nullptr) return std::nullopt;
  const model::Role& role = *plan.placed.front().role;
  const bool of_nodes = is_range(role.resources.nodes);
  if (!of_nodes && (!is_range(role.replicas) || plan.placed.front().copies != role.copies())) return std::nullopt;
  const model::Count& count = of_nodes ? role.resources.nodes->value : role.replicas->value;
  const std::int64_t step = of_nodes && role.topology && role.topology->segment ? role.topology->segment->value : 1;
  return Growth{count.low, count.high, count.low, std::max<std::int64_t>(step, 1), of_nodes};
}

// The plan on the rest of the fleet at another size of its range.
Plan resized(RemainingFleet& remaining, const model::Fleet& fleet, const Plan& plan, const Growth& growth,
             std::int64_t size, const model::Tenant* tenant) {
  Plan out = plan;
  RolePlan role = on_copy(plan.placed.front(), fleet, remaining.fleet());
  restrict_to(role, role.choice());
  (growth.of_nodes ? role.nodes : role.copies) = size;
  out.fit = place(remaining.state(), *plan.plane, plan.queue, tenant, *plan.workload, role);
  number_devices(out.fit.placements, remaining.devices());
  out.placed.front() = on_copy(role, remaining.fleet(), fleet);
  return out;
}

bool fits(const Fit& fit, Moment moment) {
  const Level& level = moment == Moment::now ? fit.now : fit.capacity;
  return level.verdict == Verdict::fits && fit.capacity.verdict == Verdict::fits && fit.policy.verdict == Verdict::fits;
}

// The largest that fits; the plan as it is where nothing larger does.
Plan grown_plan(RemainingFleet& remaining, const model::Fleet& fleet, const Plan& plan, Growth& growth,
                const model::Tenant* tenant) {
  const Moment moment = holds(plan, Moment::now) ? Moment::now : Moment::empty;
  constexpr std::int64_t most = 1'000'000;  // more pods are not placed one by one
  Plan best = plan;
  std::int64_t low = 0, high = (std::min(growth.high, std::max(growth.low, most)) - growth.low) / growth.step;
  while (low < high) {
    const std::int64_t middle = high - (high - low) / 2;
    Plan attempt = resized(remaining, fleet, plan, growth, growth.low + middle * growth.step, tenant);
    if (!fits(attempt.fit, moment)) {
      high = middle - 1;
      continue;
    }
    low = middle;
    best = std::move(attempt);
  }
  growth.to = growth.low + low * growth.step;
  return best;
}

}  // namespace

void grow_all(RemainingFleet& remaining, const std::vector<Plan*>& plans,
              const std::function<bool(std::size_t, std::size_t)>& meet) {
  Plans held(plans.begin(), plans.end());
  std::deque<Plan> grown;  // their places stand
  for (std::size_t i = 0; i < plans.size(); ++i) {
    Plan& plan = *plans[i];
    std::optional<Growth> growth = range_of(plan);
    if (!growth || plan.plane == nullptr || !holds(plan, Moment::empty)) continue;
    Plans others;
    for (std::size_t j = 0; j < plans.size(); ++j)
      if (j != i && holds(*held[j], Moment::empty) && meet(i, j)) others.push_back(held[j]);
    remaining.hold(others);
    SharedQuota quota;
    std::optional<model::Tenant> left;
    if (plan.tenant != nullptr && is_bounded(*plan.tenant)) quota.hold(others), left = quota.left(plan);
    grown.push_back(grown_plan(remaining, *plan.fleet, plan, *growth, left ? &*left : plan.tenant));
    plan.fit.growth = growth;
    held[i] = &grown.back();
  }
}

}  // namespace muster::plan
