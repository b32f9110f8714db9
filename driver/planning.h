// From a session to the plan of a workload.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/model/policy.h"
#include "driver/session.h"
#include "plan/fleet/fleet_state.h"
#include "plan/steps/make_plan.h"

namespace muster::driver {

// The site, its fleet and the policy of a run. Borrows the session.
struct Setting {
  const model::Site* site = nullptr;
  const model::Fleet* fleet = nullptr;
  model::Policy policy;
  std::shared_ptr<plan::FleetState> state{};  // of the fleet, for all that is planned in this run

  void use(const model::Fleet* other) { fleet = other, state = std::make_shared<plan::FleetState>(other); }
};

// `profile`: a built-in one; "": the policy in force, which is that of --profile FILE, else the site's own, else
// `default`. One that is not built in is proven first. nullopt: reported.
std::optional<Setting> make_setting(Session& session, const std::string& profile = {});

// A policy that is not built in is usable: sound as a whole, and on the day of --as-of nothing of it has run out.
// False: reported, at `where` what has no place in a file.
bool usable(const model::Policy& policy, const std::string& as_of, Span where, Diagnostics& diagnostics);

// The same with a site that is named, not chosen.
std::optional<Setting> make_setting(Session& session, const std::string& profile, const model::Site* site);

plan::PlanRequest request_for(const model::Workload* workload, const Session& session, const Setting& setting);

// Each fabric of the site is that of a pool, and a domain that it claims can exist. False: reported.
bool fabrics_attach(const Setting& setting, Diagnostics& diagnostics);

// What prevents writing anything is reported: no plane, or a gang that can never start there; then false. That
// the fit is not known is a warning.
bool may_start(const plan::Plan& plan, Diagnostics& diagnostics);

}  // namespace muster::driver
