// SLM039 steps-exclude-each-other, SLM047 step-option-ignored: what steps take of the job.
#include <algorithm>
#include <map>
#include <optional>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "lint/rules/slurm/job.h"
#include "targets/slurm/read/numbers.h"

namespace muster::lint {
namespace {

// ---- SLM039 ------------------------------------------------------------------------------------------

// What a step takes of the nodes that it runs on. Tried on 22.05 and 24.11: a step without --exact takes all
// CPUs, one without --mem all memory of a job with --mem, one without a GPU option all GPUs.
struct Taken {
  const shell::Launch* launch = nullptr;
  std::int64_t nodes = 1;
  std::string all_of;  // "all CPUs"; empty: it leaves the others something
};

std::string takes_all_of(const SlurmJob& job, const shell::Launch& launch) {
  const slurm::Component& c = job.meaning.job();
  if (has_any(launch, {"overlap"})) return {};
  if (!has_any(launch, {"exact", "exclusive", "cpus-per-task", "cpus-per-gpu", "threads-per-core"})) return "CPUs";
  const bool gpus = c.gpus_in_all.value.value_or(0) > 0 || c.gpus_a_node.value.value_or(0) > 0;
  const bool takes_gpus = std::any_of(launch.options.begin(), launch.options.end(), [](const shell::LaunchOption& o) {
    return o.name.starts_with("gpus") || o.name == "gres" || o.name == "tres-per-task";
  });
  if (gpus && !takes_gpus && !c.gpus_per_task.given()) return "GPUs";
  const bool memory = c.memory && !c.memory->all && c.memory->per == slurm::MemoryPer::node;
  if (memory && !has_any(launch, {"mem", "mem-per-cpu", "mem-per-gpu"})) return "memory";
  return {};
}

std::optional<Taken> taken_by(const SlurmJob& job, const shell::Launch& launch, std::int64_t job_nodes) {
  Taken out{&launch, job_nodes, takes_all_of(job, launch)};
  if (launch.nodes.stated() && !launch.nodes.value) return std::nullopt;
  if (launch.nodes.value) out.nodes = *launch.nodes.value;
  else if (launch.processes.stated() && !launch.processes.value) return std::nullopt;
  else if (launch.processes.value) out.nodes = std::min(*launch.processes.value, job_nodes);
  return out;
}

constexpr model::Version first_exclusive{20, 11};  // before, steps shared what the job has

bool says_how_steps_share(const SlurmJob& job) {
  for (const std::string_view name : {"SLURM_OVERLAP", "SLURM_EXACT", "SLURM_EXCLUSIVE", "SLURM_WHOLE", "SRUN_EXACT",
                                      "SLURM_JOBID=", "--jobid", "SLURM_MEM_PER_NODE"})
    if (job.mentions(name)) return true;
  const model::Plane* plane = job.meaning.plane;
  return plane != nullptr && plane->version.span.known() && plane->version.value < first_exclusive;
}

void report_excluded(const SlurmJob& job, const Taken& first, const Taken& second) {
  const bool self = first.launch == second.launch;
  const bool ahead = !job.command(*second.launch).background;
  Finding& f = job.wrong_at(
      RuleId::steps_exclude, second.launch->span, "srun",
      self ? "the steps of this loop run one after another: each takes all " + first.all_of + " of its nodes"
           : "this step waits until the one before it ends, which takes all " + first.all_of + " of its nodes");
  if (!self) f.labels.push_back({first.launch->span, ahead ? "runs in the background" : "takes all " + first.all_of});
  f.notes.push_back(first.all_of == "CPUs"
                        ? "add `--exact` to each step, with the CPUs, GPUs and memory that it needs; or `--overlap`"
                    : first.all_of == "GPUs" ? "write `--gpus=N` at each step, or `--overlap` to share them"
                                             : "write `--mem` at each step, or request `--mem-per-cpu` for the job");
}

// Which steps run, and where, depends on what the text does not say. Words that are not known may be options.
bool depends_on_more(const SlurmJob& job, const shell::Command& command, const shell::Launch& launch) {
  return job.body.inside(command, shell::ScopeKind::branch) != nullptr ||
         job.body.inside(command, shell::ScopeKind::function) != nullptr ||
         has_any(launch, {"nodelist", "relative", "het-group", "jobid", "exclude"}) ||
         (!launch.program.empty() && !launch.program.front().literal);
}

// Commands of the batch script in the order of the text.
std::vector<const shell::Command*> in_order(const SlurmJob& job) {
  std::vector<const shell::Command*> out;
  for (const shell::Command& c : job.body.commands)
    if (c.inside < 0 && !c.after_exit && job.body.inside(c, shell::ScopeKind::substitution) == nullptr)
      out.push_back(&c);
  std::stable_sort(out.begin(), out.end(),
                   [](const shell::Command* a, const shell::Command* b) { return a->span.begin < b->span.begin; });
  return out;
}

// `srun nvidia-cuda-mps-control -d &` ends at once.
bool detaches(const shell::Launch& launch) {
  return std::any_of(launch.program.begin(), launch.program.end(), [](const shell::Word& w) {
    return is_one_of(w.text, {"-d", "--daemon", "--detach"});
  });
}

// The scopes in which something lets steps end one by one, or only a few run at a time.
std::vector<bool> scopes_that_wait(const SlurmJob& job) {
  std::vector<bool> out(job.body.scopes.size());
  for (const shell::Command& c : job.body.commands) {
    if (c.program() != "wait" && !c.own.is({shell::Effect::leaves})) continue;
    for (std::int32_t s = c.scope; s >= 0; s = job.body.scopes[static_cast<std::size_t>(s)].parent)
      out[static_cast<std::size_t>(s)] = true;
  }
  return out;
}

// The `srun` of each command, by the index of the command.
std::map<std::uint32_t, const shell::Launch*> steps_by_command(const SlurmJob& job) {
  std::map<std::uint32_t, const shell::Launch*> out;
  for (const shell::Launch& l : job.body.launches)
    if (l.kind == shell::Launcher::srun && l.parent < 0) out.emplace(l.command, &l);
  return out;
}

// The steps that run in the background at a place of the script.
struct Running {
  std::int64_t nodes = 0;
  std::optional<Taken> first;  // of those that leave the others nothing

