// SHA-256 (FIPS 180-4).
#pragma once

#include <string>
#include <string_view>

namespace muster {

// 64 hex digits.
std::string sha256(std::string_view bytes);

}  // namespace muster
