// Which pools a file leaves to the scheduler: those for which it would say the same.
#pragma once

#include <string>
#include <vector>

#include "compiler/model/fleet.h"
#include "compiler/model/site.h"
#include "plan/plan.h"

namespace muster::plan {

// What the file of a role must say for nodes of a pool to be among those that the scheduler may take. A target writes
// no more of the pool than this, so that pools of equal contents are one choice, whose nodes may be mixed.
struct Contents {
  std::string gpu;                                      // as the plane asks for it: a GRES type, a feature, a label
  std::string arch, zone;                               // of pods: their node selector
  const model::FabricAttachment* attachment = nullptr;  // network settings
  bool operator==(const Contents&) const = default;
};
Contents contents_of(const RolePlan& role, const model::Site& site, const model::Plane& plane, const model::Pool& pool);

// Whether some program of the role needs GPUs or slices of them.
bool asks_for_gpus(const RolePlan& role);

// The allowed pools of the role by their contents, each choice and its pools in the order of the allowed ones.
std::vector<Pools> choices_of(const RolePlan& role, const model::Site& site, const model::Plane& plane);

// Whether pods or tasks of the role exchange data with others on other nodes at each step, so that the site's settings
// for the network of its pool are added to its file: where it requires a fabric, or has a part in a workload that is
// coupled tightly.
bool wants_fabric(const RolePlan& role, const model::Workload& workload, bool tightly_coupled);

}  // namespace muster::plan
