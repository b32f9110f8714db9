#include "plan/fit/otherwise.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plan/fleet/joined.h"
#include "plan/place/gang.h"
#include "plan/place/place_roles.h"
#include "scheduler/one_by_one.h"
#include "scheduler/saturate.h"

namespace muster::plan {
namespace {

using model::GangProvider;

scheduler::Batch batch_of(const RolePlan& role) {
  scheduler::Batch batch{gang_of(role), most_on_a_node(role)};
  if (role.role->resources.part_of_gpu()) batch.pod.gpus = 0;  // a resource of its own
  return batch;
}

std::vector<scheduler::Inventory::Kind> nodes_of(FleetState& fleet, RolePlan role, const Pools& pools, Moment moment) {
  std::vector<scheduler::Inventory::Kind> nodes;
  for (const model::Pool* pool : pools) {
    role.pool = pool;
    const auto kinds = fleet.of(role, moment).stock.kinds();
    nodes.insert(nodes.end(), kinds.begin(), kinds.end());
  }
  return nodes;
}

// Amounts of pods, or free on nodes.
struct Sum {
  std::int64_t gpus = 0, cpus = 0, memory = 0;

  void add(std::int64_t count, std::int64_t more_gpus, std::int64_t more_cpus, std::int64_t more_memory) {
    gpus = scheduler::sum(gpus, scheduler::product(count, more_gpus));
    cpus = scheduler::sum(cpus, scheduler::product(count, more_cpus));
    memory = scheduler::sum(memory, scheduler::product(count, more_memory));
  }
};

// Whether the nodes have in sum what all pods ask for, as a queue counts it, and a node for one of them.
bool is_admitted(FleetState& fleet, const std::vector<RolePlan>& placed, const std::vector<Pools>& pools,
                 Moment moment) {
  Sum asked, free;
  std::set<const model::Pool*> counted;
  bool starts = false;
  for (std::size_t r = 0; r < placed.size(); ++r) {
    const scheduler::Batch batch = batch_of(placed[r]);
    asked.add(batch.pod.nodes, batch.pod.gpus, batch.pod.cpus, batch.pod.memory);
    for (const model::Pool* pool : pools[r]) {
      const bool first = counted.insert(pool).second;
      for (const auto& [node, nodes] : nodes_of(fleet, placed[r], {pool}, moment)) {
        if (first) free.add(nodes, node.gpus, node.cpus, node.memory);
        starts |= nodes > 0 && scheduler::room(node, batch) > 0;
      }
    }
  }
  return starts && asked.gpus <= free.gpus && asked.cpus <= free.cpus && asked.memory <= free.memory;
}

// The first role of which a pod may find no node, since pods of others are where it had room; nullptr: none.
const RolePlan* hindered(FleetState& fleet, const std::vector<RolePlan>& placed, const std::vector<Pools>& pools,
                         Moment moment) {
  for (std::size_t r = 0; r < placed.size(); ++r) {
    std::vector<scheduler::Batch> others;
    for (std::size_t o = 0; o < placed.size(); ++o)
      if (o != r && meet(pools[o], pools[r])) others.push_back(batch_of(placed[o]));
    if (others.empty()) continue;
    const auto nodes = nodes_of(fleet, placed[r], pools[r], moment);
    if (!scheduler::any_order_works(nodes, batch_of(placed[r]), others)) return &placed[r];
  }
  return nullptr;
}

// A queue that looks at no node, and a gang for which these have no room.
void note_admission(FleetState& fleet, const model::Plane& plane, const std::vector<RolePlan>& placed,
                    const std::vector<Pools>& pools, Fit& fit) {
  std::int64_t pods = 0;
  for (const RolePlan& role : placed) pods = scheduler::sum(pods, role.total());
  if (plane.pods()->gang != GangProvider::kueue || fit.policy.verdict != Verdict::fits || pods < 2) return;
  for (const Moment moment : {Moment::empty, Moment::now})
    if ((moment == Moment::empty ? fit.capacity : fit.now).verdict == Verdict::does_not_fit &&
        is_admitted(fleet, placed, pools, moment))
      fit.otherwise = "Kueue on plane " + plane.name +
                      " has no topology and admits by quota alone: pods that find a node start without the others";
}

// Who places the pods, and what becomes of a gang of which one finds no node.
std::pair<std::string, std::string> placing(const model::PodPlane& pods) {
  const GangProvider provider = pods.gang;
  if (has_topology(pods)) return {"Kueue", "the gang waits"};
  if (provider == GangProvider::kueue || provider == GangProvider::none)
    return {"kube-scheduler", "the others start without it"};
  const bool own = provider == GangProvider::kube_scheduler || provider == GangProvider::coscheduling;
  return {own ? "kube-scheduler" : std::string(name(provider)), "the gang waits"};
}

// Roles of unlike pods that share nodes. A queue with a topology finds nodes for one role after the other too.
void note_one_by_one(FleetState& fleet, const model::Plane& plane, const std::vector<RolePlan>& placed,
                     const std::vector<Pools>& pools, Fit& fit) {
  if (placed.size() < 2) return;
  for (const Moment moment : {Moment::empty, Moment::now}) {
    if ((moment == Moment::empty ? fit.capacity : fit.now).verdict != Verdict::fits) continue;
    const RolePlan* role = hindered(fleet, placed, pools, moment);
    if (role == nullptr) continue;
    const auto [who, then] = placing(*plane.pods());
    fit.otherwise = who + " places pods one by one on plane " + plane.name +
                    ": they may be spread so that one of role " + role->role->name + " finds no node, and " + then;
  }
}

// Flavors on which the roles are not where they were placed, and have no room.
void note_flavor(FleetState& fleet, const FlavorQuestion& question, const FirstFlavors& chosen, Fit& fit) {
  const auto fits = [](const Level* level) { return level->verdict == Verdict::fits; };
  const Level* levels[] = {&fit.capacity, &fit.policy, &fit.now};
  if (chosen.other.empty() || !std::all_of(std::begin(levels), std::end(levels), fits)) return;
  const bool topology = has_topology(*question.plane.pods());
  if (!chosen.closed) {
    std::vector<RolePlan> roles = chosen.roles;
    const Fit found = place_roles(fleet, question.plane, question.queue, nullptr, question.workload, roles);
    if (found.verdict == Verdict::fits) return;
  }
  const std::string where = "Kueue on plane " + question.plane.name;
  fit.otherwise = topology
                      ? where + " chooses the flavor by quota: it may choose that of pool " + chosen.pool +
                            " for role " + chosen.other + ", where it finds no room for all pods, and the gang waits"
                      : where + " has no topology and admits by quota alone: it may choose a flavor of pool " +
                            chosen.pool + " for role " + chosen.other + ", whose pods have no room there";
}

}  // namespace

void note_otherwise(FleetState& fleet, const FlavorQuestion& question, const std::vector<RolePlan>& placed, Fit& fit) {
  const model::PodPlane* pods = question.plane.pods();
  const auto nowhere = [](const RolePlan& role) { return role.pool == nullptr; };
  if (pods == nullptr || std::any_of(placed.begin(), placed.end(), nowhere)) return;
  const FirstFlavors chosen = first_flavors(question, placed);
  std::vector<Pools> pools;
  for (const RolePlan& role : chosen.roles) pools.push_back(role.choices.front());
  note_flavor(fleet, question, chosen, fit);
  if (!fit.otherwise.empty()) return;
  if (!has_topology(*pods)) note_admission(fleet, question.plane, chosen.roles, pools, fit);
  if (fit.otherwise.empty()) note_one_by_one(fleet, question.plane, chosen.roles, pools, fit);
}

}  // namespace muster::plan
