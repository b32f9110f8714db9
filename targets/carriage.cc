#include "targets/carriage.h"

namespace muster::targets {
namespace {

// Found by the judge `loss` and read by people: an outcome that stands not here fails it.
// clang-format off
//                      slurm  ray-on-slurm  kubernetes  jobset  kueue  kuberay  volcano  pytorchjob  trainjob
constexpr Carriage rows[] = {
    {"account", {"=", "=", "~", "~", "~", "~", "~", "~", "~"}},
    {"allow.reason", {"m", "", "m", "m", "m", "m", "m", "m", "m"}},
    {"allow.until", {"m", "", "m", "m", "m", "", "m", "m", "m"}},
    {"any-of", {"m", "", "m", "m", "m", "", "m", "m", "m"}},
    {"args", {"=", "", "=", "=", "=", "=", "=", "=", "="}},
    {"checkpoint.async", {"-", "-", "-", "-", "-", "-", "-", "-", "-"}},
    {"checkpoint.every", {"m", "m", "m", "m", "m", "m", "m", "m", "m"}},
    {"checkpoint.path", {"=", "=", "=", "=", "=", "=", "=", "=", "="}},
    {"checkpoint.write-time", {"m", "", "m", "m", "m", "", "m", "m", "m"}},
    {"code", {"=x", "=", "=x", "=x", "=x", "=", "=x", "=x", "=x"}},
    {"code.git.rev", {"=x", "=x", "x", "=x", "=x", "=x", "=x", "=x", "x"}},
    {"code.git.url", {"=x", "=x", "x", "=x", "=x", "=x", "=x", "=x", "x"}},
    {"command", {"=", "=", "=", "=", "=", "=x", "=", "=", "="}},
    {"depends-on.on", {"=", "=", "x", "x", "x", "x", "x", "x", "x"}},
    {"dev.idle-timeout", {"-", "", "-", "", "", "", "", "", ""}},
    {"dev.interface", {"~", "", "=", "", "", "=", "", "", ""}},
    {"env.*", {"=", "=", "=", "=", "=", "=", "=", "=", "="}},
    {"fabric", {"~mx", "", "=mx", "=mx", "=mx", "", "=mx", "=mx", "=mx"}},
    {"facts.*", {"m", "", "m", "m", "m", "m", "m", "m", "m"}},
    {"file.mode", {"=", "=", "=", "=", "=", "=", "=", "=", "="}},
    {"file.text", {"=", "=", "=", "=", "=", "=", "=", "=", "="}},
    {"gang", {"=", "", "=", "=", "=", "", "=", "", ""}},
    {"image", {"=x", "x", "=", "=", "=", "=", "=", "=", "="}},
    {"kind", {"=~", "=", "=", "=x", "=x", "=", "=x", "~x", "=x"}},
    {"labels.*", {"~", "~", "=", "=", "=", "=", "=", "=", "="}},
    {"launch.args", {"=x", "=", "=", "=", "=", "x", "=", "=", "="}},
    {"launch.compat", {"m", "", "=", "=", "=", "", "=", "=", "="}},
    {"launch.export", {"=", "", "-", "-", "-", "-", "-", "-", "-"}},
    {"launch.processes", {"=", "", "=", "=", "=", "", "=", "=", "="}},
    {"launch.runner", {"=", "=", "=x", "=x", "=x", "=x", "=x", "=x", "=x"}},
    {"launch.version", {"-", "-", "-", "-", "-", "=", "-", "-", "-"}},
    {"logs.append", {"=", "=", "~", "~", "~", "~", "~", "~", "~"}},
    {"logs.error", {"=", "=", "~", "~", "~", "~", "~", "~", "~"}},
    {"logs.output", {"=", "", "~", "~", "~", "~", "~", "~", "~"}},
    {"mount.mode", {"=x", "x", "=x", "=", "=", "=x", "=", "=", "="}},
    {"mount.path", {"=x", "=x", "=x", "=x", "=x", "=x", "=x", "=x", "=x"}},
    {"mount.sub-path", {"=", "", "=x", "=x", "=x", "=x", "=x", "=x", "=x"}},
    {"notify.email", {"=", "", "-", "-", "-", "-", "-", "-", "-"}},
    {"notify.on", {"=", "", "-", "-", "-", "-", "-", "-", "-"}},
    {"parallelism.context", {"m", "", "m", "m", "m", "", "m", "m", "m"}},
    {"parallelism.data", {"m", "", "m", "m", "m", "", "m", "m", "m"}},
    {"parallelism.expert", {"m", "", "m", "m", "m", "", "m", "m", "m"}},
    {"parallelism.pipeline", {"m", "", "m", "m", "m", "", "m", "m", "m"}},
    {"parallelism.tensor", {"m", "", "m", "m", "m", "", "m", "m", "m"}},
    {"port.number", {"~", "~", "=", "=", "=", "=", "=", "=", "~"}},
    {"port.public", {"~", "", "=~", "~", "~", "~", "~", "~", "~"}},
    {"preemptible", {"=m", "", "=mx", "=mx", "=mx", "mx", "=mx", "=mx", "=mx"}},
    {"prefer", {"m", "", "m", "m", "m", "m", "m", "m", "m"}},
    {"preflight.gpu-health", {"=", "", "=", "=", "=", "", "=", "=", "="}},
    {"preflight.nccl", {"~x", "", "~", "~", "~", "", "~", "~", "~"}},
    {"priority", {"=-", "", "=-", "=-", "=-", "-", "=-", "=-", "-x"}},
    {"probe.after", {"-", "", "=", "=", "=", "", "=", "=", "x"}},
    {"probe.command", {"-", "", "=", "=", "=", "", "=", "=", "x"}},
    {"probe.every", {"-", "", "=", "=", "=", "", "=", "=", "x"}},
    {"probe.failures", {"-", "", "=", "=", "=", "", "=", "=", "x"}},
    {"probe.http", {"~-", "", "=", "=", "=", "", "=", "=", "x"}},
    {"probe.port", {"~-", "", "=", "=", "=", "", "=", "=", "x"}},
    {"probe.tcp", {"-", "", "=", "=", "=", "", "=", "=", "x"}},
    {"probe.timeout", {"-", "", "=", "=", "=", "", "=", "=", "x"}},
    {"queue", {"=", "=", "=-", "=-", "=", "=", "=", "=-", "="}},
    {"replicas", {"=~", "", "=~x", "=~", "=~", "x", "=~x", "x", "x"}},
    {"require", {"=", "=", "~", "~", "~", "~", "~", "~", "~"}},
    {"resources.cpus", {"=~", "=~", "=", "=", "=", "=", "=", "=", "="}},
    {"resources.disk", {"~", "", "=", "=", "=", "=", "=", "=", "="}},
    {"resources.exclusive", {"=", "", "~", "~", "~", "", "~", "~", "~"}},
    {"resources.gpu", {"=~m", "=", "=~", "=~", "=~", "=", "=~", "=~", "=~"}},
    {"resources.gpu-memory", {"=", "", "=", "=", "=", "", "=", "=", "="}},
    {"resources.gpu-share", {"=x", "", "=~x", "=~x", "~x", "", "~x", "=~x", "~x"}},
    {"resources.gpu-slice", {"=x", "", "=", "=", "=", "", "=", "=", "="}},
    {"resources.gpus", {"=", "=", "=", "=", "=", "=", "=", "=", "="}},
    {"resources.memory", {"=~", "=~", "=", "=", "=", "=", "=", "=", "="}},
    {"resources.nodes", {"=~", "=~", "=~x", "=~", "=~", "=", "=~", "=~", "=~"}},
    {"resources.shm", {"~", "~", "=", "=", "=", "=", "=", "=", "="}},
    {"resources.smt", {"=", "", "-", "-", "-", "-", "-", "-", "-"}},
    {"retry.backoff", {"x", "", "-x", "-", "-", "-", "-", "-", "x"}},
    {"retry.exit-codes", {"=x", "=", "=mx", "=-", "=-", "x", "=-", "x", "x"}},
    {"retry.limit", {"=~", "=~", "=~x", "=~", "=~", "=~", "=~", "=~", "=x"}},
    {"retry.on", {"~-", "~", "=-x", "=-", "=-", "~", "=~-", "~-", "-x"}},
    {"role.depends-on.on", {"=", "", "", "=~", "=~", "", "x", "", ""}},
    {"role.primary", {"=", "", "", "=", "=", "", "=", "", ""}},
    {"scale.cooldown", {"x", "", "=x", "", "", "", "", "", ""}},
    {"scale.metric", {"x", "", "=x", "", "", "", "", "", ""}},
    {"scale.target", {"x", "", "=x", "", "", "", "", "", ""}},
    {"script", {"=", "=", "=", "=", "=", "=", "=", "=", "="}},
    {"script-flags", {"=", "", "=", "=", "=", "", "=", "=", "="}},
    {"secret.env", {"~x", "~x", "=x", "=x", "=x", "=x", "=x", "=x", "=x"}},
    {"secret.file", {"~x", "x", "=x", "=x", "=x", "x", "=x", "=x", "=x"}},
    {"serve.args", {"=-", "", "=-", "", "", "x", "", "", ""}},
    {"serve.config", {"x", "x", "x", "", "", "=", "", "", ""}},
    {"serve.engine", {"=-", "", "=-", "", "", "x", "", "", ""}},
    {"serve.model", {"=-", "", "=-", "", "", "x", "", "", ""}},
    {"serve.port", {"~", "", "=", "", "", "=x", "", "", ""}},
    {"serve.router", {"x", "", "~", "", "", "x", "", "", ""}},
    {"setup", {"=~", "=", "=", "=", "=", "=", "=", "=", "="}},
    {"software", {"=x", "=x", "=x", "=~x", "=~x", "=x", "=~x", "=x", "=x"}},
    {"software.conda", {"=", "", "x", "x", "x", "", "x", "x", "x"}},
    {"software.module-use", {"=", "", "x", "x", "x", "", "x", "x", "x"}},
    {"software.modules", {"=~", "", "~x", "~x", "~x", "", "~x", "~x", "x"}},
    {"software.prelude", {"=", "", "x", "x", "x", "", "x", "x", "x"}},
    {"software.purge", {"=~", "", "~x", "~x", "~x", "", "~x", "~x", "x"}},
    {"software.venv", {"=", "", "x", "x", "x", "", "x", "x", "x"}},
    {"stop.grace", {"-", "-", "=", "=", "=", "=", "=", "=", "="}},
    {"stop.lead", {"~", "~", "~-x", "~-x", "~-x", "-", "~-x", "~-x", "~-x"}},
    {"stop.signal", {"=~", "=", "~x", "~x", "~x", "-", "~x", "~x", "~x"}},
    {"sweep.axes.*", {"=", "", "=", "x", "x", "", "x", "x", "x"}},
    {"sweep.max-parallel", {"=", "", "=", "x", "x", "", "x", "x", "x"}},
    {"sweep.zip", {"=", "", "=", "x", "x", "", "x", "x", "x"}},
    {"target.*", {"=-", "=-", "=-x", "=-x", "=-x", "=-x", "=-x", "=-x", "=-x"}},
    {"time-limit", {"=", "=", "=x", "=", "=", "~", "=", "=~", "="}},
    {"title", {"=", "", "-", "-", "-", "-", "-", "-", "-"}},
    {"topology.required", {"=x", "", "=x", "=x", "=x", "", "=x", "=x", "=x"}},
    {"topology.segment", {"=x", "", "=-", "=-", "=-", "", "-", "=-", "=-"}},
    {"topology.segment-within", {"=~", "", "=-", "=-", "=-", "", "-", "=-", "=-"}},
    {"topology.within", {"=~-m", "", "=-", "=-", "=-", "", "=-", "=-", "=-"}},
    {"workdir", {"=", "=", "=x", "=x", "=x", "=", "=x", "=x", "=x"}},
};
// clang-format on

}  // namespace

std::span<const Carriage> carriage() { return rows; }

char outcome(const LossEntry& entry) {
  switch (entry.status) {
    case LossEntry::Status::exact: return '=';
    case LossEntry::Status::approximated: return entry.as == "nothing" ? '-' : '~';
    case LossEntry::Status::refused: return 'x';
    case LossEntry::Status::read: break;
  }
  return 'm';
}

std::string_view outcome_word(char letter) {
  switch (letter) {
    case '=': return "carried";
    case '~': return "approximated";
    case '-': return "reported";
    case 'x': return "refused";
    default: return "read";
  }
}

}  // namespace muster::targets
