#include "lint/rule.h"

#include <algorithm>
#include <vector>

#include "compiler/base/text.h"

namespace muster::lint {
namespace {

// The slugs of catalogue.def are C++ names; users see them with dashes.
std::string dashed(std::string_view slug) {
  std::string name(slug);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

}  // namespace

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
