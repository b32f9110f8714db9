#include "lint/rule.h"

#include <vector>

#include "compiler/base/text.h"

namespace muster::lint {

std::span<const Rule> all_rules() {
  static const std::vector<Rule> rules = {
#define MUSTER_RULE(id, slug, severity, input, stage, summary, explanation) \
  Rule{#id, dashed(#slug), Severity::severity, Input::input, Stage::stage, summary, explanation},
#include "lint/catalogue.def"
#undef MUSTER_RULE
  };
  return rules;
}

const Rule& info(RuleId rule) { return all_rules()[static_cast<std::size_t>(rule)]; }

const Rule* find_rule(std::string_view text) {
  for (const Rule& rule : all_rules())
    if (equal_ignoring_case(rule.id, text) || equal_ignoring_case(rule.name, text)) return &rule;
  return nullptr;
}

}  // namespace muster::lint
