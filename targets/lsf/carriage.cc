// What becomes of each key on LSF.
#include "targets/lsf/lsf.h"

namespace muster::targets::lsf {

std::span<const Carried> lsf_carriage() {
  static constexpr Carried column[] = {
      {"=",
       "account args command depends-on.on env.* file.mode file.text launch.args launch.processes licenses "
       "logs.append preflight.gpu-health queue resources.exclusive resources.gpus role.depends-on.on "
       "role.primary script-flags software.conda software.module-use software.modules software.prelude "
       "software.purge software.venv sweep.axes.* sweep.max-parallel sweep.zip workdir"},
      {"=~", "gang kind notify.on replicas resources.nodes setup"},
      {"=~-m", "topology.within"},
      {"=~-x", "software"},
      {"=~m", "resources.cpus time-limit"},
      {"=~mx", "resources.gpu resources.memory"},
      {"=~x", "logs.error logs.output retry.limit"},
      {"=-", "priority serve.args serve.engine serve.model stop.signal"},
      {"=-x", "target.* target.launch"},
      {"=m", "launch.compat launch.export mount.sub-path preemptible require script"},
      {"=mx", "code mount.path resources.gpu-memory"},
      {"=x",
       "code.git.rev code.git.url image launch.runner mount.mode notify.email retry.exit-codes title "
       "topology.required"},
      {"~", "dev.interface resources.disk"},
      {"~-", "labels.* port.number probe.http probe.port"},
      {"~-x", "retry.on"},
      {"~mx", "fabric"},
      {"~x", "resources.gpu-slice secret.env secret.file stop.lead"},
      {"-",
       "checkpoint.async dev.idle-timeout launch.version port.public probe.after probe.command probe.every "
       "probe.failures probe.tcp probe.timeout resources.shm resources.smt serve.port stop.grace"},
      {"-x", "target.srun"},
      {"m",
       "allow.reason allow.until any-of checkpoint.every checkpoint.path checkpoint.write-time facts.* "
       "launch.contract parallelism.context parallelism.data parallelism.expert parallelism.pipeline "
       "parallelism.tensor prefer retry"},
      {"x",
       "depends-on.each preflight.nccl resources.gpu-share retry.backoff role.with scale.cooldown scale.metric "
       "scale.target "
       "serve.config serve.router topology.segment topology.segment-within"},
  };
  return column;
}

}  // namespace muster::targets::lsf
