// The steps in order: facts → decision → placement → target. The one place that knows the order.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/model/nodes_as_read.h"
#include "compiler/model/plane_traits.h"
#include "compiler/model/policy.h"
#include "plan/decide/compilation.h"
#include "plan/fit/fit_on_plane.h"
#include "plan/plan.h"

namespace muster::plan {

// A target that cannot write a workload (of `any-of` an option) for a plane, and why. Such a plane is passed over.
struct Refusal {
  const model::Workload* workload = nullptr;
  const model::Plane* plane = nullptr;
  std::string target;
  std::string why;
};

struct PlanRequest : FitRequest {
  Compilation workloads;
  bool site_given = false;                                     // else it is the built-in one
  const model::Policy* policy = nullptr;                       // nullptr: nothing is decided; then `plane` is given
  std::vector<std::pair<std::string, std::string>> overrides;  // --fact
  std::optional<model::PlaneKind> plane_kind;                  // of a target that was named; nullopt: as decided
  const model::Plane* plane = nullptr;  // the only one, of a file that is written for it; nullptr: as decided
  std::vector<Refusal> refusals{};      // what was learnt about an earlier plan
};

// A candidate that was asked before the chosen one, and why it was passed over.
struct Skipped {
  std::string plane;
  std::string queue;   // where the workload names several; else ""
  std::string target;  // "": no target of the plane was asked
  std::string why;

  std::string candidate() const {
    return "plane " + plane + (queue.empty() ? "" : ", queue " + queue) + (target.empty() ? "" : ", target " + target);
  }
};

struct PlanResult {
  std::optional<Plan> plan;            // nullopt: reported
  std::optional<Certificate> no_pool;  // why there is no plan, where no pool meets the needs
  std::vector<Skipped> skipped;
};

// Decides and places one workload. Candidates are the decided plane, then the site's others as
// written, without those of `refusals`; the first whose capacity and policy levels do not say no is taken (a job that
// must only wait is taken). The decision is then that of the plane that was taken. If none fits, the decided plane
// stands, with its certificate in `plan.fit`. Without a plane that takes it `plan.plane` is nullptr and nothing is
// placed.
PlanResult make_plan(const PlanRequest& request, Diagnostics& diagnostics);

// The worse of the levels that a compilation asks: capacity and policy.
Verdict startable(const Fit& fit);

// Whether each role has what a target needs to know of its machines: then a file can be written, whether it fits or
// not.
bool is_placed(const Plan& plan);

}  // namespace muster::plan
