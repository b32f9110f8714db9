// Inside compiler/twin only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compiler/base/source.h"

namespace muster::twin {

// How many comments a YAML file has that could be read.
std::size_t count_comments(const Sources& sources, std::uint32_t file);

}  // namespace muster::twin
