// What fixes have made of files, shown or written.
#pragma once

#include <vector>

#include "driver/lint_run.h"

namespace muster::cli {

// Prints the difference to standard output, or writes each file as a whole with the permissions it had. What cannot be
// written is reported.
void write_fixes(const std::vector<driver::Changed>& changed, bool as_difference, driver::Session& session);

}  // namespace muster::cli
