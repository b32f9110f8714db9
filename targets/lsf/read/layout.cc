// Slots and hosts, GPUs and memory of an LSF script as amounts of one node.
#include <algorithm>

#include "compiler/base/text.h"
#include "targets/lsf/read/importer.h"

namespace muster::targets::lsf {
namespace {

using batch::DirectivePart;
using batch::Draft;

bool is_gpu_usage(std::string_view name) {
  return is_one_of(name, {"ngpus_excl_p", "ngpus_excl_t", "ngpus_shared", "ngpus_physical", "ngpus", "gpu", "ngpu"});
}

class SlotLayout {
 public:
  explicit SlotLayout(Draft& draft) : draft_(draft) {}

  void run() {
    read_hosts();
    read_slots();
    for (const DirectivePart& p : draft_.script.parts) {
      if (p.option.starts_with("-R rusage:")) read_usage(p, p.option.substr(10));
      else if (p.option.starts_with("-gpu")) read_gpu(p);
    }
    read_limit();
    batch::write_shape(draft_, where_.known() ? where_ : draft_.script.text.span);
  }

 private:
  batch::NodeShape& shape() { return draft_.shape; }
  void see(const DirectivePart& p) {
    if (!where_.known()) where_ = p.span;
  }

  // -nnodes of Summit and its like: whole nodes, on which jsrun starts the tasks.
  void read_hosts() {
    const DirectivePart* nodes = batch::last_part(draft_.script, "-nnodes");
    if (nodes == nullptr) return;
    see(*nodes);
    const auto count = batch::count_of(nodes->value);
    if (!count || *count < 1)
      return draft_.lost(*nodes, "`" + printable(nodes->value, 40) + "` is not a number of nodes");
    shape().nodes = *count;
    whole_nodes_ = true;
    draft_.role().resources.exclusive = model::Located<bool>{true, nodes->span};
    draft_.mapped(*nodes, "resources.nodes, resources.exclusive", "whole nodes; their GPUs are not in the file");
  }

  // ---- slots ----------------------------------------------------------------------------------------

  // span[ptile=4], span[hosts=1]; of several the last one.
  const DirectivePart* span_with(std::string_view word) const {
    const DirectivePart* found = nullptr;
    for (const DirectivePart& p : draft_.script.parts)
      if (p.option == "-R span" && p.value.find(word) != std::string::npos) found = &p;
    return found;
  }
  static std::optional<std::int64_t> number_after(const DirectivePart* p, std::string_view word) {
    if (p == nullptr) return std::nullopt;
    std::string_view rest = std::string_view(p->value).substr(p->value.find(word) + word.size());
    rest = trimmed(rest, " \t=");
    return batch::count_of(rest.substr(0, rest.find_first_not_of("0123456789")));
  }

  void read_slots() {
    const DirectivePart* n = batch::last_part(draft_.script, "-n");
    const DirectivePart* tile = span_with("ptile");
    const DirectivePart* hosts = span_with("hosts");
    for (const DirectivePart& p : draft_.script.parts)
      if (p.option == "-n" && &p != n) draft_.mapped(p, "nothing", "a later `-n` replaces it");
    const auto slots = n == nullptr ? std::optional<std::int64_t>(1)
                                    : batch::count_of(std::string_view(n->value).substr(0, n->value.find(',')));
    if (n != nullptr) see(*n), shape().tasks_said = true;
    if (!slots || *slots < 1)
      return draft_.lost(*n, "`" + printable(n->value, 40) + "` is not a number of slots"), report_spans();
    const auto each = number_after(tile, "ptile");
    const auto on = number_after(hosts, "hosts");
    if (whole_nodes_) slots_of_whole_nodes(n, *slots);
    else if (each && *each > 0) tiles(n, *slots, *each);
    else if (on && *on > 1) share(n, *slots, *on);
    else if (*slots == 1 || on || !batch::starts_processes(draft_)) one_host(n, *slots, on.has_value());
    else spread(n, *slots);
    report_spans();
  }

  void slots_of_whole_nodes(const DirectivePart* n, std::int64_t slots) {
    if (n == nullptr) return;
    if (slots % shape().nodes == 0) shape().tasks = slots / shape().nodes;
    draft_.mapped(*n, "launch.processes");
  }

