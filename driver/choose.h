// The answer to "where does it run, and as what": the first candidate that can be written and that the fleet can start.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "plan/steps/make_plan.h"
#include "targets/target.h"

namespace muster::driver {

struct Chosen {
  plan::PlanResult result;                  // its plan names the target; `skipped` is what was passed over
  const targets::Target* target = nullptr;  // that was lowered; nullptr: none could be
  targets::Lowered lowered{};               // by that target
  Diagnostics reports{};                    // of that lowering
  bool written = false;                     // the target takes the workload, and nothing says that it does not fit
};

// "plane k8s, target jobset: …": each candidate with its reason; a reason that several have is there once.
std::vector<std::string> reasons_of(std::span<const plan::Skipped> candidates);

// Plans the workload and lowers it for each target of the chosen plane in turn; where all of them refuse, it is planned
// again without that plane. `only`: the one target that may be used, nullptr for all. Where nothing can be written, the
// first candidate stands: its plan, and what its target reported. What prevents a plan at all goes to `diagnostics`.
Chosen choose(const plan::PlanRequest& request, const targets::LowerOptions& options, const targets::Target* only,
              Diagnostics& diagnostics);

}  // namespace muster::driver
