// Chunks and nodes, CPUs, processes, GPUs and memory of a PBS script as amounts of one node.
#include <algorithm>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "targets/pbs/read/importer.h"

namespace muster::targets::pbs {
namespace {

using batch::DirectivePart;
using batch::Draft;

// `2:ncpus=8:ngpus=1`, or the same of `nodes=`.
struct Chunk {
  std::int64_t count = 1;
  std::optional<std::int64_t> cpus, tasks, gpus, memory;

  bool same_node(const Chunk& b) const {
    return cpus == b.cpus && tasks == b.tasks && gpus == b.gpus && memory == b.memory;
  }
};

std::optional<std::int64_t> larger(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  return !a ? b : !b ? a : std::max(*a, *b);
}

std::optional<std::int64_t> memory_of(std::string_view text) {
  const auto measure = batch::measure_of(text);
  return measure ? batch::bytes_of(*measure, "b") : std::nullopt;
}

// What a resource of a chunk is, by the names that sites give it.
bool is_gpu_count(std::string_view name) {
  return is_one_of(name, {"ngpus", "gpus", "ngpu", "gpu", "naccelerators", "nvidia_gpus", "gpunum_job", "ngpus_req"});
}
bool is_gpu_model(std::string_view name) {
  return is_one_of(name, {"gpu_model", "gpu_type", "gputype", "gpu_name", "gpumodel", "accelerator_model", "gpu_arch"});
}
bool is_cpu_count(std::string_view name) { return is_one_of(name, {"ncpus", "cpunum_job", "ncpu", "cpus", "cores"}); }

class Layout {
 public:
  Layout(Draft& draft, const Script& script) : draft_(draft), torque_(script.dialect == Dialect::torque) {}

  void run() {
    read_chunks("-l select");
    read_chunks("-l nodes");
    merge_chunks();
    read_totals();
    shape().tasks_said = tasks_said_;
    // A host without a digit may be a number that is still to be written.
    shape().totals = !unlike_ && !unclear_ && std::none_of(hosts_.begin(), hosts_.end(), is_blank_amount);
    shape().exact = shape().totals && scattered_;
    take_processes_of_launch();
    read_memory();
    batch::write_shape(draft_, where_.known() ? where_ : draft_.script.text.span);
    report_counts();
    report_tasks();
  }

 private:
  batch::NodeShape& shape() { return draft_.shape; }
  void see(const DirectivePart& p) {
    if (!where_.known()) where_ = p.span;
  }

  // ---- lists of chunks ---------------------------------------------------------------------------

  void read_chunks(const std::string& option) {
    bool reading = false, ended = false;
    for (const DirectivePart& p : draft_.script.parts) {
      const bool of_list =
          p.option.starts_with(option) && (p.option.size() == option.size() || p.option[option.size()] == ':');
      if (!of_list) continue;
      const bool starts = p.option == option && !p.more;
      if (starts && (reading || (option == "-l nodes" && !chunks_.empty()))) ended = true;
      if (starts) reading = true;
      if (ended) {
        draft_.mapped(p, "nothing", "PBS keeps the first value of a resource");
        continue;
      }
      see(p);
      if (p.option == option) start_chunk(p);
      else read_resource(p, p.option.substr(option.size() + 1));
    }
  }

  void start_chunk(const DirectivePart& p) {
    chunks_.emplace_back();
    counts_.push_back(&p);
    const std::string text(trimmed(p.value));
    if (const auto count = batch::count_of(text)) {
      chunks_.back().count = std::max<std::int64_t>(*count, 1);
    } else if (!text.empty() && is_letter(text[0]) && p.option == "-l nodes") {
      hosts_.push_back(text);
    } else {
      unclear_ = true;
    }
  }

