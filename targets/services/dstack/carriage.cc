// What becomes of each key at dstack.
#include "targets/services/dstack/dstack.h"

namespace muster::targets::dstack {

std::span<const Carried> dstack_carriage() {
  static constexpr Carried column[] = {
      {"=",
       "args command dev.idle-timeout env.* file.mode file.text labels.* launch.processes resources.disk "
       "resources.gpu resources.gpu-memory resources.gpus scale.cooldown scale.target script-flags "
       "serve.port setup software.conda software.module-use software.modules software.prelude software.purge "
       "software.venv workdir"},
      {"=~-", "retry.on"},
      {"=~m", "any-of"},
      {"=~mx", "replicas"},
      {"=~x", "software"},
      {"=-",
       "mount.mode port.number priority probe.every probe.timeout resources.shm serve.args serve.engine "
       "serve.model"},
      {"=-m", "resources.cpus resources.memory"},
      {"=-x", "probe.http target.launch"},
      {"=m", "checkpoint.path fabric preemptible queue time-limit"},
      {"=mx", "code"},
      {"=x",
       "code.git.rev code.git.url image kind launch.args launch.runner mount.path mount.sub-path "
       "resources.nodes scale.metric script secret.env secret.file"},
      {"~", "dev.interface"},
      {"~-", "port.public target.*"},
      {"~-m", "retry.exit-codes retry.limit"},
      {"~m", "gang"},
      {"-",
       "account checkpoint.async launch.export launch.version logs.append logs.error logs.output "
       "notify.email notify.on probe.after probe.command probe.failures probe.tcp resources.smt "
       "retry.backoff stop.grace target.srun title topology.segment-within"},
      {"-m", "probe.port resources.exclusive"},
      {"-mx", "topology.within"},
      {"-x", "stop.signal"},
      {"m",
       "allow.reason allow.until checkpoint.every checkpoint.write-time facts.* launch.contract "
       "parallelism.context parallelism.data parallelism.expert parallelism.pipeline parallelism.tensor "
       "prefer require retry role.primary"},
      {"mx", "launch.compat preflight.gpu-health preflight.nccl stop.lead topology.required"},
      {"x",
       "depends-on.each depends-on.on licenses resources.gpu-share resources.gpu-slice serve.config serve.router "
       "sweep.axes.* sweep.max-parallel sweep.zip topology.segment"},
  };
  return column;
}

}  // namespace muster::targets::dstack
