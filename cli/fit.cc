// muster fit: whether the gangs fit the declared fleet, with a placement or the reason in numbers.
#include <algorithm>
#include <cstdio>
#include <optional>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/decide_report.h"
#include "cli/emit.h"
#include "cli/fit_demo.h"
#include "cli/fit_text.h"
#include "cli/fleet_picture.h"
#include "cli/standard_output.h"
#include "compiler/base/instant.h"
#include "compiler/base/text.h"
#include "driver/change.h"
#include "driver/choose.h"
#include "driver/other_machines.h"
#include "driver/planning.h"
#include "driver/what_if.h"
#include "lint/fit_as_read.h"
#include "plan/run/place_all.h"
#include "plan/steps/reliability.h"
#include "plan/verdict.h"

namespace muster::cli {
namespace {

struct FitOptions {
  CommonOptions common;
  std::string workload;
  std::vector<std::string> what_if, sites;
  std::string at;
  std::string demo;
};

// A workload and its answer: of its plan, or that no pool takes it.
struct FitOf {
  const model::Workload* workload = nullptr;
  plan::PlanResult result;
  plan::Fit none{};
  const targets::AsRead* read = nullptr;  // of a job script or a manifest
  std::string not_written{};              // why no target of the site takes it; "": one does, or it is a file already
  std::string change{};                   // what would help it most; "": nothing

  const plan::Fit& fit() const { return result.plan ? result.plan->fit : none; }
  plan::Fit& fit() { return result.plan ? result.plan->fit : none; }
};

// What is printed of a site.
struct Answer {
  std::string site;
  plan::Verdict verdict = plan::Verdict::unknown;
  std::string text;  // or the picture
  Json json;
  bool starts = false;  // all of them fit, and each is written by a target of the site
};

class Fitter {
 public:
  explicit Fitter(const FitOptions& options) : options_(options), session_(options.common) {}

  // nullopt: the session says why.
  std::optional<Answer> answer() {
    if (!session_.load()) return std::nullopt;
    auto setting = driver::make_setting(session_);
    if (!setting || !driver::fabrics_attach(*setting, session_.diagnostics())) return std::nullopt;
    policy_ = setting->policy;
    if (setting->fleet == nullptr) return no_fleet(*setting->site);
    model::Fleet changed;
    if (!options_.what_if.empty() || !options_.at.empty()) {
      changed = *setting->fleet;
      if (!options_.at.empty()) changed.as_of = parse_instant(options_.at);
      setting->use(&changed);
    }
    if (!driver::apply_what_if(options_.what_if, changed, session_.diagnostics())) return std::nullopt;
    for (const model::Workload* w : session_.workloads(options_.workload))
      if (!ask(*w, *setting)) unusable_ = true;
    if (unusable_ || asked_.empty()) return std::nullopt;
    std::vector<plan::Plan*> plans;
    for (FitOf& asked : asked_)
      if (asked.result.plan) plans.push_back(&*asked.result.plan);
    plan::place_all(*setting->state, plans);
    for (FitOf& asked : asked_)
      if (asked.read != nullptr) lint::limit_to_known(*asked.read, fit_request(*asked.workload, *setting), asked.fit());
    note_other_machines();
    for (FitOf& asked : asked_) asked.change = change_of(asked, *setting);
    Answer out{setting->site->name, worst([](const plan::Fit& fit) { return fit.verdict; }), {}, {}, starts()};
    if (options_.common.format == "json") out.json = json(out.verdict);
    else out.text = options_.common.format == "svg" ? picture(*setting->fleet) : text();
    return out;
  }

  int run() {
    const std::optional<Answer> found = answer();
    if (!found) return finish();
    return finish(found->starts ? 0 : 1, options_.common.format == "json" ? print(found->json) : found->text);
  }

  // Prints what the session has to say, and gives the exit code.
  int finish(int code = 0, std::optional<std::string> text = std::nullopt) {
    return cli::finish(session_, options_.common, code, std::move(text));
  }

