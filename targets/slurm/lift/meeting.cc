#include "targets/slurm/lift/meeting.h"

#include "compiler/base/text.h"

namespace muster::targets::slurm::lifting {
namespace {

using model::Runner;

const model::RunnerVariables& of_ranks() { return row_of(Runner::processes).variables; }

// `$( … )` or `` `…` `` and nothing beside it.
bool is_one_substitution(std::string_view value) {
  if (value.starts_with('`')) return value.find('`', 1) == value.size() - 1;
  if (!value.starts_with("$(")) return false;
  std::size_t open = 0;
  for (std::size_t i = 1; i < value.size(); ++i) {
    if (value[i] == '(') ++open;
    if (value[i] == ')' && --open == 0) return i + 1 == value.size();
  }
  return false;
}

bool is_first_node(std::string_view value, std::string_view variable) {
  value = trimmed(value, " \t\"");
  if (!is_one_substitution(value)) return false;
  const auto has = [&](std::string_view part) { return value.find(part) != std::string_view::npos; };
  const bool first = has("head -n1") || has("head -n 1") || has("head -1") || has("sed -n 1p") || has("NR==1");
  if (has("scontrol show hostname") && first) return true;
  if (has("perl") && has("SLURM_JOB_NODELIST") && has("s/,.*//; s/-.*//")) return true;
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

// The list of the nodes, alone or in an array, behind which comes only `after`.
bool is_list(std::string_view value, std::string_view after) {
  value = trimmed(value, " \t\"'");
  if (value.starts_with('(') && value.ends_with(')')) value = trimmed(value.substr(1, value.size() - 2));
  const bool ticks = value.starts_with('`') && value.ends_with('`') && value.size() > 1;
  const bool dollar = value.starts_with("$(") && value.ends_with(')');
  if (!ticks && !dollar) return false;
  value = trimmed(value.substr(dollar ? 2 : 1, value.size() - (dollar ? 3 : 2)));
  if (!value.starts_with("scontrol show hostname")) return false;
  const std::size_t pipe = value.find('|');
  if (pipe == std::string_view::npos) return after.empty() && value.find_first_of(";&><`") == std::string_view::npos;
  return !after.empty() && trimmed(value.substr(pipe + 1)) == after;
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
  if (is_free_port(value, variable)) return Meeting::port;
  if (is_list(value, "wc -l")) return Meeting::host_count;
  return is_list(value, "") ? Meeting::hosts : Meeting::none;
}

std::string_view runner_variable(Meeting meeting) {
  switch (meeting) {
    case Meeting::address: return of_ranks().address;
    case Meeting::port: return of_ranks().port;
    default: break;
  }
  return {};
}

}  // namespace muster::targets::slurm::lifting
