#include "lint/rule.h"

#include <algorithm>
#include <vector>

#include "compiler/base/text.h"
#include "lint/rule_table.h"

namespace muster::lint {

std::vector<std::string_view> names(Places places) {
  static constexpr std::string_view all[] = {"spec", "target-block", "script", "manifest", "site", "rules"};
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < std::size(all); ++i)
    if (((places.bits >> i) & 1) != 0) out.push_back(all[i]);
  return out;
}

std::string listed(Places places) {
  std::string out;
  for (const std::string_view word : names(places)) out += (out.empty() ? "" : ", ") + std::string(word);
  return out;
}

std::string_view name(Profile profile) {
  return profile == Profile::min ? "min" : profile == Profile::normal ? "default" : "strict";
}

std::string_view name(FixKind kind) {
  return kind == FixKind::none ? "none" : kind == FixKind::unsafe ? "unsafe" : "safe";
}

std::span<const Rule> all_rules() {
  static const std::vector<Rule> rules = rule_table();
  return rules;
}

const Rule& info(RuleId rule) { return all_rules()[static_cast<std::size_t>(rule)]; }

const Rule* find_rule(std::string_view text) {
  for (const Rule& rule : all_rules())
    if (equal_ignoring_case(rule.id, text) || equal_ignoring_case(rule.name, text)) return &rule;
  return nullptr;
}

std::string nearest_rule(std::string_view word) {
  std::vector<std::string_view> names;
  for (const Rule& rule : all_rules()) names.push_back(rule.id), names.push_back(rule.name);
  return closest(word, names);
}

}  // namespace muster::lint
