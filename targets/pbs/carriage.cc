// What becomes of each key on PBS.
#include "targets/pbs/pbs.h"

namespace muster::targets::pbs {

std::span<const Carried> pbs_carriage() {
  static constexpr Carried column[] = {
      {"=",
       "account args command depends-on.on env.* file.mode file.text launch.args launch.processes licenses "
       "notify.email preflight.gpu-health queue resources.exclusive resources.gpus role.depends-on.on "
       "role.primary script-flags software.conda software.module-use software.prelude "
       "software.purge sweep.axes.* sweep.max-parallel sweep.zip workdir"},
      {"=~", "gang kind notify.on replicas resources.nodes setup software.modules software.venv"},
      {"=~-", "retry.limit"},
      {"=~-x", "software"},
      {"=~mx", "resources.cpus resources.gpu resources.memory"},
      {"=-", "priority serve.args serve.engine serve.model stop.signal"},
      {"=-m", "topology.within"},
      {"=-mx", "logs.error logs.output"},
      {"=m", "launch.compat launch.export mount.sub-path preemptible require script time-limit"},
      {"=mx", "code mount.path resources.gpu-memory"},
      {"=x", "code.git.rev code.git.url image launch.runner mount.mode resources.gpu-slice title topology.required"},
      {"~", "dev.interface"},
      {"~-", "port.number probe.http probe.port"},
      {"~mx", "fabric"},
      {"~x", "secret.env secret.file stop.lead"},
      {"-",
       "checkpoint.async dev.idle-timeout labels.* launch.version port.public probe.after probe.command "
       "probe.every probe.failures probe.tcp probe.timeout resources.disk resources.shm resources.smt serve.port "
       "stop.grace"},
      {"-x", "target.srun"},
      {"=-x", "target.* target.launch"},
      {"~-x", "retry.on"},
      {"m",
       "allow.reason allow.until any-of checkpoint.every checkpoint.path checkpoint.write-time facts.* "
       "launch.contract parallelism.context parallelism.data parallelism.expert parallelism.pipeline "
       "parallelism.tensor prefer retry"},
      {"mx", "logs.append"},
      {"x",
       "depends-on.each preflight.nccl resources.gpu-share retry.backoff retry.exit-codes role.with scale.cooldown "
       "scale.metric "
       "scale.target serve.config serve.router topology.segment topology.segment-within"},
  };
  return column;
}

}  // namespace muster::targets::pbs
