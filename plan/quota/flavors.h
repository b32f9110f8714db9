// The flavors of a queue of Kueue: the pods of one role are all of one flavor of each resource.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/model/site.h"
#include "compiler/model/value.h"
#include "plan/plan.h"

namespace muster::plan {

class Flavors {
 public:
  // nullptr: nothing on the plane has flavors.
  static std::shared_ptr<const Flavors> on(const model::Site& site, const model::Plane& plane);

  // Whether nodes of both pools may be of one role, with GPUs or without. Unknown: a quota counts both pools, and the
  // site does not say whether they are one flavor. What neither flavors nor quotas name may be of one role.
  model::Truth together(bool gpus, std::string_view a, std::string_view b) const;
  bool names(std::string_view pool) const;

 private:
  struct Flavor {
    std::vector<std::string> pools;
    bool declared = false, of_gpus = false, of_others = false;  // and of which resources there are quotas
  };
  void add(const model::Quota& quota, const model::Site& site);

  std::vector<Flavor> flavors_;
  std::vector<std::vector<std::string>> counted_;  // pools that a quota counts together; empty: all
};

// Whether nodes of both pools may be of the role. Its flavors are those of its queue, or none.
bool may_join(const RolePlan& role, const model::Pool& a, const model::Pool& b);

// Leaves together in the role's choices the pools of which it may have nodes at once.
void split_choices(RolePlan& role);

// Where a placement depends on whether pools are one flavor, which the site does not say, the answer is unknown.
void doubt_flavors(const std::vector<RolePlan>& roles, Fit& fit);

}  // namespace muster::plan
