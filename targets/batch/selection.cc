#include "targets/batch/selection.h"

#include <algorithm>

namespace muster::targets::batch {
namespace {

bool any_term(const model::Predicate& predicate, const std::function<bool(const model::Term&)>& test) {
  if (predicate.kind == model::Predicate::Kind::term) return test(predicate.term);
  return std::any_of(predicate.operands.begin(), predicate.operands.end(),
                     [&](const auto& p) { return any_term(p, test); });
}

template <class Of>
std::optional<std::int64_t> least(const plan::RolePlan& shape, const Of& of) {
  std::optional<std::int64_t> out;
  for (const model::Pool* pool : shape.choice()) out = out ? std::min(*out, of(*pool)) : of(*pool);
  return out;
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

bool has_one_model(const Job& job, const std::string& model) {
  if (job.plan.fleet == nullptr) return false;
  const auto pools = reachable_pools(job);
  return std::all_of(pools.begin(), pools.end(),
                     [&](const model::Pool* pool) { return !pool->gpu || pool->gpu->model == model; });
}

std::optional<std::int64_t> cpus_of(const plan::RolePlan& shape) {
  if (shape.cpus || !shape.all_cpus) return shape.cpus;
  return least(shape, [&](const model::Pool& pool) { return pool.usable_cpus(shape.family); });
}

std::optional<std::int64_t> bytes_of(const plan::RolePlan& shape) {
  if (!shape.all_memory) return shape.memory ? std::optional(shape.memory->bytes) : std::nullopt;
  return least(shape, [&](const model::Pool& pool) { return pool.usable_memory(shape.family).bytes; });
}

bool is_whole(const Job& job) { return job.plan.roles.size() == 1 && job.plan.roles.front().copies == 1; }

bool is_domain(model::Within within) {
  return within == model::Within::leaf || within == model::Within::block || within == model::Within::nvlink_domain;
}

}  // namespace muster::targets::batch
