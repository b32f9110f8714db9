// muster decide: where it should run, and why.
#include <cstdio>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/decide_report.h"
#include "cli/decide_sites.h"
#include "cli/emit.h"
#include "cli/profile_choice.h"
#include "cli/seed_json.h"
#include "cli/standard_output.h"
#include "driver/planning.h"
#include "driver/rules_input.h"
#include "plan/decide/decide.h"
#include "rules/profiles.h"

namespace muster::cli {
namespace {

struct DecideOptions {
  CommonOptions common;
  std::vector<std::string> facts, sites;
  std::string profile;  // "": the policy in force
  std::string workload;
  DecideAsk ask;
};

class Decider {
 public:
  explicit Decider(const DecideOptions& options) : options_(options), session_(options.common) {}

  int run() {
    if (!split_facts(options_.facts, overrides_)) return 2;
    if (!agree(overrides_, session_.diagnostics())) return finish(session_, options_.common);
    if (!session_.load()) return finish(session_, options_.common);
    auto setting = driver::make_setting(session_, driver::is_profile(options_.profile) ? options_.profile : "");
    if (!setting) return finish(session_, options_.common);
    if (options_.common.files.empty()) of_facts(*setting);
    else
      for (const model::Workload* w : session_.workloads(options_.workload)) decide_workload(*w, *setting);
    if (session_.diagnostics().has_errors()) return finish(session_, options_.common);
    if (options_.common.format == "json" && options_.profile != "seed")
      text_ = print(options_.common.files.empty() && json_.size() == 1 ? json_[0] : json_);
    return finish(session_, options_.common, code_, std::move(text_));
  }

 private:
  // Without a file: the facts of the command line alone.
  void of_facts(const driver::Setting& setting) {
    const auto made = decide_facts(overrides_, session_, setting);
    if (made) show("facts", made->decision, made->facts, {}, {}, setting);
  }

  void decide_workload(const model::Workload& workload, const driver::Setting& setting) {
    plan::PlanRequest request = driver::request_for(&workload, session_, setting);
    request.overrides = overrides_;
    // `compile` answers no question about stated facts: without a site they are asked of the rules alone.
    const bool rules_alone = is_of_rules_alone(options_.profile) || (!session_.site_given() && !overrides_.empty());
    const targets::AsRead* read = session_.as_read(workload);
    const auto [chosen, outlook] = read != nullptr && !rules_alone
                                       ? ask_existing(*read, request, session_.diagnostics())
                                       : ask(request, rules_alone, session_.diagnostics());
    if (!chosen.result.plan) return;
    const plan::Plan& plan = *chosen.result.plan;
    if (!outlook.writes.value_or(true)) code_ = 1;
    show(workload.id, plan.decision, plan.facts, chosen.result.skipped, outlook, setting);
  }

  void show(const std::string& title, const plan::Decision& d, const plan::Facts& facts,
            const std::vector<plan::Skipped>& skipped, const Outlook& outlook, const driver::Setting& setting) {
    if (d.control_plane == "none") code_ = 1;
    const Decided decided{d, facts, setting.policy, skipped, session_.sources(), outlook};
    if (options_.common.format == "json" && options_.profile == "seed") {
      if (const auto outcome = plan::evaluate(setting.policy, facts, session_.diagnostics()))
        text_ += seed_json(*outcome) + "\n";
    } else if (options_.common.format == "json") {
      Json out = {{"id", title}};
      out.update(report_json(decided, options_.ask, session_.diagnostics()));
      json_.push_back(std::move(out));
    } else if (options_.common.format == "markdown") {
      text_ += report_markdown(title, decided, options_.ask, session_.diagnostics());
    } else {
      text_ += report_text(title, decided, options_.ask, session_.diagnostics());
    }
  }

  const DecideOptions& options_;
  driver::Session session_;
  std::vector<std::pair<std::string, std::string>> overrides_;
  std::string text_;
  Json json_ = Json::array();
  int code_ = 0;
};

}  // namespace

int run_decide(const CommandLine& line) {
  DecideOptions options;
  std::string flip;
  Arguments app("Decides where a workload should run, and shows which rules decided.", "muster decide");
  options.common.existing = driver::Existing::as_read;
  add_common(app, options.common, false);
  app.add_option("--fact", options.facts, "state a fact: NAME=VALUE").type_name("NAME=VALUE");
  app.add_option(
         "--profile", options.profile,
         "rules to use: default, greenfield, seed or a rule file; default: the site's own rules, or else default")
      .suggest({rules::profile_names().begin(), rules::profile_names().end()})
      .type_name("NAME|FILE");
  app.add_option("--workload", options.workload, "decide only this workload").type_name("NAME");
  app.add_option("--format", options.common.format, "text, json or markdown")
      .one_of({"text", "json", "markdown"})
      .type_name("FORMAT");
  app.add_flag("--why", options.ask.why, "also show every fact, its value and its source");
  app.add_option("--why-not", options.ask.more.wanted,
                 "show which conditions exclude a value (slurm, runtime=ray) or a row")
      .type_name("VALUE|ROW");
  app.add_flag("--flip", flip,
               "show the changes of the workload's size that would change the answer; "
               "`--flip all`: the changes of one to three facts of any kind");
  app.add_option("--flip-of", options.ask.more.flip_of, "the same, for one output only").type_name("OUTPUT");
  add_sites(app, options.sites, "file with the site to plan for, and its fleet; several sites are ranked");
  std::vector<char*> words(line.argv, line.argv + line.argc);
  std::string all = "--flip=all";  // a flag takes no word of its own
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == std::string_view("--flip") && words[i + 1] == std::string_view("all"))
      words[i] = all.data(), words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  if (const auto code = app.parse({static_cast<int>(words.size()), words.data(), line.described})) return *code;
  if (!flip.empty() && flip != "true" && flip != "all") {
    print_error("muster decide: --flip takes `all` or nothing\n");
    return 2;
  }
  options.ask.more.flip = !flip.empty();
  options.ask.more.flip_all = flip == "all" || options.common.files.empty();
  if (!options.profile.empty() && !may_be_rules("decide", options.profile)) return 2;
  if (!options.profile.empty() && !driver::is_profile(options.profile)) options.common.rules_file = options.profile;
  if (options.common.files.empty() && options.facts.empty()) {
    print_error("muster decide: give a FILE or --fact NAME=VALUE\n");
    return 2;
  }
  if (options.sites.size() > 1) {
    SitesRequest request{options.common, options.profile, options.workload, options.sites, {}, options.ask};
    if (!split_facts(options.facts, request.overrides)) return 2;
    return decide_sites(request);
  }
  if (!options.sites.empty()) options.common.site_file = options.sites[0];
  return Decider(options).run();
}

}  // namespace muster::cli
