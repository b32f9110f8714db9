#include "plan/pools/pool_check.h"

#include <algorithm>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/text.h"
#include "plan/pools/gpu_compute.h"

namespace muster::plan {
namespace {

using model::Pool;
using model::Role;
using model::Truth;

using PoolFacts = std::vector<std::pair<std::string_view, model::FactValue>>;

const model::FactValue* find(const PoolFacts& facts, std::string_view name) {
  for (const auto& [fact, value] : facts)
    if (fact == name) return &value;
  return nullptr;
}

Truth evaluate_on(const model::Predicate& predicate, const PoolFacts& facts) {
  return model::evaluate(predicate, [&](std::string_view name) { return find(facts, name); });
}

std::string pool_name(const Pool& pool) { return "pool " + pool.name; }

Span part_span(const model::Resources& r) { return r.gpu_share ? r.gpu_share->span : r.gpu_slice->span; }

PoolCheck check_gpu(const model::Resources& r, const Pool& pool) {
  const std::int64_t gpus = r.gpus ? r.gpus->value : 0;
  const Span of_gpus = r.gpus ? r.gpus->span : r.gpu ? r.gpu->span : r.gpu_memory ? r.gpu_memory->span : Span{};
  if (gpus > 0 || r.gpu || r.gpu_memory) {
    if (!pool.gpu || pool.gpu->count == 0) {
      const std::string need =
          gpus > 0 ? counted(gpus, "GPU") + " per node " + (gpus == 1 ? "is" : "are") + " needed" : "GPUs are needed";
      return {Truth::no, pool_name(pool) + " has no GPUs; " + need, of_gpus};
    }
  }
  if (r.part_of_gpu() && (!pool.gpu || pool.gpu->count == 0))
    return {Truth::no, pool_name(pool) + " has no GPUs; a part of one is needed", part_span(r)};
  if (r.gpu_slice) {
    const auto& slices = pool.gpu->slices;
    if (std::find(slices.begin(), slices.end(), r.gpu_slice->value) == slices.end())
      return {Truth::no, pool_name(pool) + " has no GPUs partitioned into " + r.gpu_slice->value, r.gpu_slice->span};
  }
  if (r.gpu) {
    const auto& models = r.gpu->value;
    const auto same = [&](const std::string& m) { return equal_ignoring_case(m, pool.gpu->model); };
    if (!models.empty() && std::none_of(models.begin(), models.end(), same))
      return {Truth::no, pool_name(pool) + " has " + pool.gpu->model + " GPUs; " + listed(models, "or") + " is needed",
              r.gpu->span};
  }
  if (gpus > 0 && gpus > pool.gpu->count)
    return {Truth::no,
            pool_name(pool) + " has " + counted(pool.gpu->count, "GPU") + " per node; " + std::to_string(gpus) +
                (gpus == 1 ? " is" : " are") + " needed",
            r.gpus->span};
  if (r.gpu_memory && pool.gpu->memory.bytes == 0)
    return {
        Truth::unknown,
        pool_name(pool) + " does not declare the memory of its GPUs; " + to_string(r.gpu_memory->value) + " are needed",
        r.gpu_memory->span};
  if (r.gpu_memory && pool.gpu->memory < r.gpu_memory->value)
    return {Truth::no,
            pool_name(pool) + " has " + in_unit_of(pool.gpu->memory, r.gpu_memory->value) + " per GPU; " +
                to_string(r.gpu_memory->value) + " are needed",
            r.gpu_memory->span};
  return {};
}

PoolCheck check_nodes(const NodeNames& nodes, const Pool& pool) {
  if (!nodes.asked()) return {};
  if (nodes.only && nodes.only->empty())
    return {Truth::no, pool_name(pool) + ": the conditions on node.name leave no node", nodes.only_span};
  if (pool.node_names.empty())
    return {Truth::unknown,
            pool_name(pool) + " declares a number of nodes but no names, so node.name cannot be checked", nodes.span};
  if (takes_any(nodes, pool.node_names)) return {};
  if (!nodes.only) return {Truth::no, pool_name(pool) + ": every node is excluded by name", nodes.span};
  return {Truth::no, pool_name(pool) + " has none of the nodes " + compress_hosts(*nodes.only), nodes.only_span};
}

// "gpu.memory is 40GB, gpu.model is a100"; or the facts that are not declared.
std::string values_read(const model::Predicate& predicate, const PoolFacts& facts, bool known) {
  std::string out;
  for (std::string_view fact : facts_read(predicate)) {
    const model::FactValue* value = find(facts, fact);
    if ((value != nullptr) != known) continue;
    out += (out.empty() ? "" : ", ") + std::string(fact);
    if (known) out += " is " + describe(fact, *value, predicate);
  }
  return out;
}

PoolCheck check_condition(const model::Predicate& predicate, const Pool& pool, const PoolFacts& facts) {
  const Truth truth = evaluate_on(predicate, facts);
  if (truth == Truth::yes) return {};
  const Span span = predicate.span.known() ? predicate.span : predicate.term.span;
  const std::string condition = "`" + describe(predicate) + "`";
  if (truth == Truth::unknown)
    return {truth,
            pool_name(pool) + " does not declare " + values_read(predicate, facts, false) + ", which " + condition +
                " uses",
            span};
  return {truth, pool_name(pool) + " does not meet " + condition + ": " + values_read(predicate, facts, true), span};
}

PoolCheck check_pool_of(const Role& role, const Conditions& conditions, const Pool& pool) {
  PoolCheck result = check_gpu(role.resources, pool);
  merge(result, check_nodes(conditions.nodes, pool));
  const PoolFacts facts = pool_facts(pool);
  for (const model::Predicate& predicate : conditions.of_pool) merge(result, check_condition(predicate, pool, facts));
  return result;
}

}  // namespace

void merge(PoolCheck& result, PoolCheck check) {
  if (check.meets == Truth::yes || result.meets == Truth::no) return;
  if (result.meets == Truth::yes || check.meets == Truth::no) result = std::move(check);
}

PoolCheck check_pool(const Role& role, const Pool& pool) { return check_pool_of(role, take_apart(role), pool); }

PoolCheck check_pool(const RolePlan& plan, const Conditions& conditions, const Pool& pool) {
  PoolCheck result = check_pool_of(*plan.role, conditions, pool);
  if (plan.sharing.empty()) return result;
  for (const RolePlan& one : plan.sharing) merge(result, check_gpu(one.role->resources, pool));
  const std::int64_t have = pool.gpu ? pool.gpu->count : 0;
  if (plan.gpus > have)
    merge(result, {Truth::no,
                   pool_name(pool) + " has " + counted(have, "GPU") + " per node; the roles that share a node need " +
                       std::to_string(plan.gpus),
                   plan.sharing.back().role->with->span});
  return result;
}

PoolFacts pool_facts(const Pool& pool) {
  PoolFacts facts;
  const auto text = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) facts.emplace_back(name, value);
  };
  const auto amount = [&](std::string_view name, std::int64_t value) {
    if (value > 0) facts.emplace_back(name, value);
  };
  if (pool.gpu && pool.gpu->count > 0) {
    text("gpu.model", lower(pool.gpu->model));
    amount("gpu.memory", pool.gpu->memory.bytes);
    text("gpu.vendor", pool.gpu->vendor);
    text("gpu.link", pool.gpu->link);
    amount("gpu.compute", compute_capability(*pool.gpu));
  } else {
    for (std::string_view name : {"gpu.model", "gpu.vendor", "gpu.link"}) text(name, "none");
    for (std::string_view name : {"gpu.memory", "gpu.compute"}) facts.emplace_back(name, std::int64_t{0});
  }
  amount("node.cpus", pool.cores());
  amount("node.memory", pool.memory.bytes);
  amount("node.disk", pool.disk.bytes);
  text("cpu.arch", pool.arch);
  text("network.fabric", pool.fabric);
  amount("network.bandwidth", pool.bandwidth.bits_per_second);
  text("pool.zone", pool.zone);
  facts.emplace_back("pool.preemptible", pool.preemptible);
  return facts;
}

