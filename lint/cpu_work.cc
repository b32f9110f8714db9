#include "lint/cpu_work.h"

#include <algorithm>
#include <vector>

#include "compiler/base/text.h"
#include "plan/pools/pool_check.h"

namespace muster::lint {
namespace {

// Amounts of fleets and workloads have limits, so that their products are exact.
std::int64_t gpus_without_cpus(const plan::RolePlan& role) {
  const model::Pool& pool = *role.pool;
  const std::int64_t all = std::min(pool.node_count, role.total()) * pool.gpu->count;
  if (role.exclusive || role.all_cpus || role.all_memory) return all;
  const std::int64_t cpus = role.counted_cpus(), usable = pool.usable_cpus(role.family);
  if (cpus <= 0 || usable <= 0 || pool.gpu->count <= 0) return 0;
  const std::int64_t share = std::max<std::int64_t>(1, usable / pool.gpu->count);
  const std::int64_t copies = std::min(role.total(), all + 1);
  return std::min(all, copies * std::min(cpus, usable) / share);
}

// Pools of the plane without GPUs, each with a queue that names it, if one does.
std::string pools_without_gpus(const plan::Plan& plan) {
  std::vector<std::string> out;
  for (const model::Pool& pool : plan.fleet->pools) {
    if (pool.gpu || !plan.plane->owns(pool.name)) continue;
    const auto names = [&](const model::Queue& queue) {
      return std::any_of(queue.pools.begin(), queue.pools.end(), [&](const auto& p) { return p.value == pool.name; });
    };
    const auto queue = std::find_if(plan.site->queues.begin(), plan.site->queues.end(), names);
    out.push_back("pool `" + pool.name + "`" +
                  (queue == plan.site->queues.end() ? "" : " in queue `" + queue->name + "`"));
  }
  return muster::listed(out, "and");
}

}  // namespace

std::optional<CpuWork> cpu_work_on_gpus(const plan::Plan& plan) {
  if (plan.fleet == nullptr || plan.plane == nullptr || plan.site == nullptr) return std::nullopt;
  for (const plan::RolePlan& role : plan.roles) {
    if (role.pool == nullptr || !plan::leaves_gpus_idle(role, *role.pool)) continue;
    const std::int64_t gpus = gpus_without_cpus(role);
    if (gpus > 0)
      return CpuWork{&role,
                     "takes the CPUs of " + counted(gpus, "GPU") + " of pool `" + role.pool->name + "`, but uses none",
                     pools_without_gpus(plan)};
  }
  return std::nullopt;
}

}  // namespace muster::lint
