// PAR001 world-size, PAR004 tp-serving-gpus, SLM033 launcher-without-gpus, SLM046 devices-beyond-gpus: what a launcher
// starts against the GPUs and the nodes of the job.
#include <algorithm>
#include <map>

#include "compiler/base/text.h"
#include "lint/rules/launch/script_job.h"

namespace muster::lint {
namespace {

bool whole_nodes(const slurm::Component& c) { return c.exclusive && *c.exclusive == slurm::Exclusive::node; }

std::string directive_label(std::int64_t gpus) { return "requests " + counted(gpus, "GPU"); }

std::int32_t gpus_by(const slurm::Component& c) {
  for (const auto* field : {&c.gpus_per_node, &c.gpus_per_task, &c.gpus_total})
    if (field->given()) return field->by;
  return slurm::no_directive;
}

// A step that takes a part of the job's GPUs.
bool takes_part_of_gpus(const shell::Launch& launch) {
  return std::any_of(launch.options.begin(), launch.options.end(), [](const shell::LaunchOption& o) {
    return o.name.starts_with("gpus") || o.name == "gres" || o.name == "tres-per-task" || o.name == "gpu-bind";
  });
}

// ---- visible devices ---------------------------------------------------------------------------------

bool is_device_list(std::string_view name) {
  return name == "CUDA_VISIBLE_DEVICES" || name == "ROCR_VISIBLE_DEVICES" || name == "HIP_VISIBLE_DEVICES";
}

struct DeviceList {
  std::int64_t count = 0, largest = -1;
};

// "0,1,3"; nullopt for anything else.
std::optional<DeviceList> device_list(const shell::Word& value) {
  if (!value.literal || value.text.empty()) return std::nullopt;
  DeviceList out;
  for (const std::string_view part : split(value.text, ',')) {
    const auto index = whole_number(trimmed(part));
    if (!index || *index > 1024) return std::nullopt;
    ++out.count, out.largest = std::max(out.largest, *index);
  }
  return out;
}

// Which devices the script makes visible, and whether it computes on CPUs: read once, asked for each start.
struct Devices {
  std::map<std::uint32_t, const shell::Word*> of_command;             // `CUDA_VISIBLE_DEVICES=0 python …`
  std::vector<std::pair<std::uint32_t, const shell::Word*>> lasting;  // where they are set from then on
  bool sure = true;                                                   // each of the lasting ones, once
  bool computes_on_cpus = false;

  explicit Devices(const ScriptJob& job) : computes_on_cpus(job.mentions("gloo")) {
    for (const shell::Export& e : job.body.exports)
      if (is_device_list(e.name)) add_lasting(job, e.command, e.value ? &*e.value : nullptr);
    for (std::uint32_t i = 0; i < job.body.commands.size(); ++i)
      for (const shell::Assignment& a : job.body.commands[i].assignments) {
        if (!is_device_list(a.name)) continue;
        if (job.body.commands[i].words.empty()) add_lasting(job, i, &a.value);
        else of_command[i] = &a.value;
      }
    std::sort(lasting.begin(), lasting.end());
  }

  bool none() const { return of_command.empty() && lasting.empty(); }

