#include "targets/slurm/lift/meeting.h"

#include "compiler/base/text.h"

namespace muster::targets::slurm::lifting {
namespace {

using model::Runner;

const model::RunnerVariables& of_ranks() { return model::row_of(Runner::processes).variables; }

bool is_first_node(std::string_view value, std::string_view variable) {
  const auto has = [&](std::string_view part) { return value.find(part) != std::string_view::npos; };
  const bool first = has("head -n1") || has("head -n 1") || has("head -1") || has("sed -n 1p") || has("NR==1");
  if (has("scontrol show hostname") && first) return true;
  // The batch shell runs on the first node.
  if (variable.empty() || (has("srun") && !has("hostname --ip-address") && !has("hostname -s"))) return false;
  return is_one_of(value, {"$(hostname)", "`hostname`", "$(hostname -s)", "`hostname -s`", "$(hostname -f)",
                           "$(hostname -i)", "$(hostname -I)"}) ||
         has("hostname --ip-address") || has("hostname -s");
}

bool is_free_port(std::string_view value, std::string_view variable) {
  const auto has = [&](std::string_view part) { return value.find(part) != std::string_view::npos; };
  if (has("shuf -i") && has("000-")) return true;
  return lower(variable).find("port") != std::string::npos &&
         (has("shuf") || has("socket") || has("SLURM_JOB") || has("RANDOM"));
}

}  // namespace

bool is_of_runner(Runner runner, std::string_view name) {
  const bool torch = runner == Runner::torchrun || runner == Runner::accelerate;
  if (!torch && runner != Runner::processes) return false;
  const model::RunnerVariables& v = of_ranks();
  return is_one_of(name, {v.world, v.process_rank, v.local_rank, v.address, v.port}) ||
         (torch && is_one_of(name, {"LOCAL_WORLD_SIZE", "GROUP_RANK"}));
}

Meeting meeting_of(std::string_view value, std::string_view variable) {
  if (is_first_node(value, variable)) return Meeting::address;
  return is_free_port(value, variable) ? Meeting::port : Meeting::none;
}

std::string_view runner_variable(Meeting meeting) {
  switch (meeting) {
    case Meeting::address: return of_ranks().address;
    case Meeting::port: return of_ranks().port;
    case Meeting::none: break;
  }
  return {};
}

}  // namespace muster::targets::slurm::lifting
