#include "lint/examples.h"

#include "lint/rule_table.h"

namespace muster::lint {
namespace {

// A day after the end of the example of an expired suppression.
constexpr std::string_view example_day = "2027-01-01";

}  // namespace

Example example_of(const Rule& rule) {
  Example out;
  for (const EmbeddedExample& file : embedded_examples()) {
    if (file.rule != rule.id) continue;
    const std::string_view role = file.name.substr(0, file.name.find('.'));
    (role == "wrong" ? out.wrong : role == "corrected" ? out.corrected : out.others).push_back({file.name, file.text});
  }
  return out;
}

std::string example_command(const Rule& rule, const Example& example) {
  std::string out = "muster lint";
  if (!example.wrong.empty()) out += " " + std::string(example.wrong.front().name);
  for (const ExampleFile& file : example.others) {
    if (file.name == "site.muster") out += " --site site.muster";
    if (file.name.starts_with("base.")) out += " --changed-only base";
  }
  if (rule.id == info(RuleId::expired_suppression).id) out += " --as-of " + std::string(example_day);
  if (rule.profile == Profile::strict) out += " --profile strict";
  if (rule.stage == Stage::preview) out += " --preview";
  return out;
}

}  // namespace muster::lint
