// Nodes, tasks, cpus, GPUs and memory of a script as amounts of one node.
#include <algorithm>

#include "compiler/base/text.h"
#include "targets/slurm/read/importer.h"
#include "targets/slurm/read/records.h"

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
    return import.raw(*d, "Slurm chooses one of several sizes");
  layout.nodes = nodes->min;
  import.resources().nodes = Located<model::Count>{{nodes->min, nodes->min}, d->whole};
  import.mapped(*d, "resources.nodes");
}

// What a line about tasks became, in a text whose tasks are Slurm's: so many on each node. Slurm may also take
// more nodes where none are given, and spread a total unevenly.
void report_tasks(Importer& import, const Layout& layout, const Directive& d, bool nodes_given, bool both) {
  const bool total = d.name == "ntasks";
  const std::string as = layout.tasks == 1 ? "one process per node" : "launch.processes";
  if (!nodes_given && (both ? *import.job.tasks : layout.tasks) > 1)
    return import.approximated(d, as, "on " + counted(layout.nodes, "node") + ", but Slurm may use more");
  if (total && !both && layout.nodes > 1 && layout.tasks > 1)
    return import.approximated(d, as, "the same number on each node, but Slurm may spread them unevenly");
  import.mapped(d, as);
  if (total && nodes_given && *import.job.tasks > 1) import.out.lines.back().note = "the same number on each node";
  if (!total && both && *import.job.tasks_per_node > layout.tasks) import.out.lines.back().note = "at most this number";
}