  void read_resource(const DirectivePart& p, const std::string& name) {
    Chunk& chunk = chunks_.back();
    const auto count = batch::count_of(p.value);
    const auto take = [&](std::optional<std::int64_t>& into, std::string as) {
      if (!count) return draft_.lost(p, "`" + printable(p.value, 40) + "` is not a whole number");
      into = count;
      draft_.mapped(p, std::move(as));
    };
    if (is_cpu_count(name)) return take(chunk.cpus, "resources.cpus");
    if (name == "ppn") return take_processors(p, chunk);
    if (name == "mpiprocs") return take_tasks(p, chunk.tasks);
    if (is_gpu_count(name)) return take_gpus(p, chunk);
    if (is_gpu_model(name)) return take_model(p);
    if (name == "mem" || name == "vmem") return take_memory(p, chunk);
    if (name == "ompthreads") return take_threads(p);
    if (name == "host" || name == "vnode") return take_host(p);
    if (name == "property") return take_property(p);
    if (is_one_of(muster::lower(p.value), {"true", "t", "y", "yes"})) return batch::add_feature(draft_, p, name);
    if (p.value.empty() || blank_in(p.value, In::directive) || count) return draft_.lost(p, "a resource of that site");
    batch::add_feature(draft_, p, p.value);
  }

  void take_tasks(const DirectivePart& p, std::optional<std::int64_t>& into) {
    const auto count = batch::count_of(p.value);
    if (!count) return draft_.lost(p, "`" + printable(p.value, 40) + "` is not a whole number");
    into = count;
    tasks_.push_back(&p);
  }

  // ppn=8 are 8 processors, and 8 lines of the node file: as many processes as MPI starts.
  void take_processors(const DirectivePart& p, Chunk& chunk) {
    const auto count = batch::count_of(p.value.substr(0, p.value.find('#')));
    if (!count) return draft_.lost(p, "`" + printable(p.value, 40) + "` is not a whole number");
    chunk.cpus = chunk.tasks = count;
    draft_.mapped(p, batch::starts_processes(draft_) ? "launch.processes, resources.cpus" : "resources.cpus");
  }

  // `gpus=2:exclusive_process`: the mode is a property that follows.
  void take_gpus(const DirectivePart& p, Chunk& chunk) {
    const auto count = batch::count_of(p.value);
    if (!count) return draft_.lost(p, "`" + printable(p.value, 40) + "` is not a whole number");
    chunk.gpus = count;
    draft_.mapped(p, "resources.gpus", *count == 0 ? "none" : "");
  }

  void take_model(const DirectivePart& p) {
    if (p.value.empty() || blank_in(p.value, In::directive)) return draft_.lost(p, "not the name of a GPU");
    shape().gpu_model = p.value;
    draft_.mapped(p, "resources.gpu");
  }

  void take_memory(const DirectivePart& p, Chunk& chunk) {
    const auto bytes = memory_of(p.value);
    if (!bytes) return draft_.lost(p, "`" + printable(p.value, 40) + "` is not a size");
    const bool virtual_only = p.option.ends_with("vmem");
    if (virtual_only && chunk.memory) return draft_.approximated(p, "resources.memory", "`mem` is the limit");
    chunk.memory = bytes;
    if (virtual_only) draft_.approximated(p, "resources.memory", "a limit on the address space of the job");
    else draft_.mapped(p, "resources.memory");
  }

  void take_threads(const DirectivePart& p) {
    if (!batch::count_of(p.value)) return draft_.lost(p, "`" + printable(p.value, 40) + "` is not a whole number");
    batch::set_variable(draft_, p, "OMP_NUM_THREADS=" + p.value);
    draft_.out.lines.back().note = "PBS sets OMP_NUM_THREADS";
  }

  void take_host(const DirectivePart& p) {
    if (p.value.empty() || blank_in(p.value, In::directive)) return draft_.lost(p, "not a host");
    batch::require_nodes(draft_, p, {p.value});
  }

  void take_property(const DirectivePart& p) {
    const std::string text(trimmed(p.value));
    if (is_one_of(text, {"shared", "exclusive_process", "exclusive_thread", "default", "reseterr", "exclusive"}))
      return draft_.approximated(p, "resources.gpus", "a mode of the GPUs, which the site sets");
    if (text.empty() || !is_letter(text[0]) || blank_in(text, In::directive))
      return draft_.lost(p, "not a property of a node");
    batch::add_feature(draft_, p, text);
  }

