// Checks before the program: a job that cannot work ends in its first minute.
#include "targets/shell.h"
#include "targets/slurm/sections.h"

namespace muster::targets::slurm {
namespace {

std::string step(const Job& job, std::int64_t tasks) {
  return "srun --nodes=" + job.nodes_word() + " --ntasks=" + job.nodes_word(tasks) +
         " --ntasks-per-node=" + std::to_string(tasks) + " --cpus-per-task=" + cpus_a_task(job, tasks) + job.part.step +
         (job.inherits_all() ? "" : " --export=ALL") + container_flags(job) + " ";
}

// Whether every GPU can have a process of its own: a step has no more CPUs than its job.
bool has_cpu_per_gpu(const Job& job) {
  if (job.tasks() == job.shape.gpus) return true;
  const auto cpus = granted_cpus(job);
  return cpus ? *cpus >= job.shape.gpus : job.shape.all_cpus;
}

// One all-reduce over all GPUs; where the fast network is wanted, plain sockets are a failure.
void run_nccl(Job& job) {
  const std::string mpi = job.batch.mpi == model::Mpi::pmi2 ? "--mpi=pmi2 " : "--mpi=pmix ";
  const bool one_each = has_cpu_per_gpu(job);
  std::string srun = step(job, one_each ? job.shape.gpus : 1);
  const std::string gpus = one_each ? "" : "-g " + std::to_string(job.shape.gpus) + " ";
  srun.insert(5, mpi);
  job.line("log=$(NCCL_DEBUG=INFO " + srun + container_prefix(job) + "all_reduce_perf " + gpus +
           "-b 64M -e 64M -c 1 2>&1) ||");
  job.line("  { printf '%s\\n' \"$log\" 'the NCCL test on these nodes failed' >&2; exit 1; }");
  if (job.role.fabric.value == model::FabricRequest::required)
    job.line("case $log in *NET/Socket*) echo 'NCCL uses TCP sockets, not the fabric' >&2; exit 1 ;; esac");
  job.approximated(Field::preflight_nccl, "a step with all_reduce_perf",
                   "requires all_reduce_perf of the NCCL tests, built with MPI, on the PATH");
}

}  // namespace

void add_preflight(Job& job) {
  if (!job.role.preflight) return;
  if (job.role.preflight->gpu_health) batch::add_gpu_check(job, step(job, 1));
  else job.read(Field::preflight_gpu_health, "no check");
  if (job.role.preflight->nccl && job.batch.mpi == model::Mpi::mpirun)
    return job.refuse(Field::preflight_nccl, "plane `" + job.plane.name + "` does not start MPI ranks with srun",
                      "set `mpi = pmix` in the site if Slurm supports it");
  if (job.role.preflight->nccl) run_nccl(job);
  else job.read(Field::preflight_nccl, "no check");
}

}  // namespace muster::targets::slurm
