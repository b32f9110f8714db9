#include "compiler/shell/launchers.h"

#include <array>

namespace muster::shell {
namespace {

constexpr std::array launchers = std::to_array<LauncherRow>({
    {.launcher = Launcher::srun,
     .name = "srun",
     .starts = Starts::tasks,
     .programs = " srun ",
     .processes = " ntasks ",
     .per_node = " ntasks-per-node ",
     .nodes = " nodes "},
    {.launcher = Launcher::mpirun,
     .name = "mpirun",
     .starts = Starts::tasks,
     .programs = " mpirun mpiexec orterun mpiexec.hydra mpirun.mpich mpirun.openmpi mpirun_rsh ",
     .processes = " n np c ntasks ",
     .per_node = " npernode ppn perhost N ",
     .values = " n np c npernode ppn perhost N npersocket ntasks machinefile hostfile f H host hosts x map-by bind-to "
               "rank-by wdir wd prefix path report-uri rf rankfile mca-param am tune env envlist genvlist rmk launcher "
               "bootstrap iface output-filename timeout cpus-per-proc cpus-per-rank app configfile outfile-pattern "
               "errfile-pattern cpu-set hostlist cpu-bind depth d p gtool pmi ",
     .places =
         " hostfile machinefile f H host hosts hostlist rf rankfile map-by rr app configfile output-filename wdir "
         "wd npersocket cpus-per-rank cpus-per-proc "},
    {.launcher = Launcher::torchrun,
     .name = "torchrun",
     .starts = Starts::ranks,
     .trains = true,
     .programs = " torchrun ",
     .modules = " torch.distributed.run torch.distributed.launch ",
     .processes = " nproc-per-node nproc ",
     .no_count = NoCount::one,
     .nodes = " nnodes ",
     .one_node = true,
     .variable = "PET_NPROC_PER_NODE",
     .addresses = " rdzv-endpoint master-addr ",
     .ports = " master-port ",
     .flags = " standalone no-python m module run-path use-env h help logs-specs-none ",
     .valued = true},
    {.launcher = Launcher::accelerate,
     .name = "accelerate",
     .starts = Starts::ranks,
     .trains = true,
     .programs = " accelerate ",
     .subcommands = " launch ",
     .modules = " accelerate.commands.launch ",
     .processes = " num-processes ",
     .of_all_nodes = true,
     .nodes = " num-machines ",
     .one_node = true,
     .addresses = " main-process-ip ",
     .ports = " main-process-port ",
     .flags = " multi-gpu cpu tpu use-xpu use-deepspeed use-fsdp use-megatron-lm no-python m module quiet q debug "
              "same-network use-mps-device no-tpu-cluster tpu-use-cluster tpu-use-sudo h help use-parallelism-config ",
     .valued = true},
    {.launcher = Launcher::deepspeed,
     .name = "deepspeed",
     .starts = Starts::ranks,
     .trains = true,
     .programs = " deepspeed ",
     .modules = " deepspeed.launcher.runner deepspeed ",
     .processes = " num-gpus ",
     .no_count = NoCount::one_a_gpu,
     .nodes = " num-nodes ",
     .ports = " master-port ",
     .flags = " no-ssh no-local-rank no-python m module force-multi elastic-training save-pid bind-cores-to-rank "
              "no-ssh-check h help use-ssh-agent ",
     .valued = true},
    {.launcher = Launcher::horovodrun,
     .name = "horovodrun",
     .starts = Starts::tasks,
     .trains = true,
     .programs = " horovodrun ",
     .modules = " horovod.runner ",
     .processes = " np num-proc ",
     .flags = " v verbose disable-cache gloo use-gloo mpi use-mpi jsrun use-jsrun cb check-build tcp autotune "
              "hierarchical-allreduce timeline-mark-cycles h help ",
     .valued = true},
    {.launcher = Launcher::jsrun,
     .name = "jsrun",
     .starts = Starts::tasks,
     .programs = " jsrun ",
     .processes = " n nrs ",
     .valued = true},
    {.launcher = Launcher::of_site,
     .name = "launcher",
     .starts = Starts::tasks,
     .programs = " aprun ibrun prun ccc_mprun lrun charmrun pbsdsh blaunch ",
     .variants_of = " mpirun mpiexec ",
     .values = " n N d S L o np procs "},
    {.launcher = Launcher::ray,
     .name = "ray",
     .starts = Starts::workers,
     .programs = " ray ",
     .subcommands = " start symmetric-run ",
     .flags = " head block no-monitor disable-usage-stats v verbose ",
     .valued = true},
    {.launcher = Launcher::python, .name = "python", .values = " W X check-hash-based-pycs "},
    {.launcher = Launcher::sbatch, .name = "sbatch", .starts = Starts::jobs, .programs = " sbatch "},
    {.launcher = Launcher::scontrol, .name = "scontrol", .starts = Starts::jobs, .programs = " scontrol "},
    {.launcher = Launcher::container, .name = "container"},
    {.launcher = Launcher::program, .name = "program"},
});

constexpr bool in_order() {
  for (std::size_t i = 0; i < launchers.size(); ++i)
    if (static_cast<std::size_t>(launchers[i].launcher) != i) return false;
  return true;
}
static_assert(in_order());

}  // namespace

const LauncherRow& row_of(Launcher launcher) { return launchers[static_cast<std::size_t>(launcher)]; }
std::span<const LauncherRow> launcher_rows() { return launchers; }

std::string_view name(Launcher launcher) { return row_of(launcher).name; }

}  // namespace muster::shell
