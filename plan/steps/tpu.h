// Workloads and places with TPUs, which the language cannot express.
#pragma once

#include "compiler/base/diagnostic.h"
#include "plan/plan.h"

namespace muster::plan {

// That no role names TPUs. False: reported.
bool asks_no_tpu(const model::Workload& workload, Diagnostics& diagnostics);

// That none is placed on them. False: reported.
bool gets_no_tpu(const Plan& plan, Diagnostics& diagnostics);

}  // namespace muster::plan
