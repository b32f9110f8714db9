// How many workloads and objects a text has, without evaluating it: what a review says of the files that did not
// change.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "driver/review_files.h"

namespace muster::driver {

// By the beginnings of its lines, or its words. nullopt: they do not tell, as of a list of objects, or of a kind in
// which others may be.
std::optional<std::size_t> count_at_a_glance(const std::string& path, FileKind kind, std::string_view text);

// By all that is in it.
std::size_t count_by_parsing(const std::string& path, FileKind kind, std::string text);

}  // namespace muster::driver
