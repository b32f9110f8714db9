// SEC001 in a text of any kind: what find_secrets is sure of.
#pragma once

#include <string_view>

#include "lint/reporter.h"

namespace muster::lint {

// Of a whole file, whatever it is. `what`: "the script", as messages call it.
void check_text_secrets(const Sources& sources, std::uint32_t file, std::string_view what, const Reporter& report);

// A password that a person thought up: in test data and archives it is a part of the test, or out of use. A generated
// one may still be valid.
bool is_weak_secret(const Finding& f);

}  // namespace muster::lint
