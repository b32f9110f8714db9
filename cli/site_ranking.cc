#include "cli/site_ranking.h"

#include <algorithm>

#include "cli/profile_choice.h"
#include "driver/planning.h"
#include "driver/rules_input.h"

namespace muster::cli {
namespace {

// What is asked beyond the verdict, of a decision that the site could make.
void add_details(const SitesRequest& request, const Decided& decided, Diagnostics& diagnostics, SiteAnswer& out) {
  if (!request.ask.asked()) return;
  const std::string title = out.workload + " at " + out.site;
  if (request.common.format == "markdown") out.details = report_markdown(title, decided, request.ask, diagnostics);
  else if (request.common.format == "json") out.policy["decision"] = report_json(decided, request.ask, diagnostics);
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
    out.file = session_.inputs().site_file;
    out.policy = policy_json(setting.policy);
    return out;
  }

  SiteAnswer of(const model::Workload& workload, const driver::Setting& setting) {
    SiteAnswer out = blank(workload.id, setting);
    plan::PlanRequest request = driver::request_for(&workload, session_, setting);
    request.overrides = request_.overrides;
    Diagnostics reports;
    const targets::AsRead* read = session_.as_read(workload);
    const auto [chosen, outlook] = read != nullptr
                                       ? ask_existing(*read, request, reports)
                                       : cli::ask(request, is_of_rules_alone(request_.profile), reports, request_.only);
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

}  // namespace

std::optional<int> ask_sites(const SitesRequest& request, std::vector<SiteAnswer>& answers) {
  for (const std::string& site : request.sites) {
    CommonOptions options = request.common;
    options.site_file = site;
    if (const auto code = Asker(request, options).ask(answers)) return code;
  }
  return std::nullopt;
}

int rank_of(const SiteAnswer& answer) {
  if (answer.verdict == plan::Verdict::does_not_fit) return 3;
  if (!answer.writes) return 2;
  return answer.verdict == plan::Verdict::fits ? 0 : 1;
}

std::vector<const SiteAnswer*> ranked(const std::vector<SiteAnswer>& answers, const std::string& workload) {
  std::vector<const SiteAnswer*> out;
  for (const SiteAnswer& a : answers)
    if (a.workload == workload) out.push_back(&a);
  std::stable_sort(out.begin(), out.end(), [&](const auto* a, const auto* b) { return rank_of(*a) < rank_of(*b); });
  return out;
}

BestSite best_site(const std::vector<SiteAnswer>& answers) {
  std::vector<const SiteAnswer*> worst;  // of each site
  for (const SiteAnswer& a : answers) {
    const auto same = std::find_if(worst.begin(), worst.end(), [&](const SiteAnswer* w) { return w->file == a.file; });
    if (same == worst.end()) worst.push_back(&a);
    else if (rank_of(a) > rank_of(**same)) *same = &a;
  }
  std::stable_sort(worst.begin(), worst.end(),
                   [](const SiteAnswer* a, const SiteAnswer* b) { return rank_of(*a) < rank_of(*b); });
  BestSite out{worst.front()->site, worst.front()->file, {}};
  for (std::size_t i = 1; i < worst.size(); ++i)
    out.others.push_back(worst[i]->site + ": " +
                         (worst[i]->why.empty() ? "ranked after another site that also fits" : worst[i]->why));
  return out;
}

}  // namespace muster::cli