// The tasks of a text that starts steps are Slurm's; of another, C18 of the vocabulary: a count of cpus.
void import_tasks(Importer& import, Layout& layout) {
  const Directive* total = import.given("ntasks");
  const Directive* each =
      import.given("ntasks-per-node") != nullptr ? import.given("ntasks-per-node") : import.given("tasks-per-node");
  if (total == nullptr && each == nullptr) return;
  const bool nodes_given = import.resources().nodes.has_value();
  const bool known =
      (total == nullptr || plain(import.job.tasks)) && (each == nullptr || plain(import.job.tasks_per_node));
  if (!known || import.given("ntasks-per-gpu") != nullptr)
    return keep_tasks(import, layout, "Slurm computes the number of tasks");
  std::int64_t tasks = each != nullptr ? *import.job.tasks_per_node : *import.job.tasks;
  if (total != nullptr && each != nullptr) {
    const std::int64_t all = *import.job.tasks;
    if (!nodes_given && tasks > 0 && all % tasks == 0) {
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
  const bool spreads = each == nullptr && !nodes_given && tasks > 1;
  if (spreads && layout.steps) return keep_tasks(import, layout, "Slurm may spread the tasks over several nodes");
  layout.tasks = tasks;
  for (const Directive* d : {total, each}) {
    if (d == nullptr) continue;
    if (layout.steps || tasks == 1) report_tasks(import, layout, *d, nodes_given, total != nullptr && each != nullptr);
    else
      import.approximated(*d, "resources.cpus",
                          "the script starts one program, so its " + std::to_string(tasks) + " tasks become CPUs of " +
                              (nodes_given ? "the node" : "one node"));
  }
  if (layout.steps)
    import.role().launch.processes = Located<std::int64_t>{tasks, (total != nullptr ? total : each)->whole};
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
  const std::string model = muster::lower(name_from(gpus.type));
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

// GPUs that another option says already.
bool same_gpus(Importer& import, const Known<std::vector<GpuCount>>& gpus) {
  const auto& known = import.resources().gpus;
  return known && plain(gpus) && gpus->size() == 1 && gpus->front().type.empty() && gpus->front().count == known->value;
}

void import_gpus_per_node(Importer& import, const Directive& d) {
  const auto& gpus = import.job.gpus_per_node;
  const bool gres = d.name == "gres";
  const auto& again = import.job.gpus_in_gres;
  const std::string others = gres && d.value ? other_gres(*d.value) : std::string();
  const Directive* per_node = import.given("gpus-per-node");
  const auto before = gres && per_node != nullptr && per_node->value ? slurm_gpus(*per_node->value) : std::nullopt;
  const bool equal = before && before->size() == 1 && plain(again) && before->front().count == again->front().count;
  if (equal && others.empty() && same_gpus(import, again)) {
    import.mapped(d, "resources.gpus");
    import.out.lines.back().note = "repeats the same GPUs";
    return;
  }
  if (import.resources().gpus || !plain(gpus) || gpus->size() != 1 || gpus->front().count < 1) return import.raw(d);
  set_gpus(import, gpus->front(), d.whole);
  if (gres) {
    for (model::Plane& plane : import.out.site.planes) plane.gpu_request = model::GpuRequest::gres;
    if (!others.empty())
      return import.raw_value(d, others, "GPUs become resources.gpus, the others stay Slurm options");
  }
  import.mapped(d, "resources.gpus");
  if (gres && gpus->front().count == 1 && d.value && !d.value->ends_with(":1")) import.out.lines.back().note = "one";
}

// --gpus and --gpus-per-task say a node's number where there is one node or one task on it.
void import_other_gpus(Importer& import, const Layout& layout, const Directive& d,
                       const Known<std::vector<GpuCount>>& gpus) {
  const bool total = d.name == "gpus";
  const std::int64_t parts = total ? layout.nodes : layout.tasks;
  if (same_gpus(import, gpus) && layout.per_node && parts == 1 && layout.nodes == 1) {
    import.mapped(d, "resources.gpus");
    import.out.lines.back().note = "repeats the same GPUs";
    return;
  }
  const std::string_view variable = total ? "SLURM_GPUS" : "SLURM_GPUS_PER_TASK";
  const bool read = std::any_of(import.body.reads.begin(), import.body.reads.end(),
                                [&](const EnvironmentRead& r) { return r.name == variable; });
  if (import.given("gpus") != nullptr && import.given("gpus-per-task") != nullptr && import.given("ntasks") == nullptr)
    return import.raw(d, "Slurm divides the one number by the other to count the tasks");
  if (read) return import.raw(d, "the text reads " + std::string(variable) + ", which Slurm sets for this option only");
  if (import.resources().gpus || !layout.per_node || !plain(gpus) || gpus->size() != 1 || gpus->front().count < 1 ||
      parts != 1)
    return import.raw(d, total ? "a total that Slurm spreads over the nodes" : "each task only sees its own GPUs");
  set_gpus(import, gpus->front(), d.whole);
  import.mapped(d, "resources.gpus");
  import.out.lines.back().note = total ? "all on the one node" : "for the one task of a node";
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
  import.keep(*cpus, cpus->value.value_or(""));
  import.mapped(*cpus, "resources.cpus");
  import.out.lines.back().note = "kept as a Slurm option too, which Slurm derives from the GPUs";
}

// ---- memory -----------------------------------------------------------------------------------

void set_memory(Importer& import, std::int64_t mebibytes, Span where) {
  const Size size = Size::of_mebibytes(mebibytes);
  import.resources().memory = Located<model::Amount<Size>>{{false, size, size}, where};
}

void import_memory_of_node(Importer& import, const Directive& d) {
  const Known<Memory>& memory = import.job.memory;
  if (import.resources().memory || !plain(memory) || memory->per != MemoryPer::node) return import.raw(d);
  if (memory->all) import.resources().memory = Located<model::Amount<Size>>{{true, {}, {}}, d.whole};
  else if (memory->mebibytes < 1 || memory->mebibytes > most_mebibytes) return import.raw(d);
  else set_memory(import, memory->mebibytes, d.whole);
  import.mapped(d, "resources.memory");
}

// So much for each of `count` cpus or GPUs of a node.
void import_memory_each(Importer& import, const Directive& d, std::optional<std::int64_t> count,
                        std::string_view what) {
  const Known<Memory>& memory = import.job.memory;
  const bool usable = count && *count > 0 && plain(memory) && memory->per != MemoryPer::node && !memory->all &&
                      memory->mebibytes > 0 && memory->mebibytes < most_mebibytes / *count;
  if (!usable || import.resources().memory) return import.raw(d);
  set_memory(import, memory->mebibytes * *count, d.whole);
  import.mapped(d, "resources.memory");
  import.out.lines.back().note = "for " + counted(*count, what) + " per node";
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

void import_exclusive(Importer& import) {
  const Directive* d = import.given("exclusive");
  if (d == nullptr) return;
  const auto& kind = import.job.exclusive;
  if (!plain(kind) || *kind != Exclusive::node) return import.raw(*d);
  import.resources().exclusive = Located<bool>{true, d->whole};
  import.mapped(*d, "resources.exclusive");
}

// Which hardware threads count as cpus; the hint is sbatch's own word for it.
void import_threads(Importer& import) {
  const Directive* hint = import.given("hint");
  const Directive* threads = import.given("threads-per-core");
  const auto is = [](const Directive* d, std::string_view word) {
    return d != nullptr && d->value && equal_ignoring_case(*d->value, word);
  };
  const auto take = [&](const Directive& d, bool smt) {
    import.resources().smt = Located<bool>{smt, d.whole};
    import.mapped(d, "resources.smt");
  };
  if (hint != nullptr && threads != nullptr) return;  // Slurm refuses the two together
  if (is(hint, "nomultithread") || is(hint, "multithread")) return take(*hint, is(hint, "multithread"));
  if (!is(threads, "1")) return;
  take(*threads, false);
  import.out.lines.back().note = "as `--hint=nomultithread`";
}

void import_disk(Importer& import) {
  const Directive* d = import.given("tmp");
  const auto mebibytes = d != nullptr && d->value ? slurm_memory(*d->value) : std::nullopt;
  if (!mebibytes || *mebibytes < 1 || *mebibytes > most_mebibytes) return;
  import.resources().disk = Located<Size>{Size::of_mebibytes(*mebibytes), d->whole};
  import.mapped(*d, "resources.disk");
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
  import_threads(import);
  import_disk(import);
  if (layout.steps || !layout.per_node)
    import.role().launch.runner = Located<model::Runner>{model::Runner::batch_script, import.script.span};
}

}  // namespace muster::targets::slurm
