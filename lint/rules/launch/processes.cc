// SLM001 double-launch, SLM002 gpus-processes-mismatch, SLM010 gpu-idle-single-process: who starts how many processes
// on how many GPUs.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "lint/rules/launch/script_job.h"

namespace muster::lint {
namespace {

// Visible GPUs are narrowed by hand: how many a process sees is not the directive's number.
bool narrows_gpus(const ScriptJob& job) {
  const auto narrows = [](const std::string& name) {
    return name == "CUDA_VISIBLE_DEVICES" || name == "ROCR_VISIBLE_DEVICES";
  };
  for (const shell::Export& e : job.body.exports)
    if (narrows(e.name)) return true;
  for (const shell::Command& c : job.body.commands)
    for (const shell::Assignment& a : c.assignments)
      if (narrows(a.name)) return true;
  return false;
}

// ---- SLM001 ------------------------------------------------------------------------------------------

// Edits that leave one task a node with the CPUs of all of them; empty where they cannot be made surely.
std::vector<Edit> one_task_a_node(const ScriptJob& job, const slurm::Start& start, std::int64_t tasks) {
  const slurm::Component& c = job.component(start);
  const Said* d = job.said(c.tasks_per_node.by);
  const shell::Launch& outer = job.launch(start.launch);
  const bool says_itself = outer.processes.stated() || outer.per_node.stated() || outer.nodes.stated();
  if (!c.tasks_per_node || d == nullptr || d->value.file != job.script.file || says_itself) return {};
  if (c.tasks.by != slurm::no_directive || job.meaning.components.size() > 1 || c.cpus_per_gpu.given()) return {};
  std::vector<Edit> edits = {{d->value, "1"}};
  const Said* cpus = job.said(c.cpus_per_task.by);
  if (c.cpus_per_task && cpus != nullptr && cpus->value.file == job.script.file) {
    edits.push_back({cpus->value, std::to_string(*c.cpus_per_task * tasks)});
  } else if (!c.cpus_per_task.given()) {
    const Span line = whole_line(job.sources(), d->whole);
    edits.push_back({{line.file, line.end, line.end}, "#SBATCH --cpus-per-task=" + std::to_string(tasks) + "\n"});
  } else {
    return {};
  }
  return edits;
}

void check_double_launch(const ScriptJob& job, const slurm::Start& start, bool narrowed) {
  if (start.inner < 0 || start.inner == start.launch || !start.tasks_per_node.value || !start.forks.value) return;
  const shell::Launch& inner = job.launch(start.inner);
  const slurm::Component& c = job.component(start);
  const std::int64_t tasks = *start.tasks_per_node.value, forks = *start.forks.value;
  if (!shell::starts_ranks(inner.kind) || tasks < 2 || forks < 2 || narrowed) return;
  const std::int64_t gpus =
      c.gpus_a_node.value.value_or(0);  // none asked for: not given, as nodes may have them anyway
  if (tasks * forks <= gpus) return;
  const std::string launcher(name(inner.kind));
  const std::string start_text = std::to_string(tasks) + " tasks per node each start `" + launcher +
                                 "`, which starts " + std::to_string(forks) +
                                 " processes: " + std::to_string(tasks * forks) + " in total";
  Finding& f = gpus > 0 ? job.wrong_at(RuleId::double_launch, inner.span, launcher,
                                       start_text + " on " + std::to_string(gpus) + " GPUs", "started by each task")
                        : job.cannot_tell_at(RuleId::double_launch, inner.span, launcher,
                                             start_text + "; the number of GPUs per node is not declared");
  if (const Said* d = job.said(c.tasks_per_node.by); d != nullptr && c.tasks_per_node && *c.tasks_per_node == tasks)
    f.labels.push_back({d->whole, std::to_string(tasks) + " tasks per node"});
  if (f.verdict == Verdict::wrong && !job.surely_runs(start)) f.severity = Severity::warning;
  std::vector<Edit> edits = one_task_a_node(job, start, tasks);
  if (!edits.empty()) f.fix = Fix{"start one task per node", job.meaning.starts.size() == 1, std::move(edits)};
}

// ---- SLM002, SLM010 ----------------------------------------------------------------------------------

// Flags and settings by which programs use several GPUs of their own.
constexpr std::string_view gpu_settings[] = {"num_gpus", "num-gpus", "num_gpu",    "gpu_num", "n_gpus",
                                             "n_gpu",    "ngpus",    "gpus",       "gpu_ids", "gpu-ids",
                                             "gpu_id",   "devices",  "device_ids", "gpu"};
constexpr std::string_view spread_words[] = {"multiprocessing-distributed",
                                             "data_parallel",
                                             "data-parallel",
                                             "dataparallel",
                                             "multi_gpu",
                                             "multi-gpu",
                                             "use_accelerate",  // of transformers and lm-eval, as the next ones
                                             "device_map",
                                             "parallelize",
                                             "max_memory_per_gpu",
                                             "tensor_parallel",
                                             "tensor-parallel",
                                             "model_parallel",
                                             "model-parallel",
                                             "pipeline_parallel",
                                             "pipeline-parallel",
                                             "pipeline_para_size",
                                             "tensor_para_size"};
// Settings of these that say no, or one.
constexpr std::string_view off_values[] = {"0", "1", "false", "no", "none"};

// A word of a command line as the name and the value of a setting: "--num_gpus=4", "trainer.gpus=4", "--gpus 4",
// "NUM_GPUS 4"; the name without dashes and what is in front of a dot. No name: it is not a setting.
struct CommandSetting {
  std::string_view name, value;
};

CommandSetting setting_at(const std::vector<shell::Word>& words, std::size_t index) {
  const std::string_view word = words[index].text;
  const std::size_t equals = word.find('=');
  CommandSetting out{word.substr(0, equals), {}};
  if (equals != std::string_view::npos) out.value = word.substr(equals + 1);
  else if (index + 1 < words.size()) out.value = words[index + 1].text;
  const bool bare = equals == std::string_view::npos && !word.starts_with('-') && word != "NUM_GPUS";
  if (bare) return {};
  out.name.remove_prefix(std::min(out.name.find_first_not_of('-'), out.name.size()));
  if (const std::size_t dot = out.name.rfind('.'); dot != std::string_view::npos) out.name.remove_prefix(dot + 1);
  return out;
}

// The program spreads itself over the GPUs.
bool spreads_itself(const shell::Command& command) {
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    const CommandSetting setting = setting_at(command.words, i);
    if (setting.name.empty()) continue;
    const bool counts = std::any_of(std::begin(gpu_settings), std::end(gpu_settings),
                                    [&](std::string_view w) { return equal_ignoring_case(w, setting.name); });
    if (counts && !setting.value.empty() && setting.value != "0" && setting.value != "1") return true;
    if (setting.value.starts_with("ddp")) return true;
    const std::string_view word = command.words[i].text;
    const bool off = std::any_of(std::begin(off_values), std::end(off_values),
                                 [&](std::string_view w) { return equal_ignoring_case(w, setting.value); });
    if (!off && std::any_of(std::begin(spread_words), std::end(spread_words),
                            [&](std::string_view w) { return word.find(w) != std::string_view::npos; }))
      return true;
  }
  return false;
}

// Each process may use several GPUs, as many as its parts of the model.
bool splits_model(const shell::Command& command) {
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    const CommandSetting setting = setting_at(command.words, i);
    const bool one = setting.value == "1" || equal_ignoring_case(setting.value, "false");
    for (const std::string_view word : {"model_para", "model-para", "tensor_para", "tensor-para", "tensor_model_para",
                                        "tensor-model-para", "pipeline_para", "pipeline-para", "pipeline-model-para",
                                        "device_map", "device-map", "parallelize", "tp_size", "tp-size", "pp_size"})
      if (!one && setting.name.find(word) != std::string_view::npos) return true;
  }
  return false;
}

