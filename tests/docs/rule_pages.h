// The pages of the lint rules, docs/reference/rules, from the catalogue and the examples.
#pragma once

#include <string>

#include "lint/rule.h"

namespace muster::docs {

// docs/reference/rules/RULE.md.
std::string rule_page(const lint::Rule& rule);
// docs/reference/rules/README.md: the rules by family.
std::string rule_index();

}  // namespace muster::docs
