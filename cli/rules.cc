// muster rules verify|test|show|table|diff: a policy proven, tested, read and compared.
#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/profile_choice.h"
#include "cli/rules_report.h"
#include "cli/standard_output.h"
#include "rules/profiles.h"

namespace muster::cli {
namespace {

struct RulesOptions {
  CommonOptions common;
  std::string profile = "default";
  std::string other;
  bool coverage = false, effective = false;
};

std::vector<std::string> built_in_profiles() { return {rules::profile_names().begin(), rules::profile_names().end()}; }

Arguments add_verb(Arguments& app, const char* name, const char* summary, RulesOptions& options,
                   std::vector<std::string> formats) {
  Arguments verb = app.add_verb(name, summary);
  verb.add_option("--format", options.common.format, "format of the output")
      .one_of(std::move(formats))
      .type_name("FORMAT");
  add_report_options(verb, options.common);
  return verb;
}

void add_profile(Arguments& verb, RulesOptions& options) {
  verb.add_option("--profile,POLICY", options.profile, "rules: default, greenfield, seed or a rule file")
      .suggest(built_in_profiles())
      .type_name("NAME|FILE");
  verb.add_option("--as-of", options.common.as_of, "date at which entries expire").type_name("DATE");
}

// One policy: read, judged by `report`, printed.
template <class Report>
int on_policy(const RulesOptions& options, Report report) {
  driver::Session session(driver::rules_inputs(options.common, options.profile));
  const auto input = driver::read_rules(session, options.profile);
  if (!input) return finish(session, options.common);
  driver::check_expiry(input->policy, options.common.as_of, session.diagnostics());
  if (session.diagnostics().has_errors()) return finish(session, options.common);
  const RulesReport result = report(*input, session);
  return finish(session, options.common, result.code, result.text);
}

int run_diff(const RulesOptions& options) {
  driver::Session before(driver::rules_inputs(options.common, options.profile)),
      after(driver::rules_inputs(options.common, options.other));
  const auto a = driver::read_rules(before, options.profile);
  if (!a) return finish(before, options.common);
  const auto b = driver::read_rules(after, options.other);
  if (!b) return finish(after, options.common);
  const RulesReport result = diff_report(a->policy, b->policy, options.common.format, after.diagnostics());
  return finish(after, options.common, result.code, result.text);
}

}  // namespace

int run_rules(const CommandLine& line) {
  RulesOptions options;
  Arguments app("Proves, tests, shows and compares the rules that decide.", "muster rules");
  Arguments verify =
      add_verb(app, "verify", "prove a policy: no gap, overlap or unreachable row, and every invariant holds", options,
               {"text", "json"});
  Arguments test = add_verb(app, "test", "run the named cases of a policy", options, {"text", "json"});
  Arguments show = add_verb(app, "show", "show the rules in force and the layer of each", options, {"text", "json"});
  Arguments table = add_verb(app, "table", "print the rules as tables or as a flow chart", options,
                             {"markdown", "csv", "json", "mermaid"});
  Arguments diff =
      add_verb(app, "diff", "show the facts for which two policies give different answers", options, {"text", "json"});
  for (Arguments* verb : {&verify, &test, &show, &table}) add_profile(*verb, options);
  test.add_flag("--coverage", options.coverage, "also show which rows and cells the cases cover");
  show.add_flag("--effective", options.effective, "show every row, not only those that layers added or changed");
  diff.add_option("A", options.profile, "a profile or a rule file").suggest(built_in_profiles()).required();
  diff.add_option("B", options.other, "the profile or rule file to compare it with")
      .suggest(built_in_profiles())
      .required();
  if (const auto exit = app.parse(line)) return *exit;
  for (const std::string& name : {options.profile, options.other})
    if (!name.empty() && !may_be_rules("rules", name)) return 2;
  const auto& o = options;
  if (diff.parsed()) return run_diff(o);
  if (verify.parsed())
    return on_policy(o, [&](const driver::RulesInput& in, const driver::Session& s) {
      return verify_report(in, s.sources(), o.common.format);
    });
  if (test.parsed())
    return on_policy(o, [&](const driver::RulesInput& in, const driver::Session& s) {
      return test_report(in, s.sources(), o.common.format, o.coverage);
    });
  if (show.parsed())
    return on_policy(o, [&](const driver::RulesInput& in, const driver::Session&) {
      return show_report(in.policy, o.common.format, o.effective);
    });
  const std::string format = table.given("--format") ? o.common.format : "markdown";
  return on_policy(
      o, [&](const driver::RulesInput& in, const driver::Session&) { return table_report(in.policy, format); });
}

}  // namespace muster::cli
