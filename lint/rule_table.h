// What lint/tool writes at build time of the pages of the rules, lint/rules/*/RULE.md.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lint/rule.h"

namespace muster::lint {

// In the order of RuleId.
std::vector<Rule> rule_table();

struct EmbeddedExample {
  std::string_view rule, name, text;  // "SLM001", "wrong.sbatch"
};

// The files of the examples, those of a rule in the order of its page.
std::span<const EmbeddedExample> embedded_examples();

}  // namespace muster::lint
