// docs/reference/rules.md, from the catalogue.
#pragma once

#include <string>

namespace muster::docs {

// The rules by family, each with its page.
std::string rule_index();

}  // namespace muster::docs
