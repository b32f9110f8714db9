// SLM004 srun-cpus-inherit, SLM031 one-cpu-for-gpus: the CPUs of what a script starts.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "lint/rules/slurm/job.h"

namespace muster::lint {
namespace {

bool exports(const SlurmJob& job, std::string_view name) {
  return std::any_of(job.body.exports.begin(), job.body.exports.end(),
                     [&](const shell::Export& e) { return e.name == name; });
}

// ---- SLM004 ------------------------------------------------------------------------------------------

constexpr model::Version first_without{22, 5}, first_again{23, 11};

void check_cpus_inherit(const SlurmJob& job) {
  const auto& cpus = job.meaning.job().cpus_per_task;
  if (!cpus || *cpus < 2 || exports(job, "SRUN_CPUS_PER_TASK")) return;
  const model::Plane* plane = job.meaning.plane;
  const bool known = plane != nullptr && plane->version.span.known();
  if (known && (plane->version.value < first_without || plane->version.value >= first_again)) return;
  for (const shell::Launch& launch : job.body.launches) {
    if (launch.kind != shell::Launcher::srun || launch.option("cpus-per-task") != nullptr ||
        launch.option("cpus-per-gpu") != nullptr || launch.option("exact") != nullptr)
      continue;
    // `srun mkdir` and the like do with one.
    using enum shell::Effect;
    const shell::Doing does = shell::doing(launch.program);
    if (!launch.program.empty() && !does.is({works, unknown}) && !does.is(shell::starts_work)) continue;
    const Span word = job.command(launch).words.empty()
                          ? launch.span
                          : Span{launch.span.file, launch.span.begin, launch.span.begin + 4};
    Finding& f =
        known ? job.wrong_at(
                    RuleId::srun_cpus_inherit, word, "srun",
                    "a task of this step gets one CPU, because `srun` does not inherit `--cpus-per-task` from the job")
              : job.cannot_tell_at(
                    RuleId::srun_cpus_inherit, word, "srun",
                    "Slurm 22.05 to 23.02 give a task of this step one CPU; the version is not known without a site");
    f.needs_site = !known;
    if (const slurm::Directive* d = job.directive(cpus.by); d != nullptr)
      f.labels.push_back({d->whole, "not inherited"});
    if (job.sources().text(word) == "srun")
      f.fix = Fix{
          "pass it to `srun`", known, {{{word.file, word.end, word.end}, " --cpus-per-task=\"$SLURM_CPUS_PER_TASK\""}}};
    return;  // one line mends all: the first step says it
  }
}

// ---- SLM031 ------------------------------------------------------------------------------------------

// One task a node whose launcher starts several processes, where nothing asks for more than the one CPU that Slurm
// gives a task by default.
void check_one_cpu(const SlurmJob& job, const slurm::Start& start) {
  const slurm::Component& c = job.component(start);
  const std::int64_t gpus = c.gpus_a_node.value.value_or(0);
  if (start.launch < 0 || gpus < 2 || start.per_node.value.value_or(0) < 2 || start.tasks_per_node.value != 1) return;
  const bool written = c.cpus_per_task && *c.cpus_per_task == 1;
  if ((c.cpus_per_task.given() && !written) || c.cpus_per_gpu.given() || c.min_cpus.given() || c.exclusive.given() ||
      c.sets_layout || c.overcommit.given())
    return;
  const shell::Launch& outer = job.launch(start.launch);
  if (outer.option("cpus-per-task") != nullptr || outer.option("cpus-per-gpu") != nullptr) return;
  // Without srun it runs beside the batch script, on the CPUs of all tasks of the node.
  const std::int64_t nodes = c.nodes ? c.nodes->min : 1;
  const bool more_tasks =
      (c.tasks_per_node.given() && c.tasks_per_node.value != 1) || (c.tasks.given() && c.tasks.value > nodes);
  if (outer.kind != shell::Launcher::srun && more_tasks) return;
  const shell::Launch& inner = job.launcher(start);
  const std::string share = "the " + std::to_string(*start.per_node.value) + " processes per node share one CPU";
  if (!written)
    return void(job.cannot_tell_at(RuleId::one_cpu_for_gpus, inner.span, std::string(name(inner.kind)),
                                   share + ", unless the partition gives more by default"));
  Finding& f = job.wrong_at(RuleId::one_cpu_for_gpus, inner.span, std::string(name(inner.kind)),
                            share + ", because `--cpus-per-task` is 1");
  f.severity = Severity::warning;
  if (const slurm::Directive* d = job.directive(c.cpus_per_task.by); d != nullptr)
    f.labels.push_back({d->whole, "for " + std::to_string(gpus) + " GPUs"});
}

// `srun $1 --nproc_per_node=4`: the launcher is an argument of the script, and its option says what it is.
void check_unknown_launcher(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  if (c.gpus_a_node.value.value_or(0) < 2 || c.cpus_per_task.given() || c.cpus_per_gpu.given() || c.min_cpus.given() ||
      c.exclusive.given() || c.sets_layout || c.overcommit.given() || c.tasks.value > 1 || c.tasks_per_node.given())
    return;
  for (const shell::Launch& launch : job.body.launches) {
    if (launch.kind != shell::Launcher::srun || launch.program.empty() || launch.program.front().literal) continue;
    if (launch.option("cpus-per-task") != nullptr || launch.option("cpus-per-gpu") != nullptr) continue;
    for (const shell::Word& word : launch.program) {
      const std::string_view text = word.text;
      if (!text.starts_with("--nproc_per_node=") && !text.starts_with("--nproc-per-node=")) continue;
      const auto forks = whole_number(text.substr(text.find('=') + 1));
      if (!word.literal || !forks || *forks < 2) continue;
      const std::int32_t by = c.gpus_per_node.given() ? c.gpus_per_node.by : c.gpus_total.by;
      Finding& f = job.cannot_tell(RuleId::one_cpu_for_gpus, by,
                                   "the " + std::to_string(*forks) +
                                       " processes per node share one CPU, unless the partition gives more by default");
      f.labels.push_back({launch.span, "starts them"});
      return;
    }
  }
}

}  // namespace

void check_cpus(const SlurmJob& job) {
  for (const slurm::Start& start : job.meaning.starts) {
    const std::size_t before = job.report.findings.size();
    check_one_cpu(job, start);
    if (job.report.findings.size() != before) break;  // one directive is enough for all
  }
  check_unknown_launcher(job);
  check_cpus_inherit(job);
}

}  // namespace muster::lint
