// What becomes of each key on Slurm.
#include "targets/carriage.h"
#include "targets/slurm/slurm.h"

namespace muster::targets::slurm {

std::span<const Carried> slurm_carriage() {
  static constexpr Carried column[] = {
      {"=",
       "account args command depends-on.each depends-on.on env.* file.mode file.text launch.export "
       "launch.processes licenses logs.append logs.error logs.output notify.email "
       "notify.on preflight.gpu-health queue require resources.exclusive resources.gpu-memory resources.gpus "
       "resources.smt role.depends-on.on role.primary script-flags software.conda software.module-use "
       "software.prelude software.venv sweep.axes.* sweep.max-parallel sweep.zip title workdir"},
      {"=~",
       "gang kind replicas resources.nodes retry.limit setup software.modules "
       "software.purge topology.segment-within"},
      {"=~-m", "topology.within"},
      {"=m", "checkpoint.path mount.sub-path time-limit"},
      {"=~m", "resources.cpus resources.gpu resources.memory"},
      {"=-", "serve.args serve.engine serve.model stop.signal target.*"},
      {"=x", "target.srun"},
      {"=-x", "target.launch"},
      {"=-mx", "code"},
      {"=mx", "mount.path topology.required"},
      {"=-x", "priority software"},
      {"=m", "preemptible script"},
      {"=x",
       "role.with code.git.rev code.git.url image launch.args launch.runner mount.mode resources.gpu-share "
       "resources.gpu-slice retry.exit-codes topology.segment"},
      {"~", "dev.interface labels.* resources.disk stop.lead"},
      {"~-", "port.number port.public serve.port probe.http probe.port retry.on"},
      {"~mx", "fabric"},
      {"~x", "preflight.nccl secret.env secret.file"},
      {"-",
       "checkpoint.async dev.idle-timeout launch.version probe.after probe.command probe.every "
       "probe.failures probe.tcp probe.timeout resources.shm stop.grace"},
      {"m",
       "allow.reason allow.until any-of checkpoint.every checkpoint.write-time facts.* launch.compat launch.contract "
       "parallelism.context parallelism.data parallelism.expert parallelism.pipeline parallelism.tensor "
       "prefer retry"},
      {"x", "retry.backoff scale.cooldown scale.metric scale.target serve.config serve.router"},
  };
  return column;
}

std::span<const Carried> ray_on_slurm_carriage() {
  static constexpr Carried column[] = {
      {"=",
       "account args command depends-on.on env.* file.mode file.text launch.args "
       "launch.export licenses logs.append logs.error logs.output notify.email notify.on queue require "
       "resources.gpu resources.gpus resources.smt retry.exit-codes script title workdir"},
      {"=m", "checkpoint.path mount.sub-path time-limit preemptible"},
      {"=~", "kind resources.nodes retry.limit setup"},
      {"=-", "priority stop.signal target.* target.launch"},
      {"=", "target.srun"},
      {"=-mx", "code"},
      {"=mx", "mount.path"},
      {"=x", "code.git.rev code.git.url image launch.runner mount.mode software"},
      {"~", "dev.interface labels.* resources.disk retry.on stop.lead"},
      {"~-", "port.number port.public"},
      {"~x", "secret.env secret.file"},
      {"-", "checkpoint.async launch.version resources.shm stop.grace"},
      {"m", "allow.reason allow.until checkpoint.every facts.* launch.compat launch.contract prefer retry"},
      {"x", "retry.backoff serve.config"},
      {"=~m", "resources.cpus resources.memory"},
  };
  return column;
}

}  // namespace muster::targets::slurm