  // ---- one shape of all chunks ------------------------------------------------------------------------

  void merge_chunks() {
    if (chunks_.empty()) return;
    Chunk all = chunks_.front();
    for (std::size_t i = 1; i < chunks_.size(); ++i) {
      const Chunk& c = chunks_[i];
      unlike_ |= !c.same_node(all);
      all.count += c.count;
      all.cpus = larger(all.cpus, c.cpus), all.tasks = larger(all.tasks, c.tasks);
      all.gpus = larger(all.gpus, c.gpus), all.memory = larger(all.memory, c.memory);
    }
    all.count = std::min<std::int64_t>(all.count, 1'000'000);
    shape().nodes = all.count;
    shape().cpus = all.cpus, shape().gpus = all.gpus, shape().memory = all.memory;
    shape().tasks = std::max<std::int64_t>(all.tasks.value_or(1), 1);
    tasks_said_ = all.tasks.has_value();
    const bool select = counts_.front()->option == "-l select";
    const DirectivePart* place = batch::first_part(draft_.script, "-l place");
    const auto placed = [&](std::string_view word) {
      return place != nullptr && place->value.find(word) != std::string::npos;
    };
    scattered_ = !select || placed("scatter") || all.count == 1;
    if (!select || all.count == 1 || placed("scatter") || all.gpus.value_or(0) > 0) return;
    if (placed("pack")) return pack(all);
    if (all.cpus.value_or(1) <= 1) shape().spread = all.count * shape().tasks, shape().nodes = 1;
  }

  void pack(const Chunk& all) {
    shape().nodes = 1;
    shape().cpus = all.cpus.value_or(1) * all.count;
    if (all.memory) shape().memory = *all.memory / 1024 * all.count * 1024;
    shape().tasks = shape().tasks * all.count;
    packed_ = true;
  }

  void report_counts() {
    for (const DirectivePart* p : counts_) {
      const std::string as = shape().nodes > 1 || chunks_.size() == 1 ? "resources.nodes" : "one node";
      const bool host = std::find(hosts_.begin(), hosts_.end(), p->value) != hosts_.end();
      if (unclear_ && !host && !batch::count_of(p->value))
        draft_.lost(*p, "`" + printable(p->value, 40) + "` is not a number of nodes");
      else if (shape().spread)
        draft_.kept(*p, "ntasks", std::to_string(*shape().spread), "PBS may place the chunks on any nodes");
      else if (unlike_) draft_.approximated(*p, as, "the chunks differ: each node gets the most that one of them has");
      else if (packed_) draft_.mapped(*p, "one node", "all chunks on one node");
      else if (!scattered_) draft_.approximated(*p, as, "a node for each chunk; PBS may place several on one node");
      else draft_.mapped(*p, as);
    }
    if (!hosts_.empty() && static_cast<std::int64_t>(hosts_.size()) == shape().nodes) require_hosts();
  }

  // A job that starts no processes itself is one process, and what it starts may still read the file of nodes.
  void report_tasks() {
    for (const DirectivePart* p : tasks_) {
      if (draft_.role().launch.processes || shape().spread) draft_.mapped(*p, "launch.processes");
      else if (shape().tasks == 1) draft_.mapped(*p, "one process");
      else
        draft_.approximated(*p, "one process",
                            "the text starts no MPI itself; what reads PBS_NODEFILE finds one line for the node");
    }
  }

  void require_hosts() {
    model::Predicate predicate;
    predicate.span = predicate.term.span = counts_.front()->span;
    predicate.term.fact = "node.name";
    predicate.term.compare = model::Compare::in;
    for (std::string& host : hosts_) predicate.term.values.emplace_back(std::move(host));
    draft_.role().requires_.push_back(std::move(predicate));
  }

  // ---- amounts of the whole job --------------------------------------------------------------------

