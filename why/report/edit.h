// A repair of a job script as a change of its lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "why/decide/decide.h"
#include "why/facts.h"

namespace muster::why {

// The changes of a script whose facts are `script`. nullopt: an option is not a line of its own, or cannot be changed
// in its form.
std::optional<std::vector<LineChange>> changes_of(std::string_view text, const Object& script, const Changes& changes);
// The text with the changes.
std::string with_changes(std::string_view text, const std::vector<LineChange>& changes);

}  // namespace muster::why
