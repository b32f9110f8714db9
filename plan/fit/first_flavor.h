// Which flavors Kueue gives the roles of a workload: it looks at quotas first, and at nodes of those flavors alone.
#pragma once

#include <string>
#include <vector>

#include "compiler/model/site.h"
#include "compiler/model/workload.h"
#include "plan/plan.h"

namespace muster::plan {

struct FlavorQuestion {
  const model::Plane& plane;
  const model::Queue* queue;
  const model::Tenant* tenant;    // as declared: its quotas are in the order of its queue's flavors; nullptr: none
  const model::Tenant* ceilings;  // the same with the most that it may use
  const model::Site& site;
  const model::Workload& workload;
};

// Whether the queues of the plane are Kueue's and have a topology: then they assign the nodes of all pods themselves.
bool has_topology(const model::PodPlane& pods);

// What the queue of a workload sees of its pods; `coupled`: they exchange data at each step.
PodSets pod_sets_of(const model::Workload& workload, const model::Plane& plane, bool coupled);

// The same of a role of a file that exists (targets/as_read.h).
constexpr PodSets pod_sets_of_file(bool one_flavor, bool by_replica) {
  return by_replica ? PodSets::by_replica : one_flavor ? PodSets::one : PodSets::by_pod;
}

// The roles on the flavors that Kueue chooses: for each set of pods in turn the first that their file and the quotas
// allow, as far as Kueue reads the file. A role of several sets may be there several times. Where it chooses none, or
// the plane has no flavors, a role stays where it was placed.
struct FirstFlavors {
  std::vector<RolePlan> roles;
  std::string other, pool;  // the first role that is elsewhere than it was placed, and a pool there; "": none is
  bool closed = false;      // its file does not let it have nodes of that pool
};
FirstFlavors first_flavors(const FlavorQuestion& question, const std::vector<RolePlan>& placed);

}  // namespace muster::plan
