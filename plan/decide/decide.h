// Facts to a decision, by a policy; and the target that takes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/model/policy.h"
#include "plan/plan.h"
#include "rules/engine.h"

namespace muster::plan {

// Those facts that the policy declares, without where they came from.
std::vector<rules::NamedValue> declared_facts(const model::Policy& policy, const Facts& facts);

// Evaluates the policy on those facts that it declares; others are left aside, so that one list of
// derived facts serves every profile. nullopt if a fact is missing or has a wrong value, if a table
// gives no answer or if a locked invariant is broken: then `diagnostics` says which.
std::optional<rules::Outcome> evaluate(const model::Policy& policy, const Facts& facts, Diagnostics& diagnostics);

// What the policy says, and the plane of the site it means: k3s counts as kubernetes, and the
// answer bears the kind of the site's plane (not where the fact `existing` is unknown: then `site`
// is only the built-in one). `plane` stays empty without a site or a plane that takes it. `targets`
// is left to targets_of. nullopt as for evaluate.
//
// `choices` has one entry an output that a fired row sets, in table order; a row that sets nothing
// has none. `control_plane`, `runtime` and `layout` are empty where the policy has no such output
// (the seed's are `primary`, `addon` and `hybrid`, found among the choices).
std::optional<Decision> decide(const model::Policy& policy, const Facts& facts, const model::Site* site,
                               Diagnostics& diagnostics);

// The targets of a decision in the order in which they are tried, whether or not this version writes them; empty where
// the control plane is none. `plane` may be nullptr.
std::vector<std::string> targets_of(const Decision& decision, const model::Workload& workload,
                                    const model::Plane* plane);

}  // namespace muster::plan
