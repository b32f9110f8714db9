// The answer of `muster fit` about one workload, for a terminal.
#pragma once

#include <string>

#include "plan/plan.h"

namespace muster::cli {

// The placement in a few lines: the nodes by pool and leaf switches, or the certificates.
std::string fit_text(const plan::Fit& fit, const model::Workload& workload);

}  // namespace muster::cli
