// The bytes of one file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace muster::driver {

// At most `limit` + 1 bytes, with in_utf8; "-" is standard input. nullopt: `why` has the system's reason.
std::optional<std::string> read_file(const std::string& file, std::size_t limit, std::string& why);

}  // namespace muster::driver
