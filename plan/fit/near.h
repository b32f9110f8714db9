// Whether the pods of a gang should be near each other although the workload names no domain, and what the plane has
// for that.
#pragma once

#include <string>

#include "plan/plan.h"

namespace muster::plan {

// Whether a role says itself in which domain its pods have to be.
bool names_domain(const model::Workload& workload);

// What the plane has for a gang that names none: "plane main places gangs by level leaf", "plane main declares no
// `level leaf { label = … }`, so the scheduler may use any leaf switch".
std::string nearness(const model::Plane& plane);

// Sets `wants_near` and `spread` of a plan that is placed.
void set_nearness(Plan& plan);

// Notes on the levels that fit that the scheduler may use more leaf switches than the witness does.
void note_spread(const Plan& plan, Fit& fit);

}  // namespace muster::plan