 private:
  std::nullopt_t no_fleet(const model::Site& site) {
    session_.diagnostics()
        .add(Code::nothing_to_do, site.span, "site `" + site.name + "` declares no fleet, so the fit cannot be checked")
        .notes.push_back("pass a site that declares a `fleet` with `--site FILE`");
    return std::nullopt;
  }

  // Of a file that is written for its plane only the fit is asked.
  plan::PlanRequest fit_request(const model::Workload& workload, const driver::Setting& setting) const {
    plan::PlanRequest out = driver::request_for(&workload, session_, setting);
    out.policy = nullptr;
    return out;
  }

  // False: reported.
  bool ask(const model::Workload& workload, const driver::Setting& setting) {
    const targets::AsRead* read = session_.as_read(workload);
    driver::Chosen chosen;
    targets::LowerOptions options;
    options.asks = targets::LowerOptions::Asks::whether;
    if (read != nullptr) chosen.result = lint::plan_as_read(*read, fit_request(workload, setting));
    else
      chosen =
          driver::choose(driver::request_for(&workload, session_, setting), options, nullptr, session_.diagnostics());
    if (!chosen.result.plan && !chosen.result.no_pool) return false;
    const Outlook outlook = read == nullptr && chosen.result.plan ? outlook_of(chosen) : Outlook();
    asked_.push_back({&workload, std::move(chosen.result), {}, read});
    if (!outlook.writes.value_or(true) && outlook.fits) asked_.back().not_written = outlook.why;
    if (!asked_.back().result.plan) asked_.back().none = lint::refused(*asked_.back().result.no_pool, workload);
    return true;
  }

  // What is proven is what the keys ask for.
  void note_other_machines() {
    for (FitOf& asked : asked_)
      if (const std::string why = asked.read != nullptr
                                      ? std::string()
                                      : driver::other_machines(*asked.workload, asked.result, session_.sources());
          !why.empty()) {
        std::string& note = asked.result.plan->fit.capacity.note;
        note += (note.empty() ? "" : "; ") + why;
      }
  }

  // Beside other workloads of the same files its size alone is not what decides.
  std::string change_of(const FitOf& asked, const driver::Setting& setting) const {
    if (!asked.not_written.empty()) return {};
    if (asked.fit().verdict == plan::Verdict::fits)
      return asked.result.plan && asked.read == nullptr ? plan::change_for_failures(*asked.result.plan) : std::string();
    if (!asked.fit().placed_before.empty()) return {};
    return driver::change_for(fit_request(*asked.workload, setting), asked.read, asked.fit(), true);
  }

  template <class Of>
  plan::Verdict worst(Of of) const {
    plan::Verdict out = plan::Verdict::fits;
    for (const FitOf& asked : asked_) out = worse(out, of(asked.fit()));
    return out;
  }

  bool starts() const {
    return std::all_of(asked_.begin(), asked_.end(), [](const FitOf& asked) {
      return asked.fit().verdict == plan::Verdict::fits && asked.not_written.empty();
    });
  }

  std::string text() const {
    std::string out;
    for (const FitOf& asked : asked_) {
      out += fit_text(asked.fit(), *asked.workload);
      if (!asked.not_written.empty())
        out += "  not written: no target of the site takes it: " + asked.not_written + "\n";
      if (!asked.change.empty()) out += "  " + padded("change", 9) + asked.change + "\n";
    }
    return out;
  }

  std::string picture(const model::Fleet& fleet) const {
    std::vector<const plan::Plan*> plans;
    for (const FitOf& asked : asked_)
      if (asked.result.plan) plans.push_back(&*asked.result.plan);
    return fleet_svg(fleet, plans);
  }

  Json json(plan::Verdict verdict) const {
    Json levels = Json::object(), workloads = Json::array();
    levels["capacity"] = plan::name(worst([](const plan::Fit& fit) { return fit.capacity.verdict; }));
    levels["policy"] = plan::name(worst([](const plan::Fit& fit) { return fit.policy.verdict; }));
    levels["now"] = plan::name(worst([](const plan::Fit& fit) { return fit.now.verdict; }));
    for (const FitOf& asked : asked_) {
      workloads.push_back(to_json(asked.fit(), *asked.workload));
      if (!asked.not_written.empty()) workloads.back()["not_written"] = asked.not_written;
      if (!asked.change.empty()) workloads.back()["change"] = asked.change;
    }
    Json out = {{"verdict", plan::name(verdict)}, {"levels", std::move(levels)}};
    out["workloads"] = std::move(workloads);  // in a list of pairs it would be copied, and it may be long
    out.update(policy_json(policy_));
    return out;
  }