bool reaches(const model::Queue* queue, const Pool& pool) {
  if (queue == nullptr || queue->pools.empty()) return true;
  return std::any_of(queue->pools.begin(), queue->pools.end(), [&](const auto& p) { return p.value == pool.name; });
}

std::int64_t prefer_weight(const Role& role, const Pool& pool) {
  const PoolFacts facts = pool_facts(pool);
  std::int64_t sum = 0;
  for (const model::Preference& prefer : role.prefers)
    if (evaluate_on(with_lower_models(prefer.predicate), facts) == Truth::yes) sum += prefer.weight;
  return sum;
}

bool leaves_gpus_idle(const RolePlan& role, const model::Pool& pool) {
  const auto has_none = [](const RolePlan& program) {
    return program.role->gpus() == 0 && !program.role->resources.part_of_gpu();
  };
  const auto programs = role.programs();
  return pool.gpu && std::all_of(programs.begin(), programs.end(), has_none);
}

bool is_preferred(const RolePlan& role, const model::Pool& a, const model::Pool& b) {
  const std::int64_t of_a = prefer_weight(*role.role, a), of_b = prefer_weight(*role.role, b);
  return of_a != of_b ? of_a > of_b : leaves_gpus_idle(role, b) && !leaves_gpus_idle(role, a);
}

}  // namespace muster::plan
