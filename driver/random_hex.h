// Random bytes of the system: for what must not be guessed, and is in no emitted file.
#pragma once

#include <cstddef>
#include <string>

namespace muster::driver {

// As hex digits, two a byte.
std::string random_hex(std::size_t bytes);

}  // namespace muster::driver