  const FitOptions& options_;
  driver::Session session_;
  std::vector<FitOf> asked_;
  model::Policy policy_;
  bool unusable_ = false;
};

// Where it fits, where that is not known, where it does not; of equals as they were given.
int fit_at_sites(const FitOptions& options) {
  std::vector<Answer> answers;
  for (const std::string& site : options.sites) {
    FitOptions one = options;
    one.common.site_file = site;
    Fitter fitter(one);
    auto answer = fitter.answer();
    const int code = fitter.finish(0, answer ? std::optional(std::string()) : std::nullopt);
    if (!answer) return code;
    answers.push_back(std::move(*answer));
  }
  const auto rank = [](const Answer& a) {
    if (a.verdict == plan::Verdict::fits) return a.starts ? 0 : 2;
    return a.verdict == plan::Verdict::unknown ? 1 : 3;
  };
  std::stable_sort(answers.begin(), answers.end(), [&](const Answer& a, const Answer& b) { return rank(a) < rank(b); });
  std::string text;
  Json sites = Json::array();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Answer& answer = answers[i];
    text += std::to_string(i + 1) + ". " + answer.site + ": " + std::string(plan::name(answer.verdict)) + "\n" +
            answer.text;
    if (options.common.format != "json") continue;
    sites.push_back({{"site", answer.site}});
    sites.back().update(std::move(answer.json));
  }
  Diagnostics diagnostics;
  if (!print_text(options.common.format == "json" ? print({{"sites", std::move(sites)}}) : text, diagnostics)) return 2;
  return answers.front().starts ? 0 : 1;
}

}  // namespace

int run_fit(const CommandLine& line) {
  FitOptions options;
  Arguments app("Proves that a gang fits the fleet of the site, or shows what is missing.", "muster fit");
  options.common.existing = driver::Existing::as_read;
  add_common(app, options.common, false);
  add_sites(app, options.sites, "file with the site to plan for, and its fleet; several sites are ranked");
  app.add_option("--workload", options.workload, "check only this workload").type_name("NAME");
  app.add_option("--format", options.common.format, "format: text, json, or svg for a picture of the fleet")
      .one_of({"text", "json", "svg"})
      .type_name("FORMAT");
  app.add_option("--at", options.at, "time of the question, which decides whether reservations hold their nodes")
      .check([](const std::string& time) {
        return parse_instant(time) ? std::string() : "invalid time; expected YYYY-MM-DDTHH:MM";
      })
      .type_name("TIME");
  app.add_option("--what-if", options.what_if,
                 "check a changed fleet: add=POOL:COUNT, drain=LEAF, free=JOB; can be repeated")
      .one_at_a_time()
      .type_name("CHANGE");
  app.add_option("--demo", options.demo, "demonstrate the deadlock of pods that are bound one by one; needs no FILE")
      .one_of({"deadlock"})
      .type_name("NAME");
  if (const auto code = app.parse(line)) return *code;
  if (!options.demo.empty()) {
    Diagnostics none;
    write_stdout(deadlock_demo(), none);
    return none.has_errors() ? 2 : 0;
  }
  if (options.common.files.empty()) {
    std::fputs("muster fit: FILE is required\n", stderr);
    return 2;
  }
  if (options.sites.size() > 1 && options.common.format == "svg") {
    std::fputs("muster fit: --format svg requires one --site\n", stderr);
    return 2;
  }
  if (options.sites.size() > 1) return fit_at_sites(options);
  if (!options.sites.empty()) options.common.site_file = options.sites[0];
  return Fitter(options).run();
}

}  // namespace muster::cli
