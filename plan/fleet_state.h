// The fleet as the scheduler sees it, kept from one question to the next.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "compiler/model/fleet.h"
#include "plan/plan.h"
#include "plan/pool_state.h"

namespace muster::plan {

// Borrows the fleet. Its pools' `in_use` may grow at their ends meanwhile; after any other change: forget().
class FleetState {
 public:
  explicit FleetState(const model::Fleet* fleet) : fleet_(fleet) {}  // nullptr: the site has none

  const model::Fleet* fleet() const { return fleet_; }

  // state_of() the role's pool. Kept for roles that name no nodes; of others it is valid until the next call.
  const PoolState& of(const RolePlan& role, Moment moment, model::Within domain = model::Within::leaf);

  // Whether a state that of() gave outlives the next call.
  bool keeps(const PoolState& state) const { return &state != &last_; }

  void forget() { kept_.clear(); }

 private:
  // The queue where it reaches some nodes only, else nullptr. A node gives pods less than jobs.
  using Key = std::tuple<const model::Pool*, const model::Queue*, Moment, model::Within, model::PlaneFamily,
                         std::vector<std::uint32_t>, std::optional<std::uint32_t>>;

  const model::Fleet* fleet_;
  std::map<Key, PoolState> kept_;
  PoolState last_;
};

}  // namespace muster::plan