  void add(const Taken& taken) {
    nodes = std::min<std::int64_t>(nodes + taken.nodes, 1'000'000'000);
    if (!first && !taken.all_of.empty()) first = taken;
  }
};

// Whether the steps that a loop starts exclude each other.
bool excludes_itself(const SlurmJob& job, const shell::Scope* loop, const Taken& taken, std::int64_t nodes,
                     const std::vector<bool>& waiting) {
  if (loop == nullptr || taken.all_of.empty()) return false;
  if (waiting[static_cast<std::size_t>(loop - job.body.scopes.data())]) return false;
  const std::int64_t repeats = std::min<std::int64_t>(loop->repeats.value_or(2), 1'000'000);
  return repeats > 1 && taken.nodes * repeats > nodes && (nodes == 1 || loop->repeats);
}

void check_concurrent(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  const bool fixed = c.nodes && c.nodes->min == c.nodes->max && job.meaning.components.size() == 1;
  if (!fixed || says_how_steps_share(job)) return;
  const std::int64_t nodes = c.nodes->min;
  const auto steps = steps_by_command(job);
  const std::vector<bool> waiting = scopes_that_wait(job);
  Running running;
  for (const shell::Command* command : in_order(job)) {
    if (command->program() == "wait" || command->does.is({shell::Effect::ends})) running = {};
    const auto step = steps.find(static_cast<std::uint32_t>(command - job.body.commands.data()));
    if (step == steps.end()) continue;
    const shell::Launch& launch = *step->second;
    const auto taken = taken_by(job, launch, nodes);
    if (!taken || depends_on_more(job, *command, launch)) return;
    const shell::Scope* loop = job.body.inside(*command, shell::ScopeKind::loop);
    const bool sure = loop == nullptr || loop->repeats.value_or(0) > 0;
    if (running.first && running.nodes + taken->nodes > nodes && sure && launch.option("overlap") == nullptr)
      return report_excluded(job, *running.first, *taken);
    if (!command->background || detaches(launch)) continue;
    if (excludes_itself(job, loop, *taken, nodes, waiting)) return report_excluded(job, *taken, *taken);
    running.add(*taken);
  }
}

// ---- SLM047 ------------------------------------------------------------------------------------------

void check_ignored_options(const SlurmJob& job) {
  for (const slurm::Remark& remark : job.meaning.remarks) {
    if (remark.kind != slurm::RemarkKind::tasks_ignored || remark.launch < 0) continue;
    const shell::Launch& launch = job.launch(remark.launch);
    if (has_any(launch, {"jobid", "het-group"})) continue;  // a step of another job
    Finding& f = job.wrong_at(RuleId::step_option_ignored,
                              launch.per_node.span.known() ? launch.per_node.span : launch.span, "srun", remark.text);
    if (const slurm::Directive* d = job.directive(job.meaning.job().tasks.by); d != nullptr)
      f.labels.push_back({d->whole, "takes precedence"});
  }
}

}  // namespace

void check_steps(const SlurmJob& job) {
  check_concurrent(job);
  check_ignored_options(job);
}

}  // namespace muster::lint
