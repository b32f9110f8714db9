#include "plan/run/remaining_fleet.h"

#include <algorithm>
#include <utility>

#include "plan/pools/node_needs.h"

namespace muster::plan {
namespace {

// What a pod of the role takes of a node of the pool.
model::InUse use_of(const RolePlan& role, const model::Pool& pool, const Plan& plan) {
  model::InUse use;
  use.name = plan.workload->name;
  use.when = holds(plan, Moment::now) ? model::InUse::When::always : model::InUse::When::empty;
  if (is_alone(role)) return use;
  if (pool.gpu && pool.gpu->count > 0) use.gpus = role.gpus;
  use.cpus = role.counted_cpus(&pool);
  use.memory = Size{role.counted_memory()};
  return use;
}

// The same of one pod that has a part of a GPU.
model::InUse part_of(model::InUse use, const PlacedNode& node) {
  use.nodes = {node.index};
  use.parts = {{node.gpus.front(), node.part->slices, node.part->compute, node.part->percent}};
  return use;
}

// The same of a node that has some of its tasks.
model::InUse of_tasks(const RolePlan& role, const model::Pool& pool, const Plan& plan, const PlacedNode& node) {
  model::InUse use = use_of(with_tasks(role, node.tasks, pool), pool, plan);
  use.nodes = {node.index};
  return use;
}

}  // namespace

bool begins_with(const Plans& plans, const Plans& held) {
  return held.size() <= plans.size() && std::equal(held.begin(), held.end(), plans.begin());
}

bool holds(const Plan& plan, Moment moment) {
  const bool may = !plan.fit.placements.empty() && plan.fit.policy.verdict != Verdict::does_not_fit;
  return may && (moment == Moment::empty || plan.fit.now.verdict == Verdict::fits);
}

RemainingFleet::Rest& RemainingFleet::rest() {
  if (!rest_) rest_ = std::unique_ptr<Rest>(new Rest{fleet_});
  return *rest_;
}

void RemainingFleet::hold(const Plans& plans) {
  if (!begins_with(plans, held_)) give_all_back();
  for (std::size_t i = held_.size(); i < plans.size(); ++i) take_off(*plans[i]), held_.push_back(plans[i]);
}

void RemainingFleet::give_all_back() {
  Rest& left = rest();
  for (std::size_t p = 0; p < left.fleet.pools.size(); ++p) left.fleet.pools[p].in_use = fleet_.pools[p].in_use;
  left.state.forget();
  devices_ = {};
  held_.clear();
}

void RemainingFleet::take_off(const Plan& plan) {
  for (const RolePlan& role : plan.placed)
    for (model::Pool& pool : rest().fleet.pools) {
      model::InUse use = use_of(role, pool, plan);
      for (const PlacedNode& node : plan.fit.placements) {
        if (node.role != role.role->name || node.pool != pool.name) continue;
        if (node.part) pool.in_use.push_back(part_of(use, node));
        else if (node.tasks > 0) pool.in_use.push_back(of_tasks(role, pool, plan, node));
        else use.nodes.push_back(node.index);
      }
      if (!use.nodes.empty()) pool.in_use.push_back(std::move(use));
    }
  for (const PlacedNode& node : plan.fit.placements) devices_.add(node);
}

}  // namespace muster::plan
