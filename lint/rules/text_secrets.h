// SEC001 in a text of any kind: what find_secrets is sure of.
#pragma once

#include <string_view>

#include "lint/reporter.h"

namespace muster::lint {

// Of a whole file, whatever it is. `what`: "the script", as messages call it.
void check_text_secrets(const Sources& sources, std::uint32_t file, std::string_view what, const Reporter& report);

}  // namespace muster::lint
