// The fleet as the scheduler sees it, kept from one question to the next.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "compiler/model/fleet.h"
#include "plan/fleet/joined.h"
#include "plan/fleet/pool_state.h"
#include "plan/plan.h"

namespace muster::plan {

// Borrows the fleet. Its pools' `in_use` may grow at their ends meanwhile; after any other change: forget().
class FleetState {
 public:
  explicit FleetState(const model::Fleet* fleet) : fleet_(fleet) {}  // nullptr: the site has none

  const model::Fleet* fleet() const { return fleet_; }

  // state_of() the role's pool. Kept for roles that name no nodes; of others it is valid until the next call.
  const PoolState& of(const RolePlan& role, Moment moment, model::Within domain = model::Within::leaf);

  // The same of all nodes of a pool as planes of the family have them, whatever a role names and its queue reaches.
  const PoolState& of_all(const model::Pool& pool, model::PlaneFamily family, Moment moment);

  // Whether a state that of() gave outlives the next call.
  bool keeps(const PoolState& state) const { return &state != &last_; }

  // These pools as one, of which of() answers too; of one pool itself. Valid as long as this.
  const model::Pool& join(const Pools& pools, model::PlaneFamily family);

  // The pools that it joins; of a declared pool that one.
  Pools parts(const model::Pool& pool) const;

  // Nodes of joined pools as their own pools name and number them.
  void name_origins(std::vector<PlacedNode>& nodes) const;

  void forget();

 private:
  // The queue where it reaches some nodes only, else nullptr. A node gives pods less than jobs.
  // Reservations keep a role from nodes now.
  using Key = std::tuple<const model::Pool*, const model::Queue*, Moment, model::Within, model::PlaneFamily,
                         std::vector<std::uint32_t>, std::optional<std::uint32_t>>;
  static Key key_of(const RolePlan& role, Moment moment, model::Within domain);

  struct Joined {
    JoinedPool of;
    model::PlaneFamily family;
  };
  // With the uses of each part that are taken off.
  struct JoinedState {
    PoolState state;
    std::vector<std::size_t> uses;
  };

  const Joined* joined(const model::Pool* pool) const;
  const PoolState& of_joined(const Joined& joined, const RolePlan& role, Moment moment, model::Within domain);

  const model::Fleet* fleet_;
  std::map<Key, PoolState> kept_;
  std::list<Joined> joined_;  // their pools are borrowed
  std::map<Key, JoinedState> kept_joined_;
  PoolState last_;
};

// The same role on the pools of another copy of the fleet.
RolePlan on_copy(RolePlan role, const model::Fleet& from, const model::Fleet& to);

}  // namespace muster::plan
