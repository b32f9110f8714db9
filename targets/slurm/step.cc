// A step of the job: srun, and the container that it starts by a plugin.
#include <algorithm>

#include "targets/shell.h"
#include "targets/slurm/sections.h"

namespace muster::targets::slurm {
namespace {

using batch::On;

std::string_view mpi_flag(model::Mpi mpi) { return mpi == model::Mpi::pmi2 ? " --mpi=pmi2" : " --mpi=pmix"; }

// The nodes of a step, or `each` times as many. A range's number is known only to the job.
std::string nodes_of(const Job& job, const batch::Step& step, std::int64_t each) {
  if (!job.is_elastic() || step.on == On::head) return std::to_string(step.nodes * each);
  if (step.on == On::all) return job.nodes_word(each);
  if (each == 1) return "\"$((SLURM_NNODES - 1))\"";
  return "\"$((" + std::to_string(each) + " * (SLURM_NNODES - 1)))\"";
}

// What a step takes of each node beside others: without a word it would take all, and they would wait for it.
std::string share_options(const Job& job, const plan::RolePlan& own, const plan::RolePlan& whole) {
  std::string out = " --exact --mem=" + (own.memory ? mebibytes(*own.memory) : "0");
  if (whole.gpus == 0) return out;
  if (job.plane.gpu_request != model::GpuRequest::gres) return out + " --gpus-per-node=" + counted_gpus(job, own);
  return out + " --gres=" + (own.gpus > 0 ? "gpu:" + counted_gpus(job, own) : "none");
}

}  // namespace

// Every count is given: since 22.05 srun does not take --cpus-per-task from the job, and it would take
// the number of tasks from it where the step has fewer.
std::string step(const Job& job, const batch::Step& step) {
  const bool like_job = step.nodes == job.shape.nodes && step.tasks == job.tasks() && !job.part.is_part();
  std::string out = "srun --nodes=" + nodes_of(job, step, 1);
  if (!like_job) out += " --ntasks=" + nodes_of(job, step, step.tasks);
  out += " --ntasks-per-node=" + std::to_string(step.tasks) + " --cpus-per-task=" + cpus_a_task(job, step.tasks) +
         " --kill-on-bad-exit=1" + job.part.step;
  if (!job.inherits_all()) out += " --export=ALL";
  if (step.on == On::head) out += " --overlap --nodelist=\"" + job.head_word() + "\"";
  if (step.on == On::others) out += " --exclude=\"" + job.head_word() + "\"";
  if (step.mpi) out += mpi_flag(job.batch.mpi);
  return out + container_flags(job);
}

// Parts of one plain job take its nodes in order; those of a heterogeneous one have a component each.
std::string part_options(const Job& job, const batch::PartPlace& place) {
  std::string out = place.component ? " --het-group=" + std::to_string(*place.component) : "";
  if (place.is_expression) out += " --relative=$((" + place.first + "))";
  else if (!place.component) out += " --relative=" + place.first;
  if (place.share != nullptr) out += share_options(job, *place.share, *place.whole);
  return out;
}

std::string parallel_step(const Job& job, const std::string& part) {
  return "srun --overlap --nodes=1 --ntasks=1" + part + (job.inherits_all() ? "" : " --export=ALL") +
         container_flags(job);
}

std::string on_each_node(const Job& job, const std::string& command) {
  std::string where = " --nodes=" + job.nodes_word() + " --ntasks=" + job.nodes_word();
  if (job.het) {
    where = " --het-group=0";
    for (std::size_t group = 1; group < job.plan.roles.size(); ++group) where += "," + std::to_string(group);
  }
  return "srun --overlap" + where + " --ntasks-per-node=1" + (job.inherits_all() ? "" : " --export=ALL") + " " +
         command;
}

std::string container_flags(const Job& job) {
  const batch::Container& container = job.container;
  if (container.runtime != model::Containers::pyxis) return {};
  std::string binds, names;
  for (const batch::Bind& bind : batch::binds_of(job))
    binds += (binds.empty() ? "" : ",") + batch::bind_words(container, bind);
  // The environment passes anyway; of a name that the image sets too, ours is to win.
  for (const std::string& variable : batch::variables_of(job)) names += (names.empty() ? "" : ",") + variable;
  std::string out = " --container-image=" + sh_word(container.image);
  if (!binds.empty()) out += " --container-mounts=" + binds;
  if (!names.empty()) out += " --container-env=" + names;
  if (!container.workdir.empty()) out += " --container-workdir=" + container.workdir;
  return out;
}

std::string cpus_a_task(const Job& job, std::int64_t tasks) {
  if (const auto cpus = granted_cpus(job)) {
    const std::int64_t each = std::max<std::int64_t>(1, *cpus / tasks);
    // The job has whole cores for as many tasks as it names; for others an odd share may not fit.
    return std::to_string(tasks == job.tasks() || each == 1 ? each : each - each % 2);
  }
  if (tasks == 1) return "\"$SLURM_CPUS_ON_NODE\"";
  const std::string count = std::to_string(tasks);
  if (!job.shape.exclusive || counts_cores(job)) return "\"$((SLURM_CPUS_ON_NODE / " + count + "))\"";
  return "\"$((cores < " + count + " ? 1 : threads * (cores / " + count + ")))\"";
}

}  // namespace muster::targets::slurm
