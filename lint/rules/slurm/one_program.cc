// One program in a job of several tasks or GPUs: SLM049 tasks-for-one-program, and the certain cases of SLM010
// gpu-idle-single-process.
#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "lint/rules/slurm/job.h"

namespace muster::lint {
namespace {

using shell::Command;

// ---- SLM049 ------------------------------------------------------------------------------------------

// Names and options of scripts that use tasks or other nodes in some way.
constexpr auto uses_tasks =
    std::to_array<std::string_view>({"SLURM_NTASKS", "SLURM_TASKS", "SLURM_NPROCS", "hostname", "NODELIST", "mpi4py",
                                     "horovod", "hostfile", "n_tasks", "ntasks", "cluster", "MPI", "distributed"});

bool is_own_program(const Command& c) {
  const std::string_view program = c.program();
  const bool text = shell::has_trait(program, shell::bourne);
  return (text && c.words.size() > 1) || program.ends_with(".sh") || program.starts_with("./");
}

void check_tasks_of_one(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  const slurm::Directive* tasks = job.directive(c.tasks.by);
  if (!c.tasks || *c.tasks < 2 || tasks == nullptr || job.meaning.components.size() > 1 || !job.script.batch) return;
  if (c.nodes.given() || c.tasks_per_node.given() || c.min_cpus.given() || c.nodelist.given() || c.sets_layout ||
      c.tasks_per_gpu.given() || c.gpus_per_task.given() || c.gpus_total.given() || c.contiguous.given())
    return;
  const bool gpus = c.gpus_per_node.given();
  const bool memory = c.memory && c.memory->per == slurm::MemoryPer::node && !c.memory->all;
  if (!gpus && !memory) return;
  const auto& starts = job.meaning.starts;
  if (starts.empty()) return;
  const bool plain = std::all_of(starts.begin(), starts.end(), [&](const slurm::Start& s) {
    const shell::Launch& launch = job.launch(s.launch);
    return !s.step && launch.kind == shell::Launcher::python && !job.command(launch).background;
  });
  if (!plain || std::any_of(job.body.commands.begin(), job.body.commands.end(), is_own_program)) return;
  const std::string_view body = job.sources().text(job.script.body);
  if (!shell::mentioned(body, shell::elsewhere | shell::several).empty()) return;
  for (const std::string_view word : uses_tasks)
    if (job.triples.may_hold(word) && body.find(word) != std::string_view::npos) return;
  const shell::Launch& launch = job.launch(starts.front().launch);
  const std::string number = std::to_string(*c.tasks);
  Finding& f = job.wrong(RuleId::tasks_for_one_program, c.tasks.by,
                         "Slurm may spread these " + number +
                             " tasks over several nodes, but one Python process runs, "
                             "on the first node");
  f.labels.push_back({launch.span, "one process"});
  const bool cpus = c.cpus_per_task.given();
  f.notes.push_back(cpus ? "write `--nodes=1`, or request one task"
                         : "for " + number + " CPUs of one node write `--cpus-per-task=" + number + "`");
}

// ---- SLM010 ------------------------------------------------------------------------------------------

bool takes_whole_nodes(const slurm::Component& c) { return c.exclusive.given() || (c.memory && c.memory->all); }

const slurm::Directive* gpu_request(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  return job.directive(c.gpus_per_node.given() ? c.gpus_per_node.by : c.gpus_total.by);
}

// The devices of `0,1`: digits and commas alone.
std::int64_t device_count(std::string_view list) {
  if (list.empty() || list.find_first_not_of("0123456789,") != std::string_view::npos || list.ends_with(',')) return 0;
  return std::count(list.begin(), list.end(), ',') + 1;
}

// Every setting of CUDA_VISIBLE_DEVICES in the script, and whether all of them are one and the same.
struct VisibleDevices {
  const shell::Word* value = nullptr;
  bool exported = false;  // for all commands that follow
  bool same = true;
  std::vector<const Command*> commands;  // that have it in front

  explicit VisibleDevices(const SlurmJob& job) {
    for (const shell::Export& e : job.body.exports)
      if (e.name == "CUDA_VISIBLE_DEVICES") add(job, job.body.commands[e.command], e.value ? &*e.value : nullptr, true);
    for (const Command& c : job.body.commands)
      for (const shell::Assignment& a : c.assignments)
        if (a.name == "CUDA_VISIBLE_DEVICES") add(job, c, &a.value, false);
  }

