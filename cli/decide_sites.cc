#include "cli/decide_sites.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "cli/common_options.h"
#include "cli/emit.h"
#include "cli/profile_choice.h"
#include "cli/standard_output.h"
#include "driver/planning.h"
#include "driver/rules_input.h"

namespace muster::cli {
namespace {

// What one site said of one workload, in words: its session is gone when they are printed.
struct SiteAnswer {
  std::string workload, site, plane, target;
  plan::Verdict verdict = plan::Verdict::does_not_fit;
  bool writes = false;  // `compile` writes a file there
  std::string why;      // why it is not better
  std::string details;  // of --why, --why-not and --flip
  Json policy;          // and what these say, as JSON
};

// What is asked beyond the verdict, of a decision that the site could make.
void add_details(const SitesRequest& request, const Decided& decided, Diagnostics& diagnostics, SiteAnswer& out) {
  if (!request.ask.asked()) return;
  const std::string title = out.workload + " at " + out.site;
  if (request.format == "markdown") out.details = report_markdown(title, decided, request.ask, diagnostics);
  else if (request.format == "json") out.policy["decision"] = report_json(decided, request.ask, diagnostics);
  else out.details = report_text(title, decided, request.ask, diagnostics);
}

// The verdict of a plan, and the reason against a better one.
void judge(const plan::Plan& plan, const Outlook& outlook, SiteAnswer& out) {
  out.plane = plan.decision.plane;
  out.target = plan.decision.target;
  out.writes = outlook.writes.value_or(plan.plane != nullptr);
  if (plan.plane != nullptr) out.verdict = plan::startable(plan.fit);
  out.why = outlook.why;
  if (!out.writes && out.why.empty()) out.why = "the site has no plane that can run it";
  if (!out.writes || out.verdict == plan::Verdict::fits) return;
  for (const plan::Level* level : {&plan.fit.policy, &plan.fit.capacity})
    if (level->verdict == out.verdict) out.why = level->certificate ? level->certificate->text : level->note;
}

class Asker {
 public:
  Asker(const SitesRequest& request, const CommonOptions& options) : request_(request), session_(options) {}

  // Adds an answer for each workload. nullopt: all are there; else reported, with the exit code.
  std::optional<int> ask(std::vector<SiteAnswer>& answers) {
    if (!agree(request_.overrides, session_.diagnostics())) return finish(session_, request_.common);
    if (!session_.load()) return finish(session_, request_.common);
    const auto setting = driver::make_setting(session_, driver::is_profile(request_.profile) ? request_.profile : "");
    if (!setting) return finish(session_, request_.common);
    if (request_.common.files.empty()) answers.push_back(of_facts(*setting));
    else
      for (const model::Workload* w : session_.workloads(request_.workload)) answers.push_back(of(*w, *setting));
    return session_.diagnostics().has_errors() ? std::optional(finish(session_, request_.common)) : std::nullopt;
  }

 private:
  SiteAnswer blank(const std::string& workload, const driver::Setting& setting) const {
    SiteAnswer out;
    out.workload = workload;
    out.site = setting.site->name;
    out.policy = policy_json(setting.policy);
    return out;
  }

  SiteAnswer of(const model::Workload& workload, const driver::Setting& setting) {
    SiteAnswer out = blank(workload.id, setting);
    plan::PlanRequest request = driver::request_for(&workload, session_, setting);
    request.overrides = request_.overrides;
    Diagnostics reports;
    const auto [chosen, outlook] = cli::ask(request, is_of_rules_alone(request_.profile), reports);
    const plan::PlanResult& result = chosen.result;
    if (!result.plan) {
      const auto sorted = reports.sorted();
      out.why = result.no_pool ? result.no_pool->text : sorted.empty() ? "no plan" : sorted.front().message;
      return out;
    }
    judge(*result.plan, outlook, out);
    add_details(
        request_,
        {result.plan->decision, result.plan->facts, setting.policy, result.skipped, session_.sources(), outlook},
        session_.diagnostics(), out);
    return out;
  }

  // Facts alone ask no fleet.
  SiteAnswer of_facts(const driver::Setting& setting) {
    SiteAnswer out = blank("facts", setting);
    const auto made = decide_facts(request_.overrides, session_, setting);
    if (!made) return out;
    out.plane = made->decision.plane;
    if (made->decision.control_plane == "none") {
      out.why = "the site has no plane that can run it";
    } else {
      out.writes = true;
      out.verdict = plan::Verdict::unknown;
      out.why = "no fleet was checked, because only facts were given";
    }
    add_details(request_, {made->decision, made->facts, setting.policy, {}, session_.sources(), {}},
                session_.diagnostics(), out);
    return out;
  }

  const SitesRequest& request_;
  driver::Session session_;
};

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

// Those of one workload: where it fits, where that is not known, where it cannot be written, where it does not fit.
std::vector<const SiteAnswer*> ranked(const std::vector<SiteAnswer>& answers, const std::string& workload) {
  std::vector<const SiteAnswer*> out;
  for (const SiteAnswer& a : answers)
    if (a.workload == workload) out.push_back(&a);
  const auto place = [](const SiteAnswer* a) {
    if (a->verdict == plan::Verdict::does_not_fit) return 3;
    if (!a->writes) return 2;
    return a->verdict == plan::Verdict::fits ? 0 : 1;
  };
  std::stable_sort(out.begin(), out.end(), [&](const auto* a, const auto* b) { return place(a) < place(b); });
  return out;
}

}  // namespace

int decide_sites(const SitesRequest& request) {
  std::vector<SiteAnswer> answers;
  for (const std::string& site : request.sites) {
    CommonOptions options = request.common;
    options.site_file = site;
    if (const auto code = Asker(request, options).ask(answers)) return *code;
  }
  std::vector<std::string> workloads;
  for (const SiteAnswer& a : answers)
    if (std::find(workloads.begin(), workloads.end(), a.workload) == workloads.end()) workloads.push_back(a.workload);
  int code = 0;
  std::string text;
  Json json = Json::array();
  for (const std::string& id : workloads) {
    const auto own = ranked(answers, id);
    if (own[0]->verdict == plan::Verdict::does_not_fit || !own[0]->writes) code = 1;
    text += request.format == "markdown" ? "### " + id + "\n\n" : id + "\n";
    std::string details;
    Json sites = Json::array();
    for (std::size_t i = 0; i < own.size(); ++i) {
      text += line(*own[i], i + 1);
      details += own[i]->details;
      sites.push_back(json_of(*own[i]));
    }
    text += request.format == "markdown" && !details.empty() ? "\n" + details : details;
    json.push_back({{"id", id}, {"sites", std::move(sites)}});
  }
  Diagnostics diagnostics;
  if (!print_text(request.format == "json" ? print(json) : text, diagnostics)) return 2;
  return code;
}

}  // namespace muster::cli
