// SLM037 more-tasks-than-job: what steps and MPI start against the tasks and CPUs of the job.
#include <algorithm>
#include <optional>

#include "compiler/base/text.h"
#include "lint/rules/launch/script_job.h"
#include "targets/slurm/read/numbers.h"

namespace muster::lint {
namespace {

std::optional<std::int64_t> number_of(const shell::LaunchOption* option) {
  return option != nullptr && option->value && option->value->literal ? slurm::slurm_number(option->value->text)
                                                                      : std::nullopt;
}

// The tasks and CPUs that a job surely has no more of: nodes that it has for itself may have many more.
struct Allocation {
  std::int64_t tasks = 1, cpus = 1;
};

std::optional<Allocation> allocation_of(const ScriptJob& job) {
  const slurm::Component& c = job.meaning.job();
  const bool more = c.exclusive.given() || c.overcommit.given() || c.cpus_per_gpu.given() || c.min_cpus.given() ||
                    c.sets_layout || c.tasks_per_gpu.given() ||
                    (c.memory && (c.memory->all || c.memory->per != slurm::MemoryPer::node));
  if (more || (c.cpus_per_task.given() && !c.cpus_per_task) || (c.tasks_per_node.given() && !c.tasks_per_node))
    return std::nullopt;
  // Clusters that give whole nodes, or CPUs for each GPU, have more than a request of those alone says.
  const bool written = c.tasks.by != slurm::no_directive || c.tasks_per_node;
  if (job.is_of_slurm() && c.gpus_in_all.value.value_or(1) > 0 && !c.cpus_per_task.given()) return std::nullopt;
  if (!c.tasks || !written) return std::nullopt;
  const std::int64_t each = c.cpus_per_task ? *c.cpus_per_task : 1;
  if (*c.tasks < 1 || *c.tasks > 1'000'000 || each < 1 || each > 1'000'000) return std::nullopt;
  return Allocation{*c.tasks, *c.tasks * each};
}

// A core of two threads gives a task a second CPU unasked.
constexpr std::int64_t threads = 2;

void check_srun_tasks(const ScriptJob& job, const shell::Launch& launch, const Allocation& has) {
  if (has_any(launch, {"overcommit", "jobid", "het-group"}) || !launch.processes.value || launch.het) return;
  const std::int64_t tasks = *launch.processes.value;
  const auto each = launch.option("cpus-per-task") == nullptr ? std::optional<std::int64_t>(1)
                                                              : number_of(launch.option("cpus-per-task"));
  if (!each || *each < 1 || *each > 1'000'000 || tasks <= has.tasks || tasks > 1'000'000) return;
  if (tasks * *each <= threads * has.cpus) return;
  Finding& f =
      job.wrong_at(RuleId::more_tasks_than_job, launch.processes.span, "srun",
                   "the step needs " + std::to_string(tasks * *each) + " CPUs for " + counted(tasks, "task") +
                       ", but the job has " + counted(has.tasks, "task") + " with " + counted(has.cpus, "CPU"));
  f.notes.push_back("Slurm rejects the step (`More processors requested than permitted`): request `--ntasks=" +
                    std::to_string(tasks) + "` for the job");
  if (const Said* d = job.said(job.meaning.job().tasks.by); d != nullptr)
    f.labels.push_back({d->whole, "the job's tasks"});
}

// Open MPI counts slots, a task of the job each; others start what they are asked for.
bool is_open_mpi(const ScriptJob& job) {
  return job.mentions("openmpi") || job.mentions("OpenMPI") || job.mentions("open-mpi") || job.mentions("OMPI_") ||
         job.mentions("/ompi") || job.mentions("--mca ") || job.mentions(" ompi");
}

bool oversubscribes(const ScriptJob& job) {
  return job.mentions("OVERSUBSCRIBE") || job.mentions("oversubscribe") || job.mentions("hwthread");
}

void check_mpirun_tasks(const ScriptJob& job, const shell::Launch& launch, const Allocation& has) {
  const auto started = launch.processes.value ? launch.processes.value : assumed_processes(launch);
  if (!started) return;
  if (has_any(launch, {"oversubscribe", "host", "H", "hostfile", "machinefile", "f", "use-hwthread-cpus", "hosts"}))
    return;
  const std::int64_t tasks = *started;
  if (tasks <= has.tasks) return;
  Finding& f = job.wrong_at(RuleId::more_tasks_than_job, launch.processes.span, "mpirun",
                            "`mpirun` starts " + std::to_string(tasks) + (tasks == 1 ? " process" : " processes") +
                                ", but the job has " + counted(has.tasks, "slot") + ", one for each task");
  f.notes.push_back("Open MPI stops with `not enough slots`: request " +
                    (job.is_of_slurm() ? "`--ntasks=" + std::to_string(tasks) + "`" : counted(tasks, "task")));
  if (const Said* d = job.said(job.meaning.job().tasks.by); d != nullptr)
    f.labels.push_back({d->whole, "the job's tasks"});
}

}  // namespace

void check_tasks(const ScriptJob& job) {
  const auto has = allocation_of(job);
  if (!has || job.meaning.components.size() > 1) return;
  const bool slots = is_open_mpi(job) && !oversubscribes(job);
  for (const shell::Launch& launch : job.body.launches) {
    if (launch.parent >= 0) continue;
    if (launch.kind == shell::Launcher::srun) check_srun_tasks(job, launch, *has);
    if (launch.kind == shell::Launcher::mpirun && slots) check_mpirun_tasks(job, launch, *has);
  }
}

}  // namespace muster::lint
