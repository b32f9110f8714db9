// SLM032 torchrun-kills-early: the time between the warning of Slurm and the end of the processes.
#include <algorithm>

#include "lint/rules/slurm/job.h"

namespace muster::lint {
namespace {

constexpr std::int64_t torchrun_waits = 30;  // seconds, from SIGTERM to SIGKILL

// Whether the warning before the end reaches torchrun as SIGTERM: Slurm sends it, or a trap of the script does.
bool warns_torchrun(const SlurmJob& job, const slurm::Signal& signal) {
  const auto is_term = [](std::string_view name) { return name == "TERM" || name == "SIGTERM" || name == "15"; };
  if (!signal.batch) return is_term(signal.name);
  const std::string_view text = job.sources().text(job.script.span);
  constexpr std::string_view forwards[] = {"--signal=TERM", "--signal TERM", "--signal=SIGTERM", "-s TERM", "-TERM",
                                           "-SIGTERM",      "-15 "};
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  return has("trap ") && std::any_of(std::begin(forwards), std::end(forwards), has);
}

void check_shutdown(const SlurmJob& job) {
  const auto& signal = job.meaning.job().signal;
  if (!signal || signal->seconds <= 2 * torchrun_waits || !warns_torchrun(job, *signal)) return;
  const std::string_view text = job.sources().text(job.script.span);
  if (text.find("TORCH_ELASTIC_SHUTDOWN_TIMEOUT") != std::string_view::npos) return;
  for (const shell::Launch& launch : job.body.launches) {
    if (launch.kind != shell::Launcher::torchrun || launch.option("shutdown-timeout") != nullptr) continue;
    job.wrong(RuleId::torchrun_kills_early, signal.by,
              "torchrun kills its processes " + std::to_string(torchrun_waits) +
                  " s after SIGTERM, but `--signal` leaves them " + std::to_string(signal->seconds) + " s")
        .labels.push_back({launch.span, "started here"});
    return;
  }
}

}  // namespace

void check_end(const SlurmJob& job) { check_shutdown(job); }

}  // namespace muster::lint
