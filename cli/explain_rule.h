// What `muster explain RULE` prints: the page of a lint rule, as text and as JSON.
#pragma once

#include <string>

#include "cli/emit.h"
#include "lint/rule.h"

namespace muster::cli {

// What the rule checks, why, an example that is wrong and the same corrected; then its properties, one a line.
std::string rule_text(const lint::Rule& rule);
Json rule_json(const lint::Rule& rule);

}  // namespace muster::cli
