#include "plan/plan.h"

#include <algorithm>

#include "compiler/model/runner.h"
#include "scheduler/saturate.h"

namespace muster::plan {

std::string_view name(FactSource source) {
  switch (source) {
    case FactSource::command_line: return "command-line";
    case FactSource::workload: return "workload";
    case FactSource::site: return "site";
    case FactSource::derived: return "derived";
    case FactSource::fallback: return "default";
  }
  return "derived";
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::fits: return "fits";
    case Verdict::does_not_fit: return "does-not-fit";
    case Verdict::unknown: return "unknown";
  }
  return "unknown";
}

const Fact* Facts::find(std::string_view wanted) const {
  for (const Fact& fact : items)
    if (fact.name == wanted) return &fact;
  return nullptr;
}

std::int64_t RolePlan::tasks() const {
  if (!sharing.empty()) return 1;  // the steps of its roles have tasks of their own
  const bool each = model::row_of(role->launch.runner.value).started_by == model::StartedBy::scheduler;
  return each ? std::max<std::int64_t>(1, processes) : 1;
}

std::int64_t RolePlan::counted_cpus(const model::Pool* on) const {
  std::int64_t asked = cpu_a_task && !all_cpus ? tasks() : 0;
  if (cpus) asked = *cpus;
  else if (!sharing.empty()) {
    asked = 0;
    for (const RolePlan& one : sharing) asked = scheduler::sum(asked, one.counted_cpus(nullptr));
  }
  if (on == nullptr || on->threads < 2 || family != model::PlaneFamily::batch) return asked;
  const std::int64_t cores = counts_cores ? asked : asked / on->threads + (asked % on->threads > 0);
  return scheduler::product(cores, on->threads);
}

Size RolePlan::memory_of(Size a_cpu, const model::Pool& on) const {
  const std::int64_t given = exclusive ? on.usable_cpus(family) : counted_cpus(&on);
  return Size{scheduler::product(a_cpu.bytes, counts_cores ? given / on.threads : given)};
}

Size RolePlan::memory_of_cpus(const model::Pool& on) const { return memory_of(memory_a_cpu, on); }

bool RolePlan::has_default_memory() const {
  const bool stated = memory || all_memory || memory_a_cpu.bytes > 0;
  return family == model::PlaneFamily::batch && queue != nullptr && sharing.empty() && !stated &&
         (queue->default_memory || queue->default_memory_cpu);
}

bool RolePlan::takes_all_memory() const {
  return has_default_memory() && queue->default_memory && queue->default_memory->value.all;
}

std::int64_t RolePlan::counted_memory() const {
  if (memory || pool == nullptr || !has_default_memory()) return memory.value_or(Size{}).bytes;
  if (takes_all_memory()) return pool->usable_memory(family).bytes;
  if (queue->default_memory) return queue->default_memory->value.high.bytes;
  return memory_of(queue->default_memory_cpu->value, *pool).bytes;
}

bool RolePlan::may_share_nodes() const {
  const bool several = (shares_nodes && copies > 1) || (nodes_are_pods && nodes > 1);
  if (!several || apart || exclusive || all_cpus || all_memory) return false;
  return pool == nullptr || !pool->gpu || 2 * gpus <= pool->gpu->count;
}

}  // namespace muster::plan