  // The part that decides; the others of its name have their line then.
  const DirectivePart* total(const std::string& option) {
    const DirectivePart* first = batch::first_part(draft_.script, option);
    for (const DirectivePart& p : draft_.script.parts)
      if (p.option == option && &p != first) draft_.mapped(p, "nothing", "PBS keeps the first value of a resource");
    if (first != nullptr) see(*first);
    return first;
  }

  void read_totals() {
    for (const std::string_view name : {"ncpus", "cpunum_job", "ppn", "mpiprocs"})
      if (const DirectivePart* p = total("-l " + std::string(name))) read_total_cpus(*p, name == "mpiprocs");
    for (const std::string_view name : {"ngpus", "gpus", "gpunum_job", "naccelerators"})
      if (const DirectivePart* p = total("-l " + std::string(name))) read_total_gpus(*p, name == "gpunum_job");
    for (const std::string_view name : {"gpu_model", "gpu_type", "gputype", "accelerator_type"})
      if (const DirectivePart* p = total("-l " + std::string(name))) take_model(*p);
    if (const DirectivePart* p = total("-l host")) take_host(*p);
    if (const DirectivePart* p = total("-l ompthreads")) take_threads(*p);
    if (const DirectivePart* p = total("-l procs")) read_spread(*p);
    read_cray();
  }

  void read_total_cpus(const DirectivePart& p, bool processes) {
    const auto count = batch::count_of(p.value);
    if (!count || *count < 1) return draft_.lost(p, "`" + printable(p.value, 40) + "` is not a number of CPUs");
    if (processes) {
      shape().tasks = *count, tasks_said_ = true;
      return tasks_.push_back(&p);
    }
    if (!chunks_.empty() && shape().cpus) return draft_.mapped(p, "nothing", "the chunks have their CPUs");
    shape().cpus = (*count + shape().nodes - 1) / shape().nodes;
    if (p.option == "-l ppn") shape().tasks = *count, tasks_said_ = true;
    if (shape().nodes > 1) draft_.approximated(p, "resources.cpus", "an equal part on each node");
    else draft_.mapped(p, "resources.cpus");
  }

  void read_total_gpus(const DirectivePart& p, bool of_node) {
    const auto count = batch::count_of(p.value);
    if (!count) return draft_.lost(p, "`" + printable(p.value, 40) + "` is not a number of GPUs");
    if (shape().gpus) return draft_.mapped(p, "nothing", "the chunks have their GPUs");
    const std::int64_t nodes = of_node ? 1 : shape().nodes;
    if (*count % nodes != 0) return draft_.lost(p, "a total that the nodes cannot share evenly");
    shape().gpus = *count / nodes;
    draft_.mapped(p, "resources.gpus", nodes > 1 ? "an equal part on each node" : "");
  }

  void read_spread(const DirectivePart& p) {
    const auto count = batch::count_of(p.value);
    if (!count || *count < 1) return draft_.lost(p, "`" + printable(p.value, 40) + "` is not a number of processors");
    if (!chunks_.empty()) return draft_.lost(p, "beside `nodes`, which says more");
    if (*count == 1) return draft_.mapped(p, "one process", "");
    shape().spread = *count;
    draft_.kept(p, "ntasks", std::to_string(*count), "PBS may place them on any nodes");
  }

