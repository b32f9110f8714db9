// What becomes of each key at SkyPilot.
#include "targets/services/skypilot/skypilot.h"

namespace muster::targets::skypilot {

std::span<const Carried> skypilot_carriage() {
  static constexpr Carried column[] = {
      {"=",
       "args command dev.idle-timeout env.* file.mode file.text labels.* launch.processes resources.disk "
       "resources.gpu resources.gpu-memory resources.gpus scale.cooldown scale.target script-flags serve.port "
       "setup software.conda software.module-use software.modules software.prelude software.purge software.venv "
       "workdir"},
      {"=~-x", "probe.after probe.every probe.http"},
      {"=~mx", "replicas"},
      {"=~x", "kind software"},
      {"=-", "account port.number port.public priority serve.args serve.engine serve.model"},
      {"=-m", "queue resources.cpus resources.exclusive resources.memory time-limit"},
      {"=-x", "mount.mode probe.timeout target.launch"},
      {"=m", "any-of checkpoint.path fabric preemptible"},
      {"=mx", "code mount.path mount.sub-path"},
      {"=x",
       "code.git.rev code.git.url image launch.args launch.runner resources.nodes scale.metric script secret.env "
       "secret.file"},
      {"~", "dev.interface"},
      {"~-", "target.*"},
      {"~-m", "retry.exit-codes retry.limit retry.on"},
      {"~-mx", "probe.port"},
      {"~-x", "probe.command probe.failures"},
      {"~m", "gang"},
      {"-",
       "checkpoint.async launch.export launch.version logs.append logs.error logs.output notify.email notify.on "
       "resources.shm resources.smt retry.backoff stop.grace target.srun title topology.segment-within"},
      {"-mx", "topology.within"},
      {"-x", "probe.tcp stop.signal"},
      {"m",
       "allow.reason allow.until checkpoint.every checkpoint.write-time facts.* launch.contract "
       "parallelism.context parallelism.data parallelism.expert parallelism.pipeline parallelism.tensor prefer "
       "require retry role.primary"},
      {"mx", "launch.compat preflight.gpu-health preflight.nccl stop.lead topology.required"},
      {"x",
       "depends-on.each depends-on.on licenses resources.gpu-share resources.gpu-slice serve.config serve.router "
       "sweep.axes.* "
       "sweep.max-parallel sweep.zip topology.segment"},
  };
  return column;
}

}  // namespace muster::targets::skypilot
