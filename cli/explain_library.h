// What a muster file offers: its templates and parameters, as text and as JSON.
#pragma once

#include <string>

namespace muster::cli {

struct ExplainOptions;

// Lists the parameters of the file and of its templates with types, ranges, defaults and doc comments. Returns
// the exit code.
int explain_library(const ExplainOptions& options);

}  // namespace muster::cli
