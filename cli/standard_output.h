// Standard output, and whether what was written to it arrived.
#pragma once

#include <string_view>

#include "compiler/base/diagnostic.h"
#include "driver/output.h"

namespace muster::cli {

// What is emitted: documents, and files of the user's own, byte by byte. False: reported (a full disk, a closed pipe).
bool write_stdout(std::string_view text, Diagnostics& diagnostics);
bool write_stdout(const driver::Content& content, Diagnostics& diagnostics);

// What people read: an answer or a report, in which nothing is a command to a CI host.
bool print_text(std::string text, Diagnostics& diagnostics, bool coloured = false);
// The same on standard error.
void print_error(std::string text, bool coloured = false);

}  // namespace muster::cli
