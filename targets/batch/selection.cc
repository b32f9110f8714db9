#include "targets/batch/selection.h"

#include <algorithm>

#include "compiler/base/text.h"

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

bool has_one_model(const Job& job, const std::string& model) {
  if (job.plan.fleet == nullptr) return false;
  const auto pools = reachable_pools(job);
  return std::all_of(pools.begin(), pools.end(),
                     [&](const model::Pool* pool) { return !pool->gpu || pool->gpu->model == model; });
}

void report_choice(Job& job, const std::string& stated) {
  const auto not_a_node = [](const model::Term& term) { return term.fact != "node.name"; };
  const bool by_memory = job.role.resources.gpu_memory.has_value();
  if (job.shape.pool == nullptr && (by_memory || requires_any(job.role, not_a_node)))
    job.refuse(by_memory ? Field::resources_gpu_memory : Field::require,
               "without a fleet it is not known which nodes meet this", "add `fleet = NAME` to the site");
  for (const Field field : {Field::require, Field::resources_gpu_memory}) {
    if (!stated.empty()) job.exact(field, stated);
    else job.read(field, "the choice of the pool; no other is available");
  }
  const std::string pool = "pool " + (job.shape.pool ? job.shape.pool->name : std::string("of the queue"));
  const std::string& as = stated.empty() ? pool : stated;
  if (job.shape.pool == nullptr) job.approximated(Field::prefer, as, "without a fleet the scheduler chooses");
  else if (job.shape.allowed.size() > 1 && stated.empty())
    job.approximated(
        Field::prefer, as,
        "the scheduler can use any of " + counted(static_cast<long long>(job.shape.allowed.size()), "pool"));
  else job.read(Field::prefer, "the choice of " + as);
}

bool is_whole(const Job& job) { return job.plan.roles.size() == 1 && job.plan.roles.front().copies == 1; }

bool is_domain(model::Within within) {
  return within == model::Within::leaf || within == model::Within::block || within == model::Within::nvlink_domain;
}

}  // namespace muster::targets::batch
