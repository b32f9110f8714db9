// What a muster file has: templates and parameters, workloads, fleets and sites, as text and as JSON.
#pragma once

#include <string>

namespace muster::cli {

struct ExplainOptions;

// Lists the parameters of the file and of its templates with types, ranges, defaults and doc comments, its
// workloads, and what its fleets and sites declare. Returns the exit code.
int explain_library(const ExplainOptions& options);

}  // namespace muster::cli
