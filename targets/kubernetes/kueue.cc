// Target `kueue`: the object that the workload would be anyway, admitted by Kueue whatever the plane's `gang` says.
#include "compiler/model/pods_target.h"
#include "targets/kubernetes/builders.h"

namespace muster::targets::kubernetes {
namespace {

// Of what the site says only what Kueue admits: a Job of Volcano, say, is not among it.
void keep_admitted(std::string& target, std::string_view usual) {
  const kubernetes::Kind* kind = kubernetes::kind_of_target(target);
  if (kind == nullptr || kind->kueue.empty()) target = usual;
}

const Target& admitted_kind(const plan::Plan& plan) {
  model::PodPlane plane =
      plan.plane != nullptr && plan.plane->pods() != nullptr ? *plan.plane->pods() : model::PodPlane{};
  keep_admitted(plane.training_kind, "jobset");
  model::PodsShape shape = model::pods_shape(*plan.workload);
  // Kueue admits the pods of one object together.
  const bool alone = plan.roles.size() == 1 && plan.roles.front().nodes == 1;
  shape.spans_nodes = !alone;
  shape.coupled = shape.trains || !alone;
  if (plan.roles.size() > 1 || !shape.trains) plane.training_kind = "jobset";
  return *find_target(model::pods_target(shape, plane));
}

}  // namespace

Lowered lower_kueue(const Target& target, const plan::Plan& plan, const LowerOptions& options,
                    Diagnostics& diagnostics) {
  return lower_pods_as(target, admitted_kind(plan), plan, options, diagnostics);
}

std::span<const Carried> kueue_carriage() {
  static constexpr Carried column[] = {
      {"=m", "checkpoint.path"},
      {"=",
       "command dev.interface env.* file.mode file.text image labels.* launch.compat "
       "launch.processes port.number probe.after probe.command probe.every "
       "probe.failures probe.http probe.port probe.tcp probe.timeout queue resources.disk "
       "resources.gpu-memory resources.gpu-slice resources.gpus role.primary script-flags "
       "setup sweep.axes.* sweep.max-parallel sweep.zip"},
      {"=~",
       "kind port.public resources.gpu resources.nodes resources.shm "
       "role.depends-on.on stop.grace"},
      {"=~-x", "retry.on target.*"},
      {"=-x", "target.launch"},
      {"-", "target.srun"},
      {"=~m", "resources.cpus resources.memory"},
      {"=~mx", "gang"},
      {"=~x", "replicas retry.limit scale.metric scale.target software"},
      {"=-", "launch.version priority serve.args serve.engine serve.model topology.segment topology.segment-within"},
      {"=~-", "topology.within"},
      {"=-mx", "retry.exit-codes"},
      {"=-x", "code"},
      {"=m", "preemptible script"},
      {"=mx", "fabric"},
      {"=x",
       "args code.git.rev code.git.url launch.args launch.runner mount.mode mount.path mount.sub-path "
       "preflight.gpu-health "
       "scale.cooldown secret.env secret.file serve.config serve.port software.prelude topology.required "
       "workdir"},
      {"~", "account depends-on.on preflight.nccl require serve.router"},
      {"~-x", "stop.lead stop.signal"},
      {"~x", "role.with resources.exclusive resources.gpu-share software.module-use software.modules software.purge"},
      {"-",
       "checkpoint.async dev.idle-timeout launch.export licenses logs.append logs.error logs.output notify.email "
       "notify.on resources.smt retry title"},
      {"-x", "retry.backoff"},
      {"m",
       "allow.reason allow.until any-of checkpoint.every checkpoint.write-time facts.* launch.contract "
       "parallelism.context "
       "parallelism.data parallelism.expert parallelism.pipeline parallelism.tensor prefer"},
      {"x", "depends-on.each software.conda software.venv"},
      {"=~-mx", "time-limit"},
  };
  return column;
}

}  // namespace muster::targets::kubernetes
