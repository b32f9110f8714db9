// muster decide: where it should run, and why.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/command.h"
#include "cli/decide_sites.h"
#include "cli/decide_why.h"
#include "cli/emit.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/rules_input.h"
#include "plan/decide.h"
#include "plan/facts.h"

namespace muster::cli {
namespace {

struct DecideOptions {
  CommonOptions common;
  std::vector<std::string> facts, sites;
  std::string profile;  // "": the policy in force
  std::string workload;
  std::string format = "text";
  bool why = false;
  WhyOptions more;
};

class Decider {
 public:
  explicit Decider(const DecideOptions& options) : options_(options), session_(options.common) {}

  int run() {
    if (!split_facts(options_.facts, overrides_)) return 2;
    if (!agree(overrides_, session_.diagnostics())) return session_.finish();
    if (!session_.load()) return session_.finish();
    auto setting = make_setting(session_, is_profile(options_.profile) ? options_.profile : "");
    if (!setting) return session_.finish();
    if (options_.common.files.empty()) decide_facts(*setting);
    else
      for (const model::Workload* w : session_.workloads(options_.workload)) decide_workload(*w, *setting);
    if (session_.diagnostics().has_errors()) return session_.finish();
    if (options_.format == "json" && options_.profile != "seed")
      text_ = print(options_.common.files.empty() && json_.size() == 1 ? json_[0] : json_);
    write_stdout(text_, session_.diagnostics());
    return session_.finish(code_);
  }

 private:
  // Without a file: the facts of the command line alone.
  void decide_facts(const Setting& setting) {
    plan::FactRequest request;
    request.site = setting.site;
    request.site_given = session_.site_given();
    request.fleet = setting.fleet;
    request.declared = setting.policy.facts;
    request.overrides = overrides_;
    const plan::Facts facts = plan::derive_facts(request, session_.diagnostics());
    if (session_.diagnostics().has_errors()) return;
    if (const auto decision = plan::decide(setting.policy, facts, setting.site, session_.diagnostics()))
      show("facts", *decision, facts, {}, setting);
  }

  void decide_workload(const model::Workload& workload, const Setting& setting) {
    plan::PlanRequest request = request_for(&workload, session_, setting);
    request.overrides = overrides_;
    const plan::PlanResult result = plan::make_plan(request, session_.diagnostics());
    if (result.plan) show(workload.id, result.plan->decision, result.plan->facts, result.skipped, setting);
  }

  void show(const std::string& title, const plan::Decision& d, const plan::Facts& facts,
            const std::vector<plan::Skipped>& skipped, const Setting& setting) {
    if (d.control_plane == "none") code_ = 1;
    if (options_.format == "json" && options_.profile == "seed") {
      if (const auto outcome = plan::evaluate(setting.policy, facts, session_.diagnostics()))
        text_ += plan::seed_json(*outcome) + "\n";
    } else if (options_.format == "json") {
      Json out = {{"id", title}};
      out.update(to_json(d, setting.policy));
      out["facts"] = to_json(facts, session_.sources());
      for (const plan::Skipped& s : skipped)
        out["skipped"].push_back({{"plane", s.plane}, {"why", s.certificate.text}});
      if (options_.more.asked())
        out.update(why_json(setting.policy, facts, options_.more, session_.sources(), session_.diagnostics()));
      json_.push_back(std::move(out));
    } else if (options_.format == "markdown") {
      text_ += markdown(title, d);
      if (options_.why) text_ += facts_markdown(facts, session_.sources());
      if (options_.more.asked())
        text_ += why_markdown(setting.policy, facts, options_.more, session_.sources(), session_.diagnostics());
    } else {
      text_ += decision_text(title, d, facts, options_.why, session_.sources());
      for (const plan::Skipped& s : skipped)
        text_ += "  passed over     plane " + s.plane + ": " + s.certificate.text + "\n";
      if (options_.more.asked())
        text_ += why_text(setting.policy, facts, options_.more, session_.sources(), session_.diagnostics());
    }
  }

  static std::string markdown(const std::string& title, const plan::Decision& d) {
    std::string out = "### " + title + ": " + d.control_plane +
                      (d.target.empty() ? "" : ", target `" + d.target + "`") +
                      "\n\n| output | value | rule | why |\n|---|---|---|---|\n";
    for (const plan::Choice& c : d.choices)
      out += "| " + c.output + " | " + c.value + " | " + c.rule + " | " + c.reason + " (" + c.because + ") |\n";
    return out + "\n";
  }

  const DecideOptions& options_;
  Session session_;
  std::vector<std::pair<std::string, std::string>> overrides_;
  std::string text_;
  Json json_ = Json::array();
  int code_ = 0;
};

}  // namespace

int run_decide(int argc, char** argv) {
  DecideOptions options;
  CLI::App app("Says where a workload should run, and which rules say so.", "muster decide");
  add_common(app, options.common, false);
  app.add_option("--fact", options.facts, "state a fact: NAME=VALUE")->type_name("NAME=VALUE");
  app.add_option("--profile", options.profile,
                 "default, greenfield, seed or a rule file; otherwise the site's own rules, else default")
      ->type_name("NAME|FILE");
  app.add_option("--workload", options.workload, "only this one")->type_name("NAME");
  app.add_option("--format", options.format, "text, json or markdown")
      ->check(CLI::IsMember({"text", "json", "markdown"}))
      ->type_name("FORMAT");
  app.add_flag("--why", options.why, "also every fact, its value and where it came from");
  app.add_option("--why-not", options.more.wanted, "what stands against a value (slurm, runtime=ray) or a row")
      ->type_name("VALUE|ROW");
  app.add_flag("--flip", options.more.flip, "the changes of one to three facts that would change the answer");
  app.add_option("--flip-of", options.more.flip_of, "the same, of one output alone")->type_name("OUTPUT");
  app.remove_option(app.get_option("--site"));
  app.add_option("--site", options.sites, "the site to plan for, and its fleet; several are ranked")
      ->type_name("FILE")
      ->allow_extra_args(false);
  if (const auto code = parse_arguments(app, argc, argv)) return *code;
  if (!options.profile.empty() && !may_be_rules("decide", options.profile)) return 2;
  options.common = rules_options(options.common, options.profile.empty() ? "default" : options.profile);
  if (options.common.files.empty() && options.facts.empty()) {
    std::fputs("muster decide: give a FILE or --fact NAME=VALUE\n", stderr);
    return 2;
  }
  if (options.sites.size() > 1) {
    SitesRequest request{options.common, options.profile, options.workload, options.format, options.sites, {}};
    if (!split_facts(options.facts, request.overrides)) return 2;
    return decide_sites(request);
  }
  if (!options.sites.empty()) options.common.site_file = options.sites[0];
  return Decider(options).run();
}

}  // namespace muster::cli