 private:
  void add(const SlurmJob& job, const Command& at, const shell::Word* word, bool is_export) {
    const bool sure = word != nullptr && word->literal && at.inside < 0 && !at.background && !at.after_exit &&
                      job.body.unconditional(at) && device_count(word->text) > 0;
    same &= sure && (value == nullptr || value->text == word->text);
    if (!sure) return;
    value = word;
    if (is_export) exported = true;
    else commands.push_back(&at);
  }
};

constexpr std::size_t most_commands = 100;  // with a setting of their own

void check_narrowed(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  if (!job.mentions("CUDA_VISIBLE_DEVICES") || takes_whole_nodes(c) || job.meaning.components.size() > 1) return;
  const auto gpus = c.gpus_a_node.value;
  if (!gpus || *gpus < 2 || !job.script.batch) return;
  const VisibleDevices visible(job);
  if (!visible.same || visible.value == nullptr || job.mentions("unset CUDA_VISIBLE")) return;
  const std::int64_t count = device_count(visible.value->text);
  if (count >= *gpus) return;
  for (const slurm::Start& start : job.meaning.starts)
    if (start.forks.value.value_or(1) > count) return;  // PAR001
  if (visible.commands.size() > most_commands) return;
  // `srun` sets the variable anew in each of its steps.
  const auto is_step = [](const slurm::Start& start) { return start.step; };
  if (visible.exported && std::any_of(job.meaning.starts.begin(), job.meaning.starts.end(), is_step)) return;
  if (!visible.exported) {  // another program may use the others
    for (const Command* command : visible.commands)
      if (command->words.empty()) return;
    for (const slurm::Start& start : job.meaning.starts) {
      const Command& of = job.command(job.launch(start.launch));
      if (std::find(visible.commands.begin(), visible.commands.end(), &of) == visible.commands.end()) return;
    }
    for (const Command& other : job.body.commands)
      if (is_own_program(other) || shell::has_trait(other.program(), shell::contains))
        if (std::find(visible.commands.begin(), visible.commands.end(), &other) == visible.commands.end()) return;
  }
  Finding& f =
      job.wrong_at(RuleId::gpu_idle_single_process, visible.value->span, "CUDA_VISIBLE_DEVICES",
                   "`CUDA_VISIBLE_DEVICES=" + visible.value->text + "` hides " + std::to_string(*gpus - count) +
                       " of the " + std::to_string(*gpus) + " GPUs that the job requests");
  f.severity = Severity::warning;
  if (const slurm::Directive* d = gpu_request(job); d != nullptr)
    f.labels.push_back({d->whole, "requests " + std::to_string(*gpus)});
}

constexpr std::size_t most_followed = 20;

// The value of a variable that is set once, in plain text; "" if it is not.
std::string_view value_of_name(const SlurmJob& job, std::string_view name) {
  std::string_view out;
  for (const Command& c : job.body.commands)
    for (const shell::Assignment& a : c.assignments)
      if (a.name == name) {
        if (!out.empty()) return {};
        out = job.sources().text(a.value.span);
      }
  return out;
}

// The program of a command line, behind `eval` and the variables that hold it.
std::string_view program_behind(const SlurmJob& job, const Command& c) {
  std::string_view word = c.program();
  if (word == "eval" && c.words.size() > 1) word = c.words[1].text;
  for (int round = 0; round < 3 && word.find('$') != std::string_view::npos; ++round) {
    std::string_view name = word.substr(word.find('$') + 1);
    if (name.starts_with('{')) name.remove_prefix(1);
    std::size_t end = 0;
    while (end < name.size() && is_name_char(name[end])) ++end;
    word = trimmed(value_of_name(job, name.substr(0, end)), "\"' \t");
    word = word.substr(0, word.find_first_of(" \t"));
  }
  return base_name(word);
}

// R without a launcher: it uses one GPU at most, and that through a package.
void check_r(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  const auto gpus = c.gpus_a_node.value;
  if (!gpus || *gpus < 2 || !job.meaning.starts.empty() || job.meaning.components.size() > 1 || !job.script.batch)
    return;
  if (job.mentions("CUDA_VISIBLE_DEVICES=")) return;
  const Command* only = nullptr;
  std::size_t followed = 0;  // each variable is looked for in the whole text
  for (const Command& command : job.body.commands) {
    if (is_own_program(command)) return;
    if (command.program() == "eval" || command.program().find('$') != std::string_view::npos)
      if (++followed > most_followed) return;
    if (!is_one_of(program_behind(job, command), {"R", "Rscript"}) || command.condition) continue;
    if (only != nullptr || command.background || !job.body.unconditional(command)) return;
    only = &command;
  }
  if (only == nullptr) return;
  const slurm::Directive* d = gpu_request(job);
  Finding& f = job.wrong_at(RuleId::gpu_idle_single_process,
                            d != nullptr && d->whole.file == job.script.file ? d->whole : only->span, "R",
                            "one R process for " + std::to_string(*gpus) + " GPUs per node: the others may stay idle");
  f.severity = Severity::info;
  if (d != nullptr) f.labels.push_back({only->span, "one process"});
}

}  // namespace

void check_one_program(const SlurmJob& job) {
  check_tasks_of_one(job);
  check_narrowed(job);
  check_r(job);
}

}  // namespace muster::lint
