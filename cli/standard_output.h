// Standard output, and whether what was written to it arrived.
#pragma once

#include <string_view>

#include "compiler/base/diagnostic.h"
#include "driver/output.h"

namespace muster::cli {

// False: reported (a full disk, a closed pipe).
bool write_stdout(std::string_view text, Diagnostics& diagnostics);
bool write_stdout(const driver::Content& content, Diagnostics& diagnostics);

}  // namespace muster::cli
