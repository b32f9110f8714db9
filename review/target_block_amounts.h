// What the words of `target NAME { … }` make of a workload's amounts.
#pragma once

#include "plan/plan.h"
#include "review/tree.h"
#include "targets/target.h"

namespace muster::review {

// Takes the amounts that such words change from what is written with them, as they are read of a script or a manifest
// written by hand; what cannot be read there is open. All else stays what the workload's keys say. `written` is
// what the target makes of the plan. Costs nothing where the workload has no words for the target.
void count_target_block(const plan::Plan& plan, const targets::Target& target, const targets::Lowered& written,
                        Workload& out);

// Of a workload that nothing can be written for: what such words may say is open.
void leave_open(const plan::Plan& plan, const targets::Target& target, Workload& out);

}  // namespace muster::review