 private:
  void add_lasting(const ScriptJob& job, std::uint32_t command, const shell::Word* value) {
    const shell::Command& at = job.body.commands[command];
    sure &= at.inside < 0 && job.body.unconditional(at);
    lasting.emplace_back(at.span.begin, value);
  }
};

// The GPUs of a node that a process can see: what the job requests, or fewer where the script says so.
struct VisibleGpus {
  std::int64_t count = 0;
  bool narrowed = false;  // by CUDA_VISIBLE_DEVICES
  Span by;                // where it is set
};

// The job's GPUs of a node; where Slurm may spread a total, all of them.
std::optional<std::int64_t> most_gpus_of_node(const ScriptJob& job, const slurm::Component& c) {
  const bool of_tasks = c.gpus_per_task.given() && !c.gpus_per_node.given() && !c.gpus_total.given();
  const bool counted = effective(job.script, "ntasks") != nullptr ||
                       effective(job.script, "ntasks-per-node") != nullptr || effective(job.script, "nodes") != nullptr;
  if (of_tasks && !counted) return std::nullopt;  // the number of tasks is on the command line of sbatch
  return c.gpus_a_node.value ? c.gpus_a_node.value : c.gpus_in_all.value;
}

std::optional<VisibleGpus> narrowed_to(const shell::Word* value) {
  const auto list = value == nullptr ? std::nullopt : device_list(*value);
  if (!list) return std::nullopt;
  return VisibleGpus{list->count, true, value->span};
}

// nullopt where only the run can tell.
std::optional<VisibleGpus> visible_gpus(const ScriptJob& job, const slurm::Start& start, const Devices& devices) {
  const slurm::Component& c = job.component(start);
  const auto gpus = most_gpus_of_node(job, c);
  if (!gpus) return std::nullopt;
  const std::uint32_t outer = job.launch(start.launch).command;
  for (const std::uint32_t command : {job.launcher(start).command, outer})
    if (const auto own = devices.of_command.find(command); own != devices.of_command.end())
      return narrowed_to(own->second);
  if (devices.lasting.empty()) {
    if (whole_nodes(c) || takes_part_of_gpus(job.launch(start.launch))) return std::nullopt;
    return VisibleGpus{*gpus, false, {}};
  }
  const auto& [at, value] = devices.lasting.back();
  if (!devices.sure || at > job.body.commands[outer].span.begin) return std::nullopt;
  return narrowed_to(value);
}

// ---- PAR001: processes -------------------------------------------------------------------------------

bool computes_on_cpus(const Devices& devices, const shell::Launch& launch) {
  return launch.option("cpu") != nullptr || launch.option("use-cpu") != nullptr || devices.computes_on_cpus;
}

// What accelerate counts over all machines, whose number a file of the user may hold.
bool may_read_nodes(const shell::Launch& launch) {
  return row_of(launch.kind).of_all_nodes && !launch.nodes.span.known();
}

// "on a node, but the job has 4 GPUs there".
std::string beside_gpus(const ScriptJob& job, const VisibleGpus& seen) {
  const std::string gpus = counted(seen.count, "GPU");
  const std::string where = job.host.is_container() ? "in a pod, but " : "on a node, but ";
  if (seen.narrowed) return where + "`CUDA_VISIBLE_DEVICES` shows them " + gpus;
  return where + (job.host.is_container() ? "its container has " + gpus : "the job has " + gpus + " there");
}

void check_processes_on_gpus(const ScriptJob& job, const slurm::Start& start, const Devices& devices) {
  const shell::Launch& inner = job.launcher(start);
  const auto assumed = start.forks.value ? std::nullopt : assumed_processes(inner);
  const std::int64_t forks = start.forks.value ? *start.forks.value : assumed.value_or(0);
  if (!shell::starts_ranks(inner.kind) || start.tasks_per_node.value.value_or(1) != 1 || forks < 1) return;
  const auto seen = visible_gpus(job, start, devices);
  const bool counts_itself = inner.processes.per_gpu;
  if (!seen || seen->count < 1 || forks <= seen->count || counts_itself || computes_on_cpus(devices, inner)) return;
  const std::string launcher(name(inner.kind));
  Finding& f =
      job.wrong_at(RuleId::world_size, inner.processes.span.known() ? inner.processes.span : inner.span, launcher,
                   "`" + launcher + "` starts " + std::to_string(forks) + " processes " + beside_gpus(job, *seen));
  f.notes.push_back("each process uses a GPU of its own: start as many, or request " + counted(forks, "GPU"));
  if (assumed) f.notes.push_back("this is the default: what is set before the job is submitted replaces it");
  const Said* d = job.said(gpus_by(job.component(start)));
  if (seen->narrowed) f.labels.push_back({seen->by, "set here"});
  else if (d != nullptr) f.labels.push_back({d->whole, directive_label(seen->count)});
  const bool one_node = job.component(start).nodes && job.component(start).nodes->max == 1;
  if (assumed || !job.surely_runs(start) || (may_read_nodes(inner) && !one_node)) f.severity = Severity::warning;
}

// ---- PAR001: rendezvous ------------------------------------------------------------------------------

// The one step of the job runs the launcher on all of its nodes.
bool runs_on_all_nodes(const ScriptJob& job, const slurm::Start& start) {
  const shell::Launch& outer = job.launch(start.launch);
  const slurm::Component& c = job.component(start);
  const bool picks = outer.option("nodelist") != nullptr || outer.option("relative") != nullptr ||
                     outer.option("exclude") != nullptr || outer.option("het-group") != nullptr || outer.het;
  const bool all = start.step && c.nodes && c.nodes->min == c.nodes->max && start.nodes.value == c.nodes->min;
  return all && !picks && job.meaning.components.size() == 1;
}

void check_rendezvous(const ScriptJob& job, const slurm::Start& start) {
  const shell::Launch& inner = job.launcher(start);
  if (!start.joined.value || !start.joined.span.known() || !start.tasks_per_node.value) return;
  if (!runs_on_all_nodes(job, start) || inner.kind == shell::Launcher::deepspeed) return;
  const std::int64_t runs = *start.nodes.value, joined = *start.joined.value;
  if (joined == runs || joined < 2 || *start.tasks_per_node.value != 1) return;
  const std::string launcher(name(inner.kind));
  Finding& f = job.wrong_at(RuleId::world_size, start.joined.span, launcher,
                            joined > runs ? "`" + launcher + "` waits for " + std::to_string(joined) +
                                                " nodes, but the job runs it on " + std::to_string(runs)
                                          : "`" + launcher + "` joins " + std::to_string(joined) +
                                                " nodes, but the job runs it on " + std::to_string(runs));
  f.notes.push_back("write the number of nodes of the job: `" +
                    (job.is_of_slurm() ? "$SLURM_NNODES" : std::to_string(runs)) + "`");
  if (const Said* d = job.said(job.component(start).nodes.by); d != nullptr)
    f.labels.push_back({d->whole, counted(runs, "node")});
  if (!job.surely_runs(start)) f.severity = Severity::warning;
}

// ---- SLM033 ------------------------------------------------------------------------------------------

// Partitions and constraints by which clusters give GPUs without an option that counts them.
bool may_have_gpus_unasked(const ScriptJob& job, const slurm::Component& c) {
  if (c.gres.given() || c.constraint.given() || c.nodelist.given() || c.reservation.given() || c.licenses.given())
    return true;
  return whole_nodes(c) || (c.memory && c.memory->all) || (job.context.site == nullptr && c.partitions.given());
}

void check_without_gpus(const ScriptJob& job, const slurm::Start& start, const Devices& devices) {
  const shell::Launch& inner = job.launcher(start);
  const slurm::Component& c = job.component(start);
  if (!shell::starts_ranks(inner.kind) || start.forks.value.value_or(0) < 2 || inner.processes.per_gpu) return;
  if (c.gpus_in_all.value != 0 || c.gpus_a_node.value != 0 || computes_on_cpus(devices, inner)) return;
  if (!job.is_of_slurm() || !job.host.submitted || job.script.components > 1 || job.mentions("\n#YBATCH"))
    return;  // which requests GPUs
  const std::string launcher(name(inner.kind));
  const std::string message = "`" + launcher + "` starts " + std::to_string(*start.forks.value) +
                              " processes, but the job does not request GPUs";
  const auto pools = pools_of(job);
  const bool none = job.context.site != nullptr && !pools.empty() &&
                    std::none_of(pools.begin(), pools.end(), [](const model::Pool* p) { return bool(p->gpu); });
  if (none || !may_have_gpus_unasked(job, c)) {
    Finding& f = job.wrong_at(RuleId::launcher_without_gpus, inner.span, launcher, message);
    if (none) f.notes.push_back("no node of this queue has GPUs");
    f.notes.push_back("request them: `#SBATCH --gpus-per-node=" + std::to_string(*start.forks.value) + "`");
    return;
  }
  job.cannot_tell_at(RuleId::launcher_without_gpus, inner.span, launcher,
                     message + "; whether the partition gives them by itself is not known");
}

// ---- PAR004 ------------------------------------------------------------------------------------------

struct ServerOption {
  std::int64_t value = 1;
  Span span;
};

// The value of the first of these options; nullopt where it is not a number that is written.
std::optional<ServerOption> option_value(const shell::Command& c, std::initializer_list<std::string_view> names) {
  for (std::size_t i = 0; i < c.words.size(); ++i) {
    std::string word = c.words[i].text.substr(0, 60);
    std::replace(word.begin(), word.end(), '_', '-');
    const std::size_t equals = word.find('=');
    if (std::find(names.begin(), names.end(), std::string_view(word).substr(0, equals)) == names.end()) continue;
    const bool next = equals == std::string::npos;
    if (next && i + 1 == c.words.size()) return std::nullopt;
    const shell::Word& value = next ? c.words[i + 1] : c.words[i];
    const auto number = value.literal ? whole_number(next ? value.text : value.text.substr(equals + 1)) : std::nullopt;
    if (!number || *number < 1 || *number > 4096) return std::nullopt;
    return ServerOption{*number, value.span};
  }
  return ServerOption{};
}

// What starts a model server, as the words of a command name it.
std::string_view server_of(const shell::Command& c) {
  for (std::size_t i = 0; i < c.words.size(); ++i) {
    const std::string_view word = c.words[i].text;
    if (base_name(word) == "vllm" && i + 1 < c.words.size() && c.words[i + 1].text == "serve") return "vllm";
    if (word.starts_with("vllm.entrypoints.")) return "vllm";
    if (word == "sglang.launch_server") return "sglang";
  }
  return {};
}

void check_server(const ScriptJob& job, const shell::Command& c, const Devices& devices) {
  const std::string_view server = server_of(c);
  const slurm::Component& component = job.meaning.job();
  if (server.empty() || job.meaning.components.size() > 1 || whole_nodes(component) || !devices.none()) return;
  const bool one_node = component.nodes && component.nodes->max == 1;
  const shell::Count& all = one_node && !component.gpus_in_all.value ? component.gpus_a_node : component.gpus_in_all;
  const std::int64_t gpus = all.value.value_or(0);
  const auto tensor = option_value(c, {"--tensor-parallel-size", "-tp", "--tp", "--tp-size"});
  const auto pipeline = option_value(c, {"--pipeline-parallel-size", "-pp", "--pp-size"});
  const auto data = option_value(c, {"--data-parallel-size", "-dp", "--dp-size"});
  const bool nodes = std::any_of(c.words.begin(), c.words.end(), [](const shell::Word& w) {
    return w.text.starts_with("--nnodes") || w.text.starts_with("--data-parallel-size-local") || is_unread(w);
  });
  if (gpus < 1 || !tensor || !pipeline || !data || !tensor->span.known() || nodes) return;
  const std::int64_t degree = tensor->value * pipeline->value * data->value;
  if (degree <= gpus) return;
  Finding& f = job.wrong_at(RuleId::tp_serving_gpus, tensor->span, std::string(server),
                            "the server uses " + counted(degree, "GPU") + ", but the job has " + std::to_string(gpus),
                            "it fails at start");
  if (const Said* d = job.said(gpus_by(component)); d != nullptr) f.labels.push_back({d->whole, directive_label(gpus)});
  if (!job.body.unconditional(c)) f.severity = Severity::warning;
}

// ---- SLM046 ------------------------------------------------------------------------------------------

// PBS and LSF may leave a job all devices of a node.
void check_devices(const ScriptJob& job, const Devices& devices) {
  if (!job.is_of_slurm()) return;
  const slurm::Component& c = job.meaning.job();
  const auto gpus = most_gpus_of_node(job, c);
  if (job.meaning.components.size() > 1 || !gpus || *gpus < 1 || whole_nodes(c)) return;
  std::vector<const shell::Word*> settings;
  for (const auto& [at, value] : devices.lasting) settings.push_back(value);
  for (const auto& [command, value] : devices.of_command) settings.push_back(value);
  for (const shell::Word* value : settings) {
    const auto list = value == nullptr ? std::nullopt : device_list(*value);
    if (!list || list->largest < *gpus) continue;
    Finding& f =
        job.wrong_at(RuleId::devices_beyond_gpus, value->span, "CUDA_VISIBLE_DEVICES",
                     list->count > *gpus ? "this names " + counted(list->count, "device") + ", but the job has " +
                                               counted(*gpus, "GPU") + " per node"
                                         : "there is no device " + std::to_string(list->largest) + ": the job has " +
                                               counted(*gpus, "GPU") + " per node, " +
                                               (*gpus == 1 ? "device 0" : "devices 0 to " + std::to_string(*gpus - 1)));
    if (const Said* d = job.said(gpus_by(c)); d != nullptr) f.labels.push_back({d->whole, directive_label(*gpus)});
    return;
  }
}

}  // namespace

void check_counts(const ScriptJob& job) {
  const Devices devices(job);
  const bool of_pods = job.host.is_container();  // whose kinds say which of them meet, and what a server spans
  for (const slurm::Start& start : job.meaning.starts) {
    if (start.launch < 0) continue;
    check_processes_on_gpus(job, start, devices);
    if (!of_pods) check_rendezvous(job, start);
  }
  if (of_pods) return;
  for (const slurm::Start& start : job.meaning.starts) {
    const std::size_t before = job.report.findings.size();
    if (start.launch >= 0) check_without_gpus(job, start, devices);
    if (job.report.findings.size() != before) break;  // one directive is enough for all
  }
  for (const shell::Command& c : job.body.commands) check_server(job, c, devices);
  check_devices(job, devices);
}

}  // namespace muster::lint
