// What changed between two texts, line by line.
#pragma once

#include <string>
#include <string_view>

namespace muster {

// A unified diff with three lines around each change, as `diff -u` and `patch` write and read it; ""
// if the texts are equal. Shortest for up to 1,000 changed lines; beyond that the changed middle is
// shown as replaced, so that time and memory stay bounded.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view name_before,
                         std::string_view name_after);

}  // namespace muster
