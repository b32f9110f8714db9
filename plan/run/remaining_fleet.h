// The fleet less what workloads of the file were given.
#pragma once

#include <memory>
#include <vector>

#include "plan/fleet/fleet_state.h"
#include "plan/place/placed_nodes.h"
#include "plan/plan.h"

namespace muster::plan {

using Plans = std::vector<const Plan*>;

// Whether `held` are the first of them.
bool begins_with(const Plans& plans, const Plans& held);

// Whether the plan was given nodes that no other plan can have at that moment.
bool holds(const Plan& plan, Moment moment);

class RemainingFleet {
 public:
  explicit RemainingFleet(const model::Fleet& fleet) : fleet_(fleet) {}

  FleetState& state() { return rest().state; }
  const model::Fleet& fleet() { return rest().fleet; }
  const TakenDevices& devices() const { return devices_; }

  // Less what only these have. Where only some are new, these alone are taken off.
  void hold(const Plans& plans);

 private:
  // Made when it is asked for: one plan alone needs none.
  struct Rest {
    model::Fleet fleet;
    FleetState state{&fleet};
  };
  Rest& rest();
  void give_all_back();
  void take_off(const Plan& plan);

  const model::Fleet& fleet_;
  std::unique_ptr<Rest> rest_;
  TakenDevices devices_;
  Plans held_;
};

}  // namespace muster::plan
