#include "plan/pools/node_needs.h"

#include <algorithm>

#include "plan/demand.h"
#include "scheduler/saturate.h"

namespace muster::plan {
namespace {

using model::Pool;
using model::Role;

// A role's part of the GPUs of a node; `part` 0: it has none.
struct GpuFraction {
  std::int64_t part = 0;
  std::int64_t whole = 1;
};

// How many of a GPU's seven compute slices a MIG profile takes: as the fleet says, else its name begins with it
// ("2g.20gb").
std::int64_t sevenths(const std::string& profile, const Pool& pool) {
  for (const model::SlicePlaces& places : pool.gpu->places)
    if (places.profile == profile) return places.compute;
  const bool known = profile.size() > 1 && profile[0] >= '1' && profile[0] <= '7' && profile[1] == 'g';
  return known ? profile[0] - '0' : 7;
}

GpuFraction gpu_fraction(const RolePlan& role, const Pool* pool) {
  if (pool == nullptr || !pool->gpu || pool->gpu->count == 0) return {};
  const model::Resources& r = role.role->resources;
  if (r.gpu_share) return {r.gpu_share->value, 100 * pool->gpu->count};
  if (r.gpu_slice) return {sevenths(r.gpu_slice->value, *pool), 7 * pool->gpu->count};
  return {role.gpus, pool->gpu->count};
}

// The share of `total`, rounded down. No overflow for any size.
std::int64_t share(std::int64_t total, GpuFraction of) {
  return total / of.whole * of.part + total % of.whole * of.part / of.whole;
}

// What the program of one role asks of a node of its pool.
void ask_of_node(RolePlan& plan, const Pool* pool) {
  const model::Resources& r = plan.role->resources;
  const GpuFraction gpus = gpu_fraction(plan, pool);

  plan.cpus.reset();
  plan.all_cpus = r.cpus ? r.cpus->value.all : plan.exclusive;
  // In what the role counts: cores, or CPUs of which a batch system gives those of whole cores.
  const std::int64_t threads = pool == nullptr || plan.family != model::PlaneFamily::batch ? 1 : pool->threads;
  const std::int64_t core = plan.counts_cores ? 1 : threads;
  const std::int64_t cores = pool != nullptr ? std::max<std::int64_t>(pool->usable_cpus(plan.family), 0) / threads : 0;
  const std::int64_t cpus = cores * core;
  if (r.cpus && r.cpus->value.is_range()) plan.cpus = r.cpus->value.high;
  else if (plan.all_cpus && cpus > 0) plan.cpus = cpus;
  else if (gpus.part > 0 && cpus > 0 && !plan.all_cpus && !model::is_left_to_site(r.cpus))
    plan.cpus = std::max(share(cores, gpus) * core, std::clamp<std::int64_t>(plan.processes, 1, cpus));

  plan.memory.reset();
  plan.all_memory = r.memory ? r.memory->value.all : plan.exclusive;
  const std::int64_t memory = pool != nullptr ? std::max<std::int64_t>(pool->usable_memory(plan.family).bytes, 0) : 0;
  constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
  if (plan.memory_a_cpu.bytes > 0 && pool != nullptr) plan.memory = plan.memory_of_cpus(*pool);
  else if (r.memory && r.memory->value.is_range()) plan.memory = r.memory->value.high;
  else if (plan.all_memory && memory > 0) plan.memory = Size{memory};
  else if (gpus.part > 0 && memory >= mebibyte && !plan.all_memory && !model::is_left_to_site(r.memory))
    plan.memory = Size{std::max<std::int64_t>(share(memory, gpus) / mebibyte, 1) * mebibyte};
}

// The smaller amounts of both, which are of the same role.
void take_smaller(RolePlan& role, const RolePlan& other) {
  if (role.cpus && other.cpus) role.cpus = std::min(*role.cpus, *other.cpus);
  if (role.memory && other.memory) role.memory = std::min(*role.memory, *other.memory);
  for (std::size_t i = 0; i < role.sharing.size(); ++i) take_smaller(role.sharing[i], other.sharing[i]);
  sum_up(role);
}

}  // namespace

void sum_up(RolePlan& plan) {
  if (plan.sharing.empty()) return;
  plan.cpus.reset(), plan.memory.reset(), plan.disk.reset();
  plan.all_cpus = plan.all_memory = false;
  for (const RolePlan& one : plan.sharing) {
    if (one.cpus) plan.cpus = plan.cpus.value_or(0) + *one.cpus;
    if (one.memory) plan.memory = Size{plan.memory.value_or(Size{}).bytes + one.memory->bytes};
    if (one.disk) plan.disk = Size{plan.disk.value_or(Size{}).bytes + one.disk->bytes};
  }
}

RolePlan shape_of(const Role& role, const model::Workload& workload) {
  const RoleDemand demand = demand_of(workload, role);
  RolePlan plan;
  plan.role = &role;
  plan.nodes = demand.nodes;
  plan.gpus = role.gpus();
  plan.processes = demand.processes;
  plan.copies = demand.together;
  plan.exclusive = role.resources.exclusive && role.resources.exclusive->value;
  if (role.resources.disk) plan.disk = role.resources.disk->value;
  const std::vector<const Role*> on_node = workload.on_nodes_of(role);
  if (role.with || on_node.size() < 2) return plan;
  const RolePlan alone = plan;
  for (const Role* one : on_node) {
    plan.sharing.push_back(one == &role ? alone : shape_of(*one, workload));
    plan.sharing.back().exclusive = false;  // said of the nodes, not of one of the roles on them
  }
  plan.gpus = demand.gpus;
  return plan;
}

bool has_whole_nodes(const RolePlan& role) {
  return role.exclusive || (role.queue != nullptr && role.queue->exclusive);
}

// Who has all CPUs or all memory of a node is alone there.
bool is_alone(const RolePlan& role) {
  return has_whole_nodes(role) || role.all_cpus || role.all_memory || role.takes_all_memory();
}

void set_plane(RolePlan& plan, const model::Plane& plane) {
  plan.cpu_a_task = plane.batch() != nullptr;
  const auto& smt = plan.role->resources.smt;
  plan.counts_cores = plane.batch() != nullptr && (smt ? !smt->value : !plane.batch()->smt);
  plan.family = plane.traits().family;
  for (RolePlan& one : plan.sharing) set_plane(one, plane);
}

void choose_pool(RolePlan& plan, const Pool* pool) {
  if (pool != nullptr && plan.pool == pool) return;  // of one that joins several the amounts are those of its parts
  plan.pool = pool;
  if (plan.sharing.empty()) return ask_of_node(plan, pool);
  for (RolePlan& one : plan.sharing) choose_pool(one, pool);
  sum_up(plan);
}

void restrict_to(RolePlan& role, const Pools& pools) {
  role.allowed = pools;
  role.choices = {pools};
}

RolePlan on_all(const RolePlan& role, const Pools& pools) {
  RolePlan out = role;
  choose_pool(out, pools.front());
  for (const Pool* pool : pools) {
    RolePlan here = role;
    choose_pool(here, pool);
    take_smaller(out, here);
  }
  return out;
}

void take_amounts(const RolePlan& placed, RolePlan& role) {
  choose_pool(role, placed.pool);
  role.cpus = placed.cpus, role.memory = placed.memory, role.spans_pools = placed.spans_pools;
  for (std::size_t i = 0; i < role.sharing.size(); ++i) take_amounts(placed.sharing[i], role.sharing[i]);
}

void take_pools(const std::vector<RolePlan>& placed, std::vector<RolePlan>& roles) {
  for (std::size_t r = 0; r < roles.size(); ++r) take_amounts(placed[r], roles[r]);
}

RolePlan with_tasks(RolePlan role, std::int64_t tasks, const model::Pool& pool) {
  role.cpus = scheduler::product(role.divided->cpus, tasks);
  if (role.divided->gpus > 0) role.gpus = scheduler::product(role.divided->gpus, tasks);
  if (role.memory_a_cpu.bytes > 0) role.memory = role.memory_of_cpus(pool);
  return role;
}

}  // namespace muster::plan