  // mppwidth processes, mppnppn of them on a node.
  void read_cray() {
    const DirectivePart* width = total("-l mppwidth");
    const DirectivePart* each = total("-l mppnppn");
    if (const DirectivePart* size = total("-l size"); size != nullptr && width == nullptr) width = size;
    if (const DirectivePart* b = batch::last_part(draft_.script, "-b"); b != nullptr && chunks_.empty()) {
      const auto nodes = batch::count_of(b->value);
      if (nodes && *nodes > 0) shape().nodes = *nodes, draft_.mapped(*b, "resources.nodes");
    }
    if (width == nullptr) {
      if (each != nullptr) draft_.lost(*each, "without `mppwidth`");
      return;
    }
    const auto all = batch::count_of(width->value);
    const auto on_node = each != nullptr ? batch::count_of(each->value) : std::nullopt;
    if (!all || *all < 1) return draft_.lost(*width, "`" + printable(width->value, 40) + "` is not a number");
    if (on_node && *on_node > 0 && *all % *on_node == 0) {
      shape().nodes = *all / *on_node, shape().tasks = *on_node, tasks_said_ = true;
      draft_.mapped(*width, "resources.nodes"), draft_.mapped(*each, "launch.processes");
      return;
    }
    shape().spread = *all;
    draft_.kept(*width, "ntasks", std::to_string(*all), "the system places them on its nodes");
    if (each != nullptr) draft_.lost(*each, "the processes are not the same on every node");
  }

  // `select=1:ncpus=16` and `mpirun -np 16`: the launch says what the chunk does not.
  void take_processes_of_launch() {
    if (tasks_said_ || shape().spread) return;
    const shell::Launch* only = nullptr;
    for (const shell::Launch& l : draft_.body.launches) {
      if (l.kind != shell::Launcher::mpirun || l.parent >= 0) continue;
      if (only != nullptr) return;
      only = &l;
    }
    if (only == nullptr || !only->processes.value || *only->processes.value % shape().nodes != 0) return;
    const std::int64_t each = *only->processes.value / shape().nodes;
    if (each > 1 && each <= 4096) shape().tasks = each;
  }

  // ---- memory -----------------------------------------------------------------------------------------

  void read_memory() {
    read_memory_total("-l mem", "");
    read_memory_total("-l memsz_job", "");
    read_memory_each("-l pmem", "");
    read_memory_each("-l pcmem", "");
    read_memory_total("-l vmem", "a limit on the address space of the job");
    read_memory_each("-l pvmem", "a limit on the address space of a process");
  }

  void read_memory_total(const std::string& option, const std::string& note) {
    const DirectivePart* p = total(option);
    if (p == nullptr) return;
    const auto bytes = memory_of(p->value);
    if (!bytes) return draft_.lost(*p, "`" + printable(p->value, 40) + "` is not a size");
    if (shape().memory) return draft_.approximated(*p, "resources.memory", "another limit says less");
    shape().memory = *bytes / shape().nodes;
    if (shape().spread) return shape().memory.reset(), draft_.lost(*p, "a total of tasks on any nodes");
    const std::string how = shape().nodes > 1 ? "an equal part on each node" : note;
    if (how.empty()) draft_.mapped(*p, "resources.memory");
    else draft_.approximated(*p, "resources.memory", how);
  }

  void read_memory_each(const std::string& option, const std::string& note) {
    const DirectivePart* p = total(option);
    if (p == nullptr) return;
    const auto bytes = memory_of(p->value);
    const std::int64_t count = torque_ || tasks_said_ ? shape().tasks : shape().cpus.value_or(1);
    if (!bytes) return draft_.lost(*p, "`" + printable(p->value, 40) + "` is not a size");
    if (shape().memory) return draft_.approximated(*p, "resources.memory", "another limit says less");
    if (shape().spread) return draft_.lost(*p, "a limit of tasks on any nodes");
    shape().memory = std::min(*bytes, (std::int64_t{1} << 56) / std::max<std::int64_t>(count, 1)) * count;
    const std::string per = "for " + counted(count, "process") + " per node";
    if (note.empty()) draft_.mapped(*p, "resources.memory", per);
    else draft_.approximated(*p, "resources.memory", note + ", " + per);
  }

  Draft& draft_;
  bool torque_ = false;
  std::vector<Chunk> chunks_;
  std::vector<const DirectivePart*> counts_, tasks_;
  std::vector<std::string> hosts_;
  Span where_;
  bool unlike_ = false, unclear_ = false, scattered_ = true, packed_ = false, tasks_said_ = false;
};

}  // namespace

void import_layout(Draft& draft, const Script& script) { Layout(draft, script).run(); }

}  // namespace muster::targets::pbs
