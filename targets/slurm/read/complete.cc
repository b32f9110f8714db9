// What follows from the options of a component together.
#include <algorithm>
#include <array>
#include <set>

#include "compiler/base/text.h"
#include "targets/slurm/option_table.h"
#include "targets/slurm/read/component.h"

namespace muster::targets::slurm {
namespace {

template <class T>
void derive(Known<T>& field, T value) {
  field.state = Known<T>::State::known, field.value = std::move(value), field.by = no_directive;
}

std::int64_t sum(const std::vector<GpuCount>& gpus) {
  std::int64_t total = 0;
  for (const GpuCount& g : gpus) total += std::min<std::int64_t>(g.count, 1'000'000'000);
  return total;
}

bool fixed(const Known<Range>& nodes) { return nodes && nodes->min == nodes->max && nodes->min > 0; }

// --nodelist without --nodes asks for just those.
void nodes_of_list(Component& c) {
  if (c.nodes.given() || !c.nodelist || c.nodelist->empty()) return;
  const auto names = expand_hosts(*c.nodelist);
  if (!names) return;
  const auto count = static_cast<std::int64_t>(std::set<std::string>(names->begin(), names->end()).size());
  derive(c.nodes, Range{count, count});
}

// As sbatch and the controller settle nodes and tasks (seen on 22.05).
void nodes_and_tasks(Component& c) {
  const bool tasks_given = c.tasks.given(), nodes_given = c.nodes.given();
  if (c.nodes && c.tasks) {
    Range& nodes = c.nodes.value;
    if (*c.tasks < nodes.max) nodes.max = *c.tasks;
    if (*c.tasks < nodes.min) nodes.min = nodes.max = *c.tasks;
  }
  if (!nodes_given && c.tasks && c.tasks_per_node) {
    const std::int64_t count = (*c.tasks + *c.tasks_per_node - 1) / *c.tasks_per_node;
    derive(c.nodes, Range{count, count});
  } else if (!nodes_given && (!tasks_given || (c.tasks && *c.tasks == 1))) {  // one task is never on two nodes
    derive(c.nodes, Range{1, 1});
  }
  if (nodes_given && c.nodes && c.tasks && c.tasks_per_node) {
    const std::int64_t least = (*c.tasks + *c.tasks_per_node - 1) / *c.tasks_per_node;
    c.nodes.value.min = std::max(c.nodes->min, std::min(least, c.nodes->max));
  }
  if (tasks_given || c.sets_layout || c.tasks_per_gpu.given()) return;
  if (!fixed(c.nodes)) {
    if (c.nodes.given() && c.nodes && !c.tasks_per_node.given()) derive(c.tasks, c.nodes->min);
    return;
  }
  if (c.tasks_per_node && *c.tasks_per_node < 1'000'000) derive(c.tasks, c.nodes->min * *c.tasks_per_node);
  else if (!c.tasks_per_node.given()) derive(c.tasks, c.nodes->min);
}

void gpus_from_total(Component& c) {
  const std::int64_t total = sum(*c.gpus_total);
  c.gpus_in_all = known(total);
  if (!fixed(c.nodes)) c.gpus_a_node = unknown("--gpus is a total that Slurm distributes over the nodes");
  else if (total % c.nodes->min == 0) c.gpus_a_node = known(total / c.nodes->min);
  else
    c.gpus_a_node = unknown("--gpus is a total of " + std::to_string(total) + ", which " +
                            counted(c.nodes->min, "node") + " cannot share evenly");
  // Even where it divides, Slurm may spread a total as it likes.
}

void gpus_from_tasks(Component& c) {
  const std::int64_t each = sum(*c.gpus_per_task);
  if (c.tasks && *c.tasks < 1'000'000'000 && each < 1'000'000) c.gpus_in_all = known(each * *c.tasks);
  else c.gpus_in_all = unknown("the number of tasks is not given");
  if (c.tasks_per_node && *c.tasks_per_node < 1'000'000 && each < 1'000'000)
    c.gpus_a_node = known(each * *c.tasks_per_node);
  else if (c.gpus_in_all.value && fixed(c.nodes) && *c.gpus_in_all.value % c.nodes->min == 0)
    c.gpus_a_node = known(*c.gpus_in_all.value / c.nodes->min);
  else c.gpus_a_node = unknown("the number of tasks per node is not given");
}

// Of --gpus-per-node and --gres for one type, Slurm takes the number of --gres.
void gpus_of_gres(Component& c) {
  if (!c.gpus_in_gres.given()) return;
  if (!c.gpus_per_node) return void(c.gpus_per_node = c.gpus_in_gres);
  for (const GpuCount& g : *c.gpus_in_gres) {
    auto& list = c.gpus_per_node.value;
    const auto same = std::find_if(list.begin(), list.end(), [&](const GpuCount& have) { return have.type == g.type; });
    if (same != list.end()) same->count = g.count;
    else list.push_back(g);
  }
}

void gpus(Component& c) {
  const auto invalid = [](const auto& field) { return field.given() && !field; };
  std::set<std::string> types;
  for (const auto* field : {&c.gpus_total, &c.gpus_per_node, &c.gpus_per_task, &c.gpus_per_socket})
    for (const GpuCount& g : field->value) types.insert(g.type);
  if (types.size() == 1) c.gpu_type = *types.begin();
  if (c.gpus_per_node) {
    c.gpus_a_node = known(sum(*c.gpus_per_node));
    if (fixed(c.nodes)) c.gpus_in_all = known(*c.gpus_a_node.value * c.nodes->min);
    else c.gpus_in_all = unknown("the number of nodes is not fixed");
  } else if (c.gpus_per_task) {
    gpus_from_tasks(c);
  } else if (c.gpus_total) {
    gpus_from_total(c);
  } else if (c.gpus_per_socket.given()) {
    c.gpus_a_node = c.gpus_in_all = unknown("GPUs are requested per socket");
  } else if (invalid(c.gpus_per_node) || invalid(c.gpus_per_task) || invalid(c.gpus_total)) {
    c.gpus_a_node = c.gpus_in_all = unknown("the value of the GPU option is not known");
  } else {
    c.gpus_a_node = c.gpus_in_all = known(0);
  }
}

// --ntasks-per-gpu with GPUs says the tasks; the node count follows from the GPUs.
void tasks_from_gpus(Component& c) {
  if (!c.tasks_per_gpu || !c.gpus_in_all.value || *c.gpus_in_all.value == 0 || c.tasks.given()) return;
  if (*c.tasks_per_gpu < 1'000'000 && *c.gpus_in_all.value < 1'000'000'000)
    derive(c.tasks, *c.tasks_per_gpu * *c.gpus_in_all.value);
}

}  // namespace

void complete(Component& component) {
  nodes_of_list(component);
  nodes_and_tasks(component);
  gpus_of_gres(component);
  gpus(component);
  tasks_from_gpus(component);
}

namespace {

struct Exclusion {
  std::string_view first, second;
  ConflictKind kind;
  model::Version since;  // 0.0: every Slurm refuses them
  std::string_view message;
};

constexpr std::array exclusions = std::to_array<Exclusion>({
    {"mem", "mem-per-cpu", ConflictKind::memory_twice, {}, "`--mem` and `--mem-per-cpu` cannot be combined"},
    {"mem", "mem-per-gpu", ConflictKind::memory_twice, {}, "`--mem` and `--mem-per-gpu` cannot be combined"},
    {"mem-per-cpu",
     "mem-per-gpu",
     ConflictKind::memory_twice,
     {},
     "`--mem-per-cpu` and `--mem-per-gpu` cannot be combined"},
    {"ntasks-per-gpu",
     "gpus-per-task",
     ConflictKind::other,
     {},
     "`--ntasks-per-gpu` and `--gpus-per-task` cannot be combined"},
    {"ntasks-per-gpu",
     "gpus-per-socket",
     ConflictKind::other,
     {},
     "`--ntasks-per-gpu` and `--gpus-per-socket` cannot be combined"},
    {"ntasks-per-gpu",
     "ntasks-per-node",
     ConflictKind::other,
     {},
     "`--ntasks-per-gpu` and `--ntasks-per-node` cannot be combined"},
    {"core-spec", "thread-spec", ConflictKind::other, {}, "`--core-spec` and `--thread-spec` cannot be combined"},
    {"exclusive",
     "oversubscribe",
     ConflictKind::exclusive_and_oversubscribe,
     {24, 11},
     "`--exclusive` and `--oversubscribe` cannot be combined"},
    {"array", "", ConflictKind::array_and_hetjob, {}, "a heterogeneous job cannot be an array"},
});

std::int32_t directive_index(const DirectiveIndex& last, std::string_view name) {
  const auto at = last.find(name);
  return at == last.end() ? no_directive : at->second;
}

// "gpu:1,gpu:h100:1": Slurm takes either with types or without.
bool mixed_types(const Component& c) {
  bool typed = false, untyped = false;
  for (const auto* field : {&c.gpus_per_node, &c.gpus_in_gres, &c.gpus_total, &c.gpus_per_task, &c.gpus_per_socket})
    for (const GpuCount& g : field->value) (g.type.empty() ? untyped : typed) = true;
  return typed && untyped;
}

// `--nodelist` of more nodes than `--nodes` allows: "invalid number of nodes (-N 2-1)" (seen on 22.05). Since 23.02 it
// is a choice of nodes (seen on 24.11 and 26.05).
void named_nodes(const Component& c, const Script& script, std::uint32_t index, std::optional<model::Version> version,
                 std::vector<Conflict>& conflicts) {
  if (!version || *version >= model::Version{23, 2}) return;
  if (c.nodes.by == no_directive || c.nodelist.by == no_directive || !c.nodelist || c.nodelist->empty()) return;
  const auto& written = script.directives[static_cast<std::size_t>(c.nodes.by)].value;
  const auto range = written ? slurm_nodes(*written) : std::nullopt;
  const auto names = expand_hosts(*c.nodelist);
  if (!range || !names || c.nodelist->find_first_of("/$") != std::string::npos) return;
  const auto count = static_cast<std::int64_t>(std::set<std::string>(names->begin(), names->end()).size());
  if (count <= range->max) return;
  conflicts.push_back(
      {ConflictKind::nodes_and_tasks,
       {c.nodes.by, c.nodelist.by},
       "`--nodelist` names " + counted(count, "node") + ", but `--nodes` allows " + std::to_string(range->max),
       index,
       {},
       true});
}

void add(const Exclusion& e, std::vector<std::int32_t> by, std::uint32_t component,
         std::optional<model::Version> version, std::vector<Conflict>& out) {
  if (version && *version < e.since) return;
  const bool certain = version || e.since == model::Version{};
  std::string message(e.message);
  if (e.since > model::Version{}) message += " since Slurm " + to_string(e.since);
  out.push_back({e.kind, std::move(by), std::move(message), component, e.since, certain});
}

}  // namespace

void find_conflicts(const Component& component, const Script& script, const DirectiveIndex& last, std::uint32_t index,
                    std::optional<model::Version> version, std::vector<Conflict>& conflicts) {
  for (const Exclusion& e : exclusions) {
    const std::int32_t first = directive_index(last, e.first);
    if (first == no_directive) continue;
    if (e.kind == ConflictKind::array_and_hetjob) {
      if (script.components > 1 && index == 0) add(e, {first}, index, version, conflicts);
      continue;
    }
    const std::int32_t second = directive_index(last, e.second);
    if (second != no_directive) add(e, {first, second}, index, version, conflicts);
  }
  const std::int32_t per_node = directive_index(last, "gpus-per-node");
  const std::int32_t gres = directive_index(last, "gres");
  const bool gpu_gres = gres != no_directive && script.directives[static_cast<std::size_t>(gres)].value &&
                        script.directives[static_cast<std::size_t>(gres)].value->find("gpu") != std::string::npos;
  if (per_node != no_directive && gpu_gres)
    add({"", "", ConflictKind::gpus_and_gres, {26, 5}, "`--gpus-per-node` and gpu in `--gres` cannot be combined"},
        {per_node, gres}, index, version, conflicts);
  if (mixed_types(component))
    conflicts.push_back(
        {ConflictKind::gpus_mismatch, {}, "GPUs are requested both with and without a type", index, {}, true});
  named_nodes(component, script, index, version, conflicts);
  const std::int64_t gpus =
      component.gpus_total ? sum(*component.gpus_total) : 0;  // 0: Slurm takes it as none asked for
  if (gpus > 0 && component.nodes.by != no_directive && component.nodes && gpus < component.nodes->min)
    conflicts.push_back({ConflictKind::gpus_mismatch,
                         {component.gpus_total.by, component.nodes.by},
                         "`--gpus` requests " + counted(gpus, "GPU") + " in total, fewer than the " +
                             counted(component.nodes->min, "node") + " of `--nodes`",
                         index,
                         {},
                         true});
  const bool per_gpu = component.memory && component.memory->per == MemoryPer::gpu;
  if (per_gpu && component.gpus_in_all.value == 0)
    conflicts.push_back({ConflictKind::other, {component.memory.by}, "`--mem-per-gpu` requires GPUs", index, {}, true});
}

}  // namespace muster::targets::slurm
