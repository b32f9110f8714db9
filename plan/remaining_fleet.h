// The fleet less what workloads of the file were given.
#pragma once

#include <vector>

#include "plan/fleet_state.h"
#include "plan/members.h"
#include "plan/plan.h"

namespace muster::plan {

using Plans = std::vector<const Plan*>;

// Whether `held` are the first of them.
bool begins_with(const Plans& plans, const Plans& held);

// Whether the plan was given nodes that no other plan can have at that moment.
bool holds(const Plan& plan, Moment moment);

class RemainingFleet {
 public:
  explicit RemainingFleet(const model::Fleet& fleet) : fleet_(fleet), left_(fleet), state_(&left_) {}

  FleetState& state() { return state_; }
  const model::Fleet& fleet() const { return left_; }
  const TakenDevices& devices() const { return devices_; }

  // Less what only these have. Where only some are new, these alone are taken off.
  void hold(const Plans& plans);

 private:
  void give_all_back();
  void take_off(const Plan& plan);

  const model::Fleet& fleet_;
  model::Fleet left_;
  FleetState state_;
  TakenDevices devices_;
  Plans held_;
};

}  // namespace muster::plan
