// Nodes, tasks, cpus and memory as Slurm counts them.
#include <algorithm>

#include "compiler/base/text.h"
#include "targets/slurm/options.h"
#include "targets/slurm/sections.h"

namespace muster::targets::slurm {
namespace {

// --cpus-per-task: a task has as many as the others.
std::int64_t cpus_of_task(const plan::RolePlan& shape) {
  return std::max<std::int64_t>(1, *shape.cpus / shape.tasks());
}

void add_cpus(Job& job) {
  const std::int64_t tasks = job.tasks();
  if (job.shape.cpus) {
    if (*job.shape.cpus < tasks)
      return job.refuse(Field::resources_cpus,
                        "Slurm gives each of " + counted(tasks, "task") + " of a node a CPU, but " +
                            (job.wrote(Field::resources_cpus) ? "`cpus = " + std::to_string(*job.shape.cpus) + "`"
                                                              : counted(*job.shape.cpus, "CPU") + " are available"),
                        "write `cpus = " + std::to_string(tasks) + "` or more, or fewer `processes`");
    const std::int64_t each = cpus_of_task(job.shape);
    add_option(job, "--cpus-per-task", std::to_string(each), Field::resources_cpus);
    const std::string as = "--cpus-per-task=" + std::to_string(each);
    const auto& asked = job.role.resources.cpus;
    if (asked && asked->value.is_range() && asked->value.low != asked->value.high)
      job.approximated(Field::resources_cpus, as,
                       "uses the upper bound of the range, because a Slurm job has one amount");
    else if (each * tasks == *job.shape.cpus) job.exact(Field::resources_cpus, as);
    else
      job.approximated(Field::resources_cpus, as,
                       counted(tasks, "task") + " per node get " + counted(each * tasks, "CPU") +
                           ", because each has as many as the others");
  } else if (model::is_left_to_site(job.role.resources.cpus)) {
    job.read(Field::resources_cpus, "nothing is written, so the cluster's default holds");
  } else if (job.shape.all_cpus && !job.shape.exclusive) {
    job.refuse(Field::resources_cpus, "`cpus = all` requires whole nodes in Slurm",
               "write `exclusive = true`, or the number of cpus");
  } else {
    job.exact(Field::resources_cpus, "--exclusive");
  }
}

// Without a word the cluster's own way of counting cpus holds.
void add_threads(Job& job) {
  const auto& asked = job.role.resources.smt;
  if (!asked && job.batch.smt) return;
  const std::string hint = counts_cores(job) ? "nomultithread" : "multithread";
  add_option(job, "--hint", hint, Field::resources_smt);
  job.exact(Field::resources_smt, "--hint=" + hint);
}

void add_memory(Job& job) {
  const std::string amount = job.shape.all_memory ? "0"
                             : job.shape.memory   ? mebibytes(*job.shape.memory)
                                                  : std::string();
  if (!amount.empty()) add_option(job, "--mem", amount, Field::resources_memory);
  const auto& asked = job.role.resources.memory;
  if (model::is_left_to_site(asked))
    job.read(Field::resources_memory, "nothing is written, so the cluster's default holds");
  else if (asked && asked->value.is_range() && asked->value.low != asked->value.high)
    job.approximated(Field::resources_memory, "--mem=" + amount,
                     "uses the upper bound of the range, because a Slurm job has one amount");
  else job.exact(Field::resources_memory, "--mem=" + amount);
  if (job.shape.exclusive) add_flag(job, "--exclusive", Field::resources_exclusive);
  if (job.shape.exclusive) job.exact(Field::resources_exclusive, "--exclusive");
  else job.read(Field::resources_exclusive, "nodes may be shared");
}

}  // namespace

bool counts_cores(const Job& job) {
  const auto& asked = job.role.resources.smt;
  return asked ? !asked->value : !job.batch.smt;
}

std::string mebibytes(Size size) { return std::to_string(size.mebibytes_up()) + "M"; }

std::optional<std::int64_t> granted_cpus(const Job& job) {
  // Roles that share a plain job have what its directives say, which are the first one's; those that share a node have
  // a step's own.
  const bool of_job = job.part.is_part() && !job.part.shares_nodes && !job.het;
  const plan::RolePlan& asked = of_job ? job.plan.roles.front() : job.shape;
  if (!asked.cpus) return std::nullopt;
  return cpus_of_task(asked) * asked.tasks();
}

void ask_size(Job& job) {
  const auto& nodes = job.role.resources.nodes;
  const std::string low = std::to_string(job.shape.nodes);
  const std::string count = job.is_elastic() ? low + "-" + std::to_string(nodes->value.high) : low;
  // A text that starts its own steps has as many tasks as Slurm gives it, unless it says how many; a job of one task
  // has one by itself, and one node.
  const bool one_task = job.shape.nodes == 1 && !job.is_elastic() && job.tasks() == 1;
  if (!one_task || !job.shape.pinned.empty() || job.wrote(Field::resources_nodes))
    add_option(job, "--nodes", count, Field::resources_nodes);
  if (model::is_range(nodes) && !job.is_elastic())
    job.approximated(Field::resources_nodes, "--nodes=" + count,
                     "uses the lower bound of the range, because the script divides its nodes");
  else job.exact(Field::resources_nodes, "--nodes=" + count);
  const bool own_steps = job.runner() == model::Runner::batch_script;
  if ((!own_steps && !one_task) || job.role.launch.processes)
    add_option(job, "--ntasks-per-node", std::to_string(job.tasks()), Field::launch_processes);
  add_cpus(job);
  add_threads(job);
  add_gpus(job);
  add_memory(job);
  if (job.role.resources.disk) {
    add_option(job, "--tmp", mebibytes(job.role.resources.disk->value), Field::resources_disk);
    job.approximated(Field::resources_disk, "--tmp", "the configured disk of the node, not the free space");
  }
  job.approximated(Field::resources_shm, "nothing", "the node's own /dev/shm is used");
}

}  // namespace muster::targets::slurm
