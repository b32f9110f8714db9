// Whether an existing script or object fits the fleet of a site: as for a workload, with the same placement and the
// same certificates. `muster fit`, lint and review ask it here.
#pragma once

#include "plan/steps/make_plan.h"
#include "targets/as_read.h"

namespace muster::lint {

// Plans what a file asks for on the plane that it is written for. Of the request the workload and the plane are filled
// in. Where the plane rejects it, there is no plan, and `no_pool` says why.
plan::PlanResult plan_as_read(const targets::AsRead& read, plan::PlanRequest request);

// What is known of a placement, given what is known of the file: nothing where its size is not known; not that it fits
// where it asks for what the site does not declare; not that it does not where it may start with less.
void limit_to_known(const targets::AsRead& read, const plan::PlanRequest& request, plan::Fit& fit);

// The answer where no pool takes the file: the same certificate at the levels that ask the fleet.
plan::Fit refused(const plan::Certificate& certificate, const model::Workload& workload);

// Both for one file: the fit at the site, to be read by `plan::startable`, and the plan that it is of.
// `state` is of that fleet and kept from one file to the next; nullptr: the file has its own.
struct Planned {
  plan::PlanResult result;  // borrows what was read; its fit has moved
  plan::Fit fit;
};
Planned planned_as_read(const targets::AsRead& read, const model::Site& site, const model::Fleet& fleet,
                        plan::FleetState* state = nullptr);
plan::Fit fit_as_read(const targets::AsRead& read, const model::Site& site, const model::Fleet& fleet,
                      plan::FleetState* state = nullptr);

}  // namespace muster::lint
