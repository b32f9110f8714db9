#include <algorithm>
#include <array>

#include "targets/elsewhere.h"
#include "targets/kubernetes/builders.h"
#include "targets/lsf/lsf.h"
#include "targets/pbs/pbs.h"
#include "targets/services/dstack/dstack.h"
#include "targets/services/skypilot/skypilot.h"
#include "targets/slurm/slurm.h"
#include "targets/target.h"

namespace muster::targets {
namespace {

constexpr Capabilities slurm_native = {
    .plane = model::PlaneKind::slurm, .gang = true, .arrays = true, .roles = true, .requeue = true, .mpi = true};
constexpr Capabilities slurm_ray = {
    .plane = model::PlaneKind::slurm, .gang = true, .arrays = true, .requeue = true, .ray = true};
constexpr Capabilities pbs_native = {.plane = model::PlaneKind::pbs,
                                     .gang = true,
                                     .arrays = true,
                                     .roles = true,
                                     .requeue = true,
                                     .ray = true,
                                     .mpi = true};
constexpr Capabilities lsf_native = {.plane = model::PlaneKind::lsf,
                                     .gang = true,
                                     .arrays = true,
                                     .roles = true,
                                     .requeue = true,
                                     .ray = true,
                                     .mpi = true};
constexpr Capabilities pods_native = {
    .plane = model::PlaneKind::kubernetes, .arrays = true, .services = true, .scale = true, .requeue = true};
// The whole gang starts again, with the plane's provider.
constexpr Capabilities pods_gang = {
    .plane = model::PlaneKind::kubernetes, .provider = true, .roles = true, .requeue = true};

// Each kind that Kueue admits, as the workload asks for it.
constexpr Capabilities admitted = {.plane = model::PlaneKind::kubernetes,
                                   .provider = true,
                                   .arrays = true,
                                   .roles = true,
                                   .services = true,
                                   .scale = true,
                                   .requeue = true,
                                   .ray = true,
                                   .mpi = true};

constexpr Capabilities volcano_capabilities = {
    .plane = model::PlaneKind::kubernetes, .gang = true, .roles = true, .requeue = true};
constexpr Capabilities one_gang = {.plane = model::PlaneKind::kubernetes, .provider = true, .requeue = true};
constexpr Capabilities one_gang_once = {.plane = model::PlaneKind::kubernetes, .provider = true};
constexpr Capabilities ray_clusters = {.plane = model::PlaneKind::kubernetes,
                                       .provider = true,
                                       .roles = true,
                                       .services = true,
                                       .requeue = true,
                                       .ray = true};

constexpr Capabilities one_mpirun = {
    .plane = model::PlaneKind::kubernetes, .provider = true, .requeue = true, .mpi = true};
// A task of a broker, or a service that it scales.
constexpr Capabilities tasks(model::PlaneKind kind) {
  return {.plane = kind, .gang = true, .services = true, .scale = true, .requeue = true};
}
constexpr Capabilities groups = {.plane = model::PlaneKind::kubernetes, .provider = true, .services = true};

constexpr std::array registry = std::to_array<Target>({
    {"slurm", 1, "one sbatch file", "sbatch", "pretrain", slurm_native, slurm::slurm_carriage, slurm::lower_slurm,
     slurm::submit_script},
    {"ray-on-slurm", 1, "one sbatch file that starts a Ray cluster inside its job", "sbatch", "grpo", slurm_ray,
     slurm::ray_on_slurm_carriage, slurm::lower_slurm, slurm::submit_script},
    {"kubernetes", 1, "Job, Indexed Job, Pod, or a Deployment with its Service", "yaml", "finetune", pods_native,
     kubernetes::kubernetes_carriage, kubernetes::lower_pods, kubernetes::submit_script, kubernetes::build_kubernetes},
    {"jobset", 1, "JobSet: a gang of one or several roles", "yaml", "pretrain", pods_gang, kubernetes::jobset_carriage,
     kubernetes::lower_pods, kubernetes::submit_script, kubernetes::build_jobset},
    {"kueue", 1, "the workload's object, admitted by Kueue: JobSet, Job, RayJob, Deployment…", "yaml", "pretrain",
     admitted, kubernetes::kueue_carriage, kubernetes::lower_kueue, kubernetes::submit_script},
    {"kuberay", 1, "RayJob, RayService or RayCluster", "yaml", "grpo", ray_clusters, kubernetes::kuberay_carriage,
     kubernetes::lower_pods, kubernetes::submit_script, kubernetes::build_kuberay},
    {"volcano", 1, "one Volcano Job with a task per role", "yaml", "pretrain", volcano_capabilities,
     kubernetes::volcano_carriage, kubernetes::lower_pods, kubernetes::submit_script, kubernetes::build_volcano},
    {"pytorchjob", 1, "one PyTorchJob of the training operator", "yaml", "finetune", one_gang_once,
     kubernetes::pytorchjob_carriage, kubernetes::lower_pods, kubernetes::submit_script, kubernetes::build_pytorchjob},
    {"trainjob", 1, "one TrainJob of Kubeflow Trainer", "yaml", "finetune", one_gang, kubernetes::trainjob_carriage,
     kubernetes::lower_pods, kubernetes::submit_script, kubernetes::build_trainjob},
    {"lws", 2, "LeaderWorkerSet: a service with several nodes per replica", "yaml", "serve-nodes", groups,
     kubernetes::lws_carriage, kubernetes::lower_pods, kubernetes::submit_script, kubernetes::build_lws},
    {"mpijob", 2, "MPIJob: the ranks of an MPI program, started by mpirun", "yaml", "mpi", one_mpirun,
     kubernetes::mpijob_carriage, kubernetes::lower_pods, kubernetes::submit_script, kubernetes::build_mpijob},
    {"pbs", 2, "one job script for qsub of OpenPBS or Torque", "pbs", "pretrain", pbs_native, pbs::pbs_carriage,
     pbs::lower_pbs, pbs::submit_script},
    {"skypilot", 2, "a task, a managed job or a service of SkyPilot", "yaml", "finetune",
     tasks(model::PlaneKind::skypilot), skypilot::skypilot_carriage, skypilot::lower_skypilot},
    {"lsf", 2, "one job script for bsub of IBM Spectrum LSF", "lsf", "pretrain", lsf_native, lsf::lsf_carriage,
     lsf::lower_lsf, lsf::submit_script},
    {"dstack", 2, "a task, a dev environment or a service of dstack", "yaml", "finetune",
     tasks(model::PlaneKind::dstack), dstack::dstack_carriage, dstack::lower_dstack},
});

// A program that the workload names for its roles, each of which names another.
bool overruled(const model::Workload& workload, const FieldRef& field) {
  return (field == Field::command || field == Field::script) && workload.roles.front().span.known();
}

}  // namespace

std::span<const Target> all_targets() { return registry; }

const Target* find_target(std::string_view name) {
  const auto found = std::find_if(registry.begin(), registry.end(), [&](const Target& t) { return t.name == name; });
  return found == registry.end() ? nullptr : &*found;
}

Lowered lower(const Target& target, const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  Lowered lowered = target.lower(target, plan, options, diagnostics);
  refuse_what_is_elsewhere(target, plan, diagnostics);
  const auto reported = diagnostics.since(before);
  const bool refused = std::any_of(reported.begin(), reported.end(),
                                   [](const Diagnostic& d) { return info(d.code).severity == Severity::error; });
  for (const model::WrittenField& field : plan.workload->written) {
    if (lowered.loss.covers(field.field)) continue;
    if (refused) lowered.loss.refused(field.field, "the target refuses the workload");
    else if (overruled(*plan.workload, field.field))
      lowered.loss.read(field.field, "each role, which sets its own program");
    else
      diagnostics.add(Code::field_not_carried, field.span,
                      "target `" + std::string(target.name) + "` does not account for `" + to_string(field.field) + "`",
                      "not accounted for");
  }
  return lowered;
}

}  // namespace muster::targets