// `srun -l bash -c hostname`: a step that only shows where the job runs.
bool shows_the_job(const ScriptJob& job, const slurm::Start& start) {
  const shell::Launch& launch = job.launch(start.launch);
  if (launch.kind != shell::Launcher::srun || launch.program.empty()) return false;
  if (launch.program.size() == 3 && launch.program[1].text == "-c" &&
      shell::has_trait(launch.program[0].text, shell::bourne))
    return shell::has_effect(trimmed(launch.program[2].text, "'\" "), shell::Effect::prints);
  return shell::doing(launch.program).is({shell::Effect::prints});
}

// One start that surely is all that runs: several side by side may share the GPUs among them.
const slurm::Start* only_start(const ScriptJob& job) {
  const auto shows = [&](const slurm::Start& s) { return shows_the_job(job, s); };
  const auto& starts = job.meaning.starts;
  if (job.meaning.components.size() > 1 ||
      static_cast<std::size_t>(std::count_if(starts.begin(), starts.end(), shows)) + 1 != starts.size())
    return nullptr;
  const slurm::Start& start = *std::find_if_not(starts.begin(), starts.end(), shows);
  const shell::Command& command = job.command(job.launch(start.launch));
  return job.surely_runs(start) && !command.background && !narrows_gpus(job) ? &start : nullptr;
}

void check_idle_gpus(const ScriptJob& job) {
  const slurm::Start* start = only_start(job);
  if (start == nullptr || !start->per_node.value || !start->nodes.value) return;
  const slurm::Component& c = job.component(*start);
  if (!c.gpus_a_node.value || *start->per_node.value >= *c.gpus_a_node.value) return;
  const std::int64_t processes = *start->per_node.value, gpus = *c.gpus_a_node.value;
  const shell::Launch& launch = job.launcher(*start);
  const bool launched = shell::starts_ranks(launch.kind);
  if (launched && processes == 1 && c.exclusive && *c.exclusive == slurm::Exclusive::node)
    return;  // a whole node for one
  if (launched && (splits_model(job.command(launch)) || may_have_more_options(launch))) return;
  if (!launched && (processes != 1 || launch.kind != shell::Launcher::python || spreads_itself(job.command(launch))))
    return;
  const bool single = processes == 1 && !launched;
  const std::int32_t by = c.gpus_per_node.given() ? c.gpus_per_node.by : c.gpus_total.by;
  const Said* d = job.said(by);
  const std::string message = std::to_string(processes) + (processes == 1 ? " process" : " processes") +
                              " per node for " + std::to_string(gpus) +
                              " GPUs per node: " + std::to_string(gpus - processes) + " may stay idle";
  if (single && d != nullptr && d->whole.file == job.script.file) {  // what the program does itself is not known
    Finding& f = job.wrong_at(RuleId::gpu_idle_single_process, d->whole, std::string(name(launch.kind)), message);
    f.severity = Severity::info;
    f.labels.push_back({launch.span, "one process"});
    return;
  }
  Finding& f = job.wrong_at(single ? RuleId::gpu_idle_single_process : RuleId::gpus_processes_mismatch, launch.span,
                            std::string(name(launch.kind)), message);
  if (single) f.severity = Severity::info;
  if (d != nullptr) f.labels.push_back({d->whole, "requests " + std::to_string(gpus)});
}

}  // namespace

void check_processes(const ScriptJob& job) {
  const bool narrowed = narrows_gpus(job);
  for (const slurm::Start& start : job.meaning.starts)
    if (start.launch >= 0) check_double_launch(job, start, narrowed);
  check_idle_gpus(job);
}

}  // namespace muster::lint