  void tiles(const DirectivePart* n, std::int64_t slots, std::int64_t each) {
    const bool even = slots % each == 0 || slots < each;
    shape().exact = even;
    shape().tasks = std::min(slots, each);
    shape().nodes = (slots + each - 1) / each;
    shape().cpus = shape().tasks;
    report_slots(n, even ? "" : "the same number on each node, but the last one of LSF has fewer");
  }
  void share(const DirectivePart* n, std::int64_t slots, std::int64_t hosts) {
    shape().nodes = hosts;
    shape().exact = false;
    shape().tasks = (slots + hosts - 1) / hosts;
    shape().cpus = shape().tasks;
    report_slots(n, slots % hosts == 0 ? "" : "the same number on each node, but LSF spreads them unevenly");
  }
  void one_host(const DirectivePart* n, std::int64_t slots, bool surely) {
    shape().tasks = slots;
    shape().exact = slots == 1 || surely;
    if (n != nullptr) shape().cpus = slots;
    report_slots(n, slots == 1 || surely ? "" : "on one node; without `span[hosts=1]` LSF may spread the slots");
  }
  void spread(const DirectivePart* n, std::int64_t slots) {
    shape().spread = slots;
    draft_.kept(*n, "ntasks", std::to_string(slots), "LSF may place the slots on any hosts");
  }

  void report_slots(const DirectivePart* n, const std::string& note) {
    if (n == nullptr) return;
    const std::string as = batch::starts_processes(draft_) ? "launch.processes, resources.cpus" : "resources.cpus";
    const bool range = n->value.find(',') != std::string::npos;
    if (range) draft_.approximated(*n, as, "the least of the range");
    else if (note.empty()) draft_.mapped(*n, as);
    else draft_.approximated(*n, as, note);
  }

  void report_spans() {
    for (const DirectivePart& p : draft_.script.parts) {
      if (p.option != "-R span") continue;
      see(p);
      const std::string text = trimmed_lower(p.value);
      const bool known = text.starts_with("ptile=") || text.starts_with("hosts=");
      if (known && text.find_first_of(",[") == std::string::npos) draft_.mapped(p, "resources.nodes");
      else if (known) draft_.approximated(p, "resources.nodes", "the same number on every node");
      else draft_.lost(p, "`span` takes ptile or hosts");
    }
  }
  static std::string trimmed_lower(std::string_view text) { return muster::lower(trimmed(text)); }

  // ---- what is reserved -------------------------------------------------------------------------------

  void read_usage(const DirectivePart& p, const std::string& name) {
    see(p);
    if (name == "mem") return read_memory(p);
    if (is_gpu_usage(name)) return take_gpus(p, p.value);
    if (name == "ngpus_mode" || name == "mode" || name == "duration" || name == "decay")
      return draft_.approximated(p, "nothing", "how LSF counts what is reserved");
    if (name == "tmp" || name == "scratch" || name == "swp")
      return draft_.lost(p, "disk or swap space, in the unit of that site");
    draft_.lost(p, "a resource of that site");
  }

  // Per host, as LSF reserves where RESOURCE_RESERVE_PER_TASK is not set, or as `/host` and `/task` say.
  void read_memory(const DirectivePart& p) {
    const std::size_t slash = p.value.find('/');
    const std::string_view of = slash == std::string::npos ? "" : std::string_view(p.value).substr(slash + 1);
    if (!of.empty() && of != "host" && of != "task") return draft_.lost(p, "an amount of neither a host nor a task");
    const auto measure = batch::measure_of(std::string_view(p.value).substr(0, slash));
    const auto bytes = measure ? batch::bytes_of(*measure, "m") : std::nullopt;
    if (!bytes || *bytes < 1) return draft_.lost(p, "`" + printable(p.value, 40) + "` is not a size");
    if (reserved_) return draft_.approximated(p, "resources.memory", "the first amount is taken");
    reserved_ = true;
    if (shape().spread) return draft_.lost(p, "the memory of tasks on any hosts");
    shape().memory = of == "task" ? *bytes * shape().tasks : *bytes;
    const bool unit = !measure->unit.empty();
    if (unit && !of.empty()) return draft_.mapped(p, "resources.memory");
    draft_.approximated(p, "resources.memory",
                        std::string(unit ? "" : "taken as MB, which LSF_UNIT_FOR_LIMITS may change, and ") +
                            (unit ? "taken " : "") + "as the amount of a node, not of a slot");
  }

