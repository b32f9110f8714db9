#include "targets/batch/selection.h"

#include <algorithm>

namespace muster::targets::batch {
namespace {

bool any_term(const model::Predicate& predicate, const std::function<bool(const model::Term&)>& test) {
  if (predicate.kind == model::Predicate::Kind::term) return test(predicate.term);
  return std::any_of(predicate.operands.begin(), predicate.operands.end(),
                     [&](const auto& p) { return any_term(p, test); });
}

// Roles on the same nodes have one word for their GPUs, by what the first of them says.
const model::Role& first_on_nodes(const Job& job, const model::Role& role) {
  for (const model::Role& other : job.workload.roles)
    if (role.with && other.name == role.with->value) return other;
  return role;
}

}  // namespace

bool requires_any(const model::Role& role, const std::function<bool(const model::Term&)>& test) {
  return std::any_of(role.requires_.begin(), role.requires_.end(), [&](const auto& p) { return any_term(p, test); });
}

std::vector<const model::Pool*> reachable_pools(const Job& job) {
  std::vector<const model::Pool*> pools;
  if (job.plan.fleet == nullptr) return pools;
  const model::Queue* queue = job.plan.queue;
  for (const model::Pool& pool : job.plan.fleet->pools) {
    const bool queued =
        queue == nullptr || queue->pools.empty() ||
        std::any_of(queue->pools.begin(), queue->pools.end(), [&](const auto& p) { return p.value == pool.name; });
    if (queued && job.plane.owns(pool.name)) pools.push_back(&pool);
  }
  return pools;
}

bool names_gpu(const Job& job, const model::Role& asking) {
  const model::Role& role = first_on_nodes(job, asking);
  const auto of_gpu = [](const model::Term& term) { return term.fact.starts_with("gpu."); };
  if (role.resources.gpu || role.resources.gpu_memory || requires_any(role, of_gpu)) return true;
  return (job.plan.fleet ? reachable_pools(job).size() : job.plane.pools.size()) > 1;
}

}  // namespace muster::targets::batch
