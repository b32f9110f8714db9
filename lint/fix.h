// Fixes, applied to a file's text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lint/outcome.h"

namespace muster::lint {

struct Fixed {
  std::string text;
  std::size_t applied = 0;  // fixes, not edits
};

// The text of `file` with the fixes of its open results. All edits of a fix are made or none; of fixes
// that overlap the first in the order of the results is made, and the next round may make the other.
// `unsafe`: those that may change what the file does as well.
Fixed apply_fixes(const Sources& sources, std::uint32_t file, std::span<const Result> results, bool unsafe);

}  // namespace muster::lint