  // -M limits a process: where nothing is reserved, it is all that says how much memory is meant.
  void read_limit() {
    const DirectivePart* p = batch::last_part(draft_.script, "-M");
    for (const DirectivePart& other : draft_.script.parts)
      if (other.option == "-M" && &other != p) draft_.mapped(other, "nothing", "a later `-M` replaces it");
    if (p == nullptr) return;
    see(*p);
    if (shape().memory) return draft_.approximated(*p, "resources.memory", "what `rusage` reserves is the limit");
    const auto measure = batch::measure_of(p->value);
    const std::string unit = measure && measure->unit.empty() ? unit_of(measure->count) : "";
    const auto bytes = measure ? batch::bytes_of(*measure, unit) : std::nullopt;
    if (!bytes || *bytes < 1) return draft_.lost(*p, "`" + printable(p->value, 40) + "` is not a size");
    if (shape().spread) return draft_.lost(*p, "the memory of tasks on any hosts");
    shape().memory = bytes;
    draft_.approximated(*p, "resources.memory",
                        unit.empty() ? "a limit of a process, taken for the node"
                                     : "taken as " + upper(unit) + "B, since LSF_UNIT_FOR_LIMITS is not in the file");
  }
  // LSF counts KB, and most sites another unit: the one in which the number is a memory.
  static std::string unit_of(std::int64_t count) { return count >= 1'000'000 ? "k" : count >= 512 ? "m" : "g"; }

  // ---- GPUs -------------------------------------------------------------------------------------------

  void take_gpus(const DirectivePart& p, std::string_view value) {
    const std::size_t slash = value.find('/');
    const auto count = batch::count_of(value.substr(0, slash));
    if (!count) return draft_.lost(p, "`" + printable(value, 40) + "` is not a number of GPUs");
    const bool of_task = slash != std::string_view::npos && trimmed(value.substr(slash + 1)).starts_with("task");
    if (shape().gpus) return draft_.mapped(p, "resources.gpus", "another option gives the GPUs too");
    shape().gpus = of_task ? *count * shape().tasks : *count;
    if (*count == 0) draft_.mapped(p, "resources.gpus", "none");
    else draft_.mapped(p, "resources.gpus", of_task ? "for " + counted(shape().tasks, "task") + " per node" : "");
  }

  void read_gpu(const DirectivePart& p) {
    see(p);
    const std::string name = p.option.size() > 5 ? p.option.substr(5) : "";
    if (name.empty() || p.option == "-gpgpu") {
      shape().gpus = 1;
      return draft_.approximated(p, "resources.gpus", "one, which is LSF's default unless the site sets another");
    }
    if (name == "num") return take_gpus(p, p.value);
    if (name == "gmodel") {
      shape().gpu_model = p.value.substr(0, p.value.find('-'));
      return draft_.mapped(p, "resources.gpu");
    }
    if (name == "gmem") return read_gpu_memory(p);
    if (is_one_of(name, {"mode", "j_exclusive", "mps", "aff", "block", "glink", "nvlink", "gtile", "gvendor"}))
      return draft_.approximated(p, "resources.gpus", "how LSF shares and chooses GPUs; a job has its own");
    draft_.lost(p, "no key of the language says it");
  }

  void read_gpu_memory(const DirectivePart& p) {
    const auto measure = batch::measure_of(p.value);
    const auto bytes = measure ? batch::bytes_of(*measure, "m") : std::nullopt;
    if (!bytes || *bytes < 1) return draft_.lost(p, "`" + printable(p.value, 40) + "` is not a size");
    draft_.role().resources.gpu_memory = model::Located<Size>{{*bytes}, p.span};
    if (measure->unit.empty()) draft_.approximated(p, "resources.gpu-memory", "taken as MB");
    else draft_.mapped(p, "resources.gpu-memory");
  }

  Draft& draft_;
  Span where_;
  bool whole_nodes_ = false, reserved_ = false;
};

}  // namespace

void import_layout(Draft& draft) { SlotLayout(draft).run(); }

}  // namespace muster::targets::lsf
