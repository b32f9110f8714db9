// The difference of two texts as people and `patch` read it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// A unified diff with three lines of context, `--- a/NAME` and `+++ b/NAME` above it, quoted as git does where
// NAME has control characters; "" for equal texts. The shortest one while fewer than 1,000 lines differ; beyond that
// what differs is one hunk.
std::string unified_diff(std::string_view name, std::string_view before, std::string_view after);

// The lines (1-based, ascending) of `after` that are not those of `before`.
std::vector<std::uint32_t> changed_lines(std::string_view before, std::string_view after);

}  // namespace muster
