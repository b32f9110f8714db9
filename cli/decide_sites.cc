#include "cli/decide_sites.h"

#include <algorithm>
#include <optional>

#include "cli/emit.h"
#include "cli/standard_output.h"

namespace muster::cli {
namespace {

std::string line(const SiteAnswer& a, std::size_t rank) {
  std::string out = "  " + std::to_string(rank) + ". " + a.site + ": " + std::string(plan::name(a.verdict));
  if (!a.writes && a.verdict != plan::Verdict::does_not_fit) out += ", but cannot be written";
  if (!a.plane.empty()) out += ", plane " + a.plane;
  if (!a.target.empty()) out += ", target " + a.target;
  if (!a.why.empty()) out += ": " + a.why;
  else if (rank > 1) out += ": ranked after another site that also fits";
  return out + "\n";
}

Json json_of(const SiteAnswer& a) {
  Json out = {{"site", a.site},     {"verdict", plan::name(a.verdict)},
              {"writes", a.writes}, {"plane", a.plane},
              {"target", a.target}, {"why", a.why}};
  out.update(a.policy);
  return out;
}

}  // namespace

int decide_sites(const SitesRequest& request) {
  std::vector<SiteAnswer> answers;
  if (const auto code = ask_sites(request, answers)) return *code;
  std::vector<std::string> workloads;
  for (const SiteAnswer& a : answers)
    if (std::find(workloads.begin(), workloads.end(), a.workload) == workloads.end()) workloads.push_back(a.workload);
  int code = 0;
  std::string text;
  Json json = Json::array();
  for (const std::string& id : workloads) {
    const auto own = ranked(answers, id);
    if (own[0]->verdict == plan::Verdict::does_not_fit || !own[0]->writes) code = 1;
    text += request.common.format == "markdown" ? "### " + id + "\n\n" : id + "\n";
    std::string details;
    Json sites = Json::array();
    for (std::size_t i = 0; i < own.size(); ++i) {
      text += line(*own[i], i + 1);
      details += own[i]->details;
      sites.push_back(json_of(*own[i]));
    }
    text += request.common.format == "markdown" && !details.empty() ? "\n" + details : details;
    json.push_back({{"id", id}, {"sites", std::move(sites)}});
  }
  Diagnostics diagnostics;
  if (!print_text(request.common.format == "json" ? print(json) : text, diagnostics)) return 2;
  return code;
}

}  // namespace muster::cli
