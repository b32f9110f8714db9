#include "cli/rule_choice.h"

#include "cli/arguments.h"
#include "lint/suppress.h"

namespace muster::cli {
namespace {

std::vector<std::string> rule_ids() {
  std::vector<std::string> ids;
  for (const lint::Rule& rule : lint::all_rules()) ids.emplace_back(rule.id);
  return ids;
}

}  // namespace

void add_rule_choice(Arguments& app, RuleChoice& choice) {
  app.add_option("--select", choice.select, "check only these rules: ids, names or families, separated by commas")
      .suggest(rule_ids())
      .commas()
      .one_at_a_time();
  app.add_option("--ignore", choice.ignore, "skip these rules").suggest(rule_ids()).commas().one_at_a_time();
  app.add_option("--profile", choice.profile, "rule set: min, default or strict")
      .one_of({"min", "default", "strict"})
      .type_name("NAME");
  app.add_flag("--preview", choice.preview, "also check preview rules, whose precision is not yet known");
}

lint::Selection chosen_rules(const RuleChoice& choice, std::optional<std::string>& why_not) {
  const lint::Profile profile = choice.profile == "min"      ? lint::Profile::min
                                : choice.profile == "strict" ? lint::Profile::strict
                                                             : lint::Profile::normal;
  std::string unknown;
  lint::Selection out = lint::select_rules(choice.select, choice.ignore, choice.preview, unknown, profile);
  if (unknown.empty()) return out;
  const std::string near = lint::nearest_rule(unknown);
  why_not = "unknown rule `" + unknown + "`" + (near.empty() ? ";" : "; did you mean `" + near + "`?") +
            " `muster lint --rules` lists them";
  return out;
}

}  // namespace muster::cli
