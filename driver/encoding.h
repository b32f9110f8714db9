// Files of ours in an encoding that is not ours.
#pragma once

#include <string>
#include <string_view>

#include "driver/discover.h"

namespace muster::driver {

// Why a file that surely is a batch script or a manifest cannot be read as it is: some editors save UTF-16. "": it can
// be read.
std::string unreadable(const FoundFile& file, std::string_view text);

}  // namespace muster::driver
