#include "why/decide/limits.h"

#include <utility>

#include "compiler/base/text.h"

namespace muster::why {
namespace {

bool take(std::string_view& text, std::string_view head) {
  if (text.size() < head.size() || !equal_ignoring_case(text.substr(0, head.size()), head)) return false;
  text.remove_prefix(head.size());
  return true;
}

constexpr std::pair<std::string_view, std::string_view> resources[] = {
    {"Submit", "submit"},   {"Cpu", "cpu"},         {"GRES", "gres/gpu"}, {"Node", "node"},
    {"Memory", "mem"},      {"Mem", "mem"},         {"Job", "jobs"},      {"Wall", "wall"},
    {"Billing", "billing"}, {"License", "license"}, {"BB", "bb"},         {"Energy", "energy"}};

constexpr std::pair<std::string_view, std::string_view> plurals[] = {
    {"cpu", "cpus"},         {"gres/gpu", "gpus"},   {"node", "nodes"},   {"mem", "memory"},
    {"jobs", "jobs"},        {"submit", "submit"},   {"wall", "wall"},    {"billing", "billing"},
    {"license", "licenses"}, {"bb", "burst-buffer"}, {"energy", "energy"}};

constexpr std::pair<std::string_view, std::string_view> nouns[] = {{"cpu", "number of CPUs"},
                                                                   {"gres/gpu", "number of GPUs"},
                                                                   {"node", "number of nodes"},
                                                                   {"mem", "memory (MB)"},
                                                                   {"jobs", "number of running jobs"},
                                                                   {"submit", "number of jobs in the queue"},
                                                                   {"wall", "time (minutes)"},
                                                                   {"billing", "billing"},
                                                                   {"license", "number of licenses"},
                                                                   {"bb", "burst buffer"},
                                                                   {"energy", "energy"}};

std::string_view in(std::span<const std::pair<std::string_view, std::string_view>> rows, std::string_view key) {
  for (const auto& [from, to] : rows)
    if (from == key) return to;
  return key;
}

}  // namespace

std::optional<LimitName> read_limit(std::string_view reason) {
  LimitName out;
  std::string_view rest = reason;
  if (take(rest, "QOS")) out.level = "qos";
  else if (take(rest, "Assoc")) out.level = "assoc";
  if (take(rest, "Grp")) out.scope = "group";
  else if (take(rest, "Max")) out.scope = "max";
  else if (take(rest, "Min")) out.scope = "min";
  else return std::nullopt;
  for (const auto& [word, resource] : resources)
    if (take(rest, word)) {
      out.resource = resource;
      break;
    }
  if (out.resource.empty()) return std::nullopt;
  if (out.resource == "submit") take(rest, "Jobs") || take(rest, "Job");
  take(rest, "s");
  take(rest, "Duration");
  if (take(rest, "RunMinutes") || take(rest, "RunMins")) out.run_minutes = true;
  else if (take(rest, "Minutes") || take(rest, "Mins")) out.minutes = true;
  if (take(rest, "PerUser")) out.per = "user";
  else if (take(rest, "PerAccount")) out.per = "account";
  else if (take(rest, "PerJob")) out.per = "job";
  else if (take(rest, "PerNode")) out.per = "node";
  take(rest, "Limit");
  if (!rest.empty()) return std::nullopt;
  // Limits of a QOS for each user or account are printed without its name.
  if (out.level.empty()) {
    if (out.per != "user" && out.per != "account") return std::nullopt;
    out.level = "qos";
  }
  return out;
}

std::string LimitName::code() const {
  if (run_minutes) return "slurm/" + level + "-run-minutes";
  if (minutes) return "slurm/" + level + "-budget-spent";
  std::string out = "slurm/" + level + "-" + scope + "-" + std::string(in(plurals, resource));
  if (!per.empty() && scope == "max" && resource != "wall" && resource != "submit") out += "-per-" + per;
  return out;
}

std::string LimitName::what() const {
  std::string out = "the " + std::string(in(nouns, resource)) + (run_minutes || minutes ? " times minutes" : "");
  const std::string_view whole = level == "qos" ? "the QOS" : "the account";
  if (per == "user") out += " of a user";
  else if (per == "account") out += " of an account";
  else if (per == "node") out += " on a node of a job";
  else if (scope != "group" || per == "job")
    out += resource == "jobs" || resource == "submit" ? " of a user" : " of a job";
  else out += " of all jobs together";
  return out + " in " + std::string(whole);
}

std::vector<std::string> LimitName::columns() const {
  const bool tres = resource != "jobs" && resource != "submit" && resource != "wall";
  const std::string head = scope == "group" ? "Grp" : scope == "max" ? "Max" : "Min";
  if (!tres) {
    const std::string word = resource == "jobs" ? "Jobs" : resource == "submit" ? "Submit" : "Wall";
    if (scope == "group") return {"Grp" + word, "Grp" + word + "Jobs"};
    if (resource == "wall") return {"MaxWall", "MaxWallDurationPerJob"};
    if (per == "account") return {head + word + "PA", head + word + "PerAccount", head + word + "JobsPA"};
    return {head + word + "PU", head + word + "PerUser", head + word, head + word + "JobsPU", head + word + "Jobs"};
  }
  if (run_minutes)
    return {head + "TRESRunMins", head + "TRESRunMinsPU", head + "TRESRunMinsPerUser", head + "TRESRunMinsPA"};
  if (minutes) return {head + "TRESMins", head + "TRESMinsPerJob", head + "TRESMinsPJ"};
  if (per == "user") return {head + "TRESPU", head + "TRESPerUser"};
  if (per == "account") return {head + "TRESPA", head + "TRESPerAccount"};
  if (per == "node") return {head + "TRESPerNode", head + "TRESPN"};
  return {head + "TRES", head + "TRESPerJob", head + "TRESPJ"};
}

}  // namespace muster::why
