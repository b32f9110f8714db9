#include "cli/decide_sites.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "cli/emit.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/rules_input.h"

namespace muster::cli {
namespace {

// What one site said of one workload, in words: its session is gone when they are printed.
struct SiteAnswer {
  std::string workload, site, plane, target;
  plan::Verdict verdict = plan::Verdict::does_not_fit;
  std::string why;  // why it is not better
  Json policy;
};

SiteAnswer answer_of(const model::Workload& workload, const Setting& setting, const plan::PlanResult& result,
                     const Diagnostics& reports) {
  SiteAnswer out{workload.id, setting.site->name, {}, {}, plan::Verdict::does_not_fit, {}, policy_json(setting.policy)};
  if (!result.plan) {
    const auto sorted = reports.sorted();
    out.why = result.no_pool ? result.no_pool->text : sorted.empty() ? "no plan" : sorted.front().message;
    return out;
  }
  const plan::Plan& plan = *result.plan;
  out.plane = plan.decision.plane;
  out.target = plan.decision.target;
  if (plan.plane == nullptr) {
    out.why = "the site has no control plane that takes it";
    return out;
  }
  out.verdict = plan::startable(plan.fit);
  if (out.verdict == plan::Verdict::fits) return out;
  for (const plan::Level* level : {&plan.fit.policy, &plan.fit.capacity}) {
    if (level->verdict != out.verdict) continue;
    out.why = level->certificate ? level->certificate->text : level->note;
  }
  return out;
}

// All workloads at one site; false: reported, `code` is the exit code.
bool ask(const SitesRequest& request, const std::string& site, std::vector<SiteAnswer>& answers, int& code) {
  CommonOptions options = request.common;
  options.site_file = site;
  Session session(options);
  const auto failed = [&] {
    code = session.finish();
    return false;
  };
  if (!session.load()) return failed();
  const auto setting = make_setting(session, is_profile(request.profile) ? request.profile : "");
  if (!setting) return failed();
  for (const model::Workload* w : session.workloads(request.workload)) {
    plan::PlanRequest plan_request = request_for(w, session, *setting);
    plan_request.overrides = request.overrides;
    Diagnostics reports;
    const plan::PlanResult result = plan::make_plan(plan_request, reports);
    answers.push_back(answer_of(*w, *setting, result, reports));
  }
  return !session.diagnostics().has_errors() || failed();
}

std::string line(const SiteAnswer& a, std::size_t rank) {
  std::string out = "  " + std::to_string(rank) + ". " + a.site + ": " + std::string(plan::name(a.verdict));
  if (!a.plane.empty()) out += ", plane " + a.plane;
  if (!a.target.empty()) out += ", target " + a.target;
  if (!a.why.empty()) out += ": " + a.why;
  else if (rank > 1) out += ": it stands after one that fits as well";
  return out + "\n";
}

}  // namespace

int decide_sites(const SitesRequest& request) {
  std::vector<SiteAnswer> answers;
  int code = 0;
  for (const std::string& site : request.sites)
    if (!ask(request, site, answers, code)) return code;
  std::vector<std::string> workloads;
  for (const SiteAnswer& a : answers)
    if (std::find(workloads.begin(), workloads.end(), a.workload) == workloads.end()) workloads.push_back(a.workload);
  std::string text;
  Json json = Json::array();
  for (const std::string& id : workloads) {
    std::vector<const SiteAnswer*> own;
    for (const SiteAnswer& a : answers)
      if (a.workload == id) own.push_back(&a);
    const auto place = [](const SiteAnswer* a) {
      return a->verdict == plan::Verdict::fits ? 0 : a->verdict == plan::Verdict::unknown ? 1 : 2;
    };
    std::stable_sort(own.begin(), own.end(), [&](const auto* a, const auto* b) { return place(a) < place(b); });
    if (own[0]->verdict == plan::Verdict::does_not_fit) code = 1;
    text += (request.format == "markdown" ? "### " + id + "\n\n" : id + "\n");
    Json sites = Json::array();
    for (std::size_t i = 0; i < own.size(); ++i) {
      text += line(*own[i], i + 1);
      sites.push_back({{"site", own[i]->site},
                       {"verdict", plan::name(own[i]->verdict)},
                       {"plane", own[i]->plane},
                       {"target", own[i]->target},
                       {"why", own[i]->why}});
      sites.back().update(own[i]->policy);
    }
    json.push_back({{"id", id}, {"sites", std::move(sites)}});
  }
  Diagnostics diagnostics;
  if (!write_stdout(request.format == "json" ? print(json) : text, diagnostics)) return 2;
  return code;
}

}  // namespace muster::cli
