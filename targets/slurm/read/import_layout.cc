// Nodes, tasks, cpus, GPUs and memory of a script as amounts of one node.
#include <algorithm>

#include "compiler/base/text.h"
#include "targets/slurm/read/importer.h"

namespace muster::targets::slurm {
namespace {

using model::Located;

// The shape of a job as far as it can be said of one node.
struct Layout {
  std::int64_t nodes = 1;
  std::int64_t tasks = 1;  // a node
  bool steps = false;      // the text starts its own steps, so the tasks are Slurm's
  bool per_node = true;    // false: Slurm may spread the tasks as it likes
  std::int64_t cpus_a_task() const { return cpus.value_or(1); }
  std::optional<std::int64_t> cpus;  // a task, where said
};

template <class T>
bool plain(const Known<T>& value) {
  return static_cast<bool>(value);
}

const Directive* tasks_directive(const Importer& import) {
  if (const Directive* d = import.given("ntasks")) return d;
  if (const Directive* d = import.given("ntasks-per-node")) return d;
  return import.given("tasks-per-node");
}

// Keeps the options about tasks in Slurm's words.
void keep_tasks(Importer& import, Layout& layout, const std::string& why) {
  layout.per_node = false;
  for (const std::string_view option : {"nodes", "ntasks", "ntasks-per-node", "tasks-per-node", "cpus-per-task"})
    if (const Directive* d = import.given(option); d != nullptr && !import.done(option)) import.raw(*d, why);
}

void import_nodes(Importer& import, Layout& layout) {
  const Directive* d = import.given("nodes");
  if (d == nullptr) return;
  const Known<Range>& nodes = import.job.nodes;
  if (!plain(nodes) || nodes->min != nodes->max || nodes->min < 1)
    return import.raw(*d, "Slurm chooses among several sizes");
  layout.nodes = nodes->min;
  import.resources().nodes = Located<model::Count>{{nodes->min, nodes->min}, d->whole};
  import.mapped(*d, "resources.nodes");
}

void set_processes(Importer& import, const Layout& layout, Span where) {
  if (layout.tasks > 1) import.role().launch.processes = Located<std::int64_t>{layout.tasks, where};
}

// The tasks of a text that starts steps are Slurm's; of another, C18 of the vocabulary: a count of cpus.
void import_tasks(Importer& import, Layout& layout) {
  const Directive* total = import.given("ntasks");
  const Directive* each =
      import.given("ntasks-per-node") != nullptr ? import.given("ntasks-per-node") : import.given("tasks-per-node");
  if (total == nullptr && each == nullptr) return;
  const bool said_nodes = import.resources().nodes.has_value();
  const bool known =
      (total == nullptr || plain(import.job.tasks)) && (each == nullptr || plain(import.job.tasks_per_node));
  if (!known || import.given("ntasks-per-gpu") != nullptr)
    return keep_tasks(import, layout, "Slurm works the tasks out");
  std::int64_t tasks = each != nullptr ? *import.job.tasks_per_node : *import.job.tasks;
  if (total != nullptr && each != nullptr) {
    const std::int64_t all = *import.job.tasks;
    if (!said_nodes && tasks > 0 && all % tasks == 0) {
      layout.nodes = all / tasks;
      import.resources().nodes = Located<model::Count>{{layout.nodes, layout.nodes}, total->whole};
    }
    if (tasks * layout.nodes != all) {
      if (!(layout.nodes == 1 && tasks > all))
        return keep_tasks(import, layout, "the tasks are not the same on every node");
      tasks = all;  // "at most so many a node"
    }
  } else if (total != nullptr && layout.nodes > 1) {
    if (tasks % layout.nodes != 0) return keep_tasks(import, layout, "the tasks are not the same on every node");
    tasks /= layout.nodes;
  }
  const bool spreads = each == nullptr && !said_nodes && tasks > 1;
  if (spreads && layout.steps) return keep_tasks(import, layout, "Slurm may spread the tasks over several nodes");
  layout.tasks = tasks;
  for (const Directive* d : {total, each}) {
    if (d == nullptr) continue;
    if (layout.steps || tasks == 1) import.mapped(*d, tasks == 1 ? "one process a node" : "launch.processes");
    else
      import.approximated(*d, "resources.cpus",
                          "the text starts one program, so its " + std::to_string(tasks) + " tasks are cpus of " +
                              (said_nodes ? "the node" : "one node"));
  }
  if (layout.steps) set_processes(import, layout, (total != nullptr ? total : each)->whole);
}

void import_cpus(Importer& import, Layout& layout) {
  const Directive* d = import.given("cpus-per-task");
  if (d != nullptr && import.done("cpus-per-task")) return;
  if (d != nullptr && !plain(import.job.cpus_per_task)) import.raw(*d), layout.per_node = false;
  else if (d != nullptr) {
    layout.cpus = *import.job.cpus_per_task;
    const std::int64_t cpus = *layout.cpus * layout.tasks;
    import.resources().cpus = Located<model::Amount<std::int64_t>>{{false, cpus, cpus}, d->whole};
    import.mapped(*d, "resources.cpus");
  } else if (!layout.steps && layout.tasks > 1) {
    import.resources().cpus =
        Located<model::Amount<std::int64_t>>{{false, layout.tasks, layout.tasks}, tasks_directive(import)->whole};
  }
}

// ---- GPUs -------------------------------------------------------------------------------------

void set_gpus(Importer& import, const GpuCount& gpus, Span where) {
  import.resources().gpus = Located<std::int64_t>{gpus.count, where};
  if (gpus.type.empty()) return;
  const std::string model = lower(name_from(gpus.type));
  import.resources().gpu = Located<std::vector<std::string>>{{model}, where};
  import.out.site.gpus.push_back({model, Located<std::string>{gpus.type, where}, {}});
}

// "lscratch:10,shard:2" without the GPUs of a --gres.
std::string other_gres(const std::string& value) {
  std::string out;
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = std::min(value.find(',', at), value.size());
    const std::string item = value.substr(at, end - at);
    if (item != "gpu" && !item.starts_with("gpu:")) out += (out.empty() ? "" : ",") + item;
    at = end + 1;
  }
  return out;
}

void import_gpus_per_node(Importer& import, const Directive& d) {
  const auto& gpus = import.job.gpus_per_node;
  const bool gres = d.name == "gres";
  if (import.resources().gpus || !plain(gpus) || gpus->size() != 1 || gpus->front().count < 1) return import.raw(d);
  set_gpus(import, gpus->front(), d.whole);
  if (gres) {
    for (model::Plane& plane : import.out.site.planes) plane.gpu_request = model::GpuRequest::gres;
    const std::string others = d.value ? other_gres(*d.value) : std::string();
    if (!others.empty())
      return import.raw_value(d, others, "GPUs are resources.gpus, the others stay in Slurm's words");
  }
  import.mapped(d, "resources.gpus");
}

// --gpus and --gpus-per-task say a node's number where there is one node or one task on it.
void import_other_gpus(Importer& import, const Layout& layout, const Directive& d,
                       const Known<std::vector<GpuCount>>& gpus) {
  const bool total = d.name == "gpus";
  const std::int64_t parts = total ? layout.nodes : layout.tasks;
  if (import.resources().gpus || !layout.per_node || !plain(gpus) || gpus->size() != 1 || gpus->front().count < 1 ||
      parts != 1)
    return import.raw(d, total ? "a total that Slurm spreads over the nodes" : "each task sees its own GPUs only");
  set_gpus(import, gpus->front(), d.whole);
  import.mapped(d, "resources.gpus");
}

void import_gpus(Importer& import, const Layout& layout) {
  for (const std::string_view option : {"gpus-per-node", "gres"})
    if (const Directive* d = import.given(option)) import_gpus_per_node(import, *d);
  if (const Directive* d = import.given("gpus")) import_other_gpus(import, layout, *d, import.job.gpus_total);
  if (const Directive* d = import.given("gpus-per-task"))
    import_other_gpus(import, layout, *d, import.job.gpus_per_task);
  const Directive* cpus = import.given("cpus-per-gpu");
  if (cpus == nullptr) return;
  const auto& gpus = import.resources().gpus;
  if (!plain(import.job.cpus_per_gpu) || !gpus || layout.tasks != 1 || !layout.per_node || import.resources().cpus)
    return import.raw(*cpus);
  const std::int64_t count = *import.job.cpus_per_gpu * gpus->value;
  import.resources().cpus = Located<model::Amount<std::int64_t>>{{false, count, count}, cpus->whole};
  import.approximated(*cpus, "resources.cpus", "so many a task; Slurm counts them once it gives the GPUs");
}

// ---- memory -----------------------------------------------------------------------------------

void set_memory(Importer& import, std::int64_t mebibytes, Span where) {
  const Size size{mebibytes << 20};
  import.resources().memory = Located<model::Amount<Size>>{{false, size, size}, where};
}

void import_memory_of_node(Importer& import, const Directive& d) {
  const Known<Memory>& memory = import.job.memory;
  if (import.resources().memory || !plain(memory) || memory->per != MemoryPer::node) return import.raw(d);
  if (memory->all) import.resources().memory = Located<model::Amount<Size>>{{true, {}, {}}, d.whole};
  else if (memory->mebibytes < 1 || memory->mebibytes > (std::int64_t{1} << 40)) return import.raw(d);
  else set_memory(import, memory->mebibytes, d.whole);
  import.mapped(d, "resources.memory");
}

// So much for each of `count` cpus or GPUs of a node.
void import_memory_each(Importer& import, const Directive& d, std::optional<std::int64_t> count,
                        std::string_view what) {
  const Known<Memory>& memory = import.job.memory;
  const bool usable = count && *count > 0 && plain(memory) && memory->per != MemoryPer::node && !memory->all &&
                      memory->mebibytes > 0 && memory->mebibytes < (std::int64_t{1} << 40) / *count;
  if (!usable || import.resources().memory) return import.raw(d);
  set_memory(import, memory->mebibytes * *count, d.whole);
  import.mapped(d, "resources.memory");
  import.out.lines.back().note = "for " + counted(*count, what) + " of a node";
}

void import_memory(Importer& import, const Layout& layout) {
  if (const Directive* d = import.given("mem")) import_memory_of_node(import, *d);
  const bool whole_node = import.given("exclusive") != nullptr;
  if (const Directive* d = import.given("mem-per-cpu")) {
    const auto& cpus = import.resources().cpus;
    const std::int64_t known = cpus ? cpus->value.high : layout.tasks;
    const bool counted = layout.per_node && !whole_node;
    import_memory_each(import, *d, counted ? std::optional(known) : std::nullopt, "cpu");
  }
  if (const Directive* d = import.given("mem-per-gpu")) {
    const auto& gpus = import.resources().gpus;
    import_memory_each(import, *d, gpus ? std::optional(gpus->value) : std::nullopt, "GPU");
  }
}

// With `exclusive` cpus and memory are the whole node's unless written; Slurm gives all cpus, and memory
// only as it is asked for.
void import_exclusive(Importer& import) {
  const Directive* d = import.given("exclusive");
  if (d == nullptr) return;
  const auto& kind = import.job.exclusive;
  if (!plain(kind) || *kind != Exclusive::node || !import.resources().memory)
    return import.raw(*d, "Slurm gives all cpus, but memory only as the cluster's default says");
  import.resources().exclusive = Located<bool>{true, d->whole};
  import.mapped(*d, "resources.exclusive");
}

}  // namespace

void import_layout(Importer& import) {
  Layout layout;
  layout.steps = starts_steps(import.script, import.body);
  import_nodes(import, layout);
  if (layout.nodes > 1) layout.steps = true;
  import_tasks(import, layout);
  import_cpus(import, layout);
  import_gpus(import, layout);
  import_memory(import, layout);
  import_exclusive(import);
  if (layout.steps || !layout.per_node)
    import.role().launch.runner = Located<model::Runner>{model::Runner::batch_script, import.script.span};
}

}  // namespace muster::targets::slurm
