// A role as the scheduler sees it: the gang, and beside others the nodes that are open to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/fleet_state.h"
#include "plan/plan.h"
#include "plan/pool_state.h"
#include "scheduler/together.h"

namespace muster::plan {

// nullptr: the role asks for none.
const model::Topology* topology_of(const RolePlan& role);

// Whether the topology of the role, which has one, keeps a replica in a domain that splits the pool's nodes.
bool in_domain(const RolePlan& role);

// Whether its segments lie in a smaller domain than the required one of its replicas.
bool is_nested(const RolePlan& role);

// Whether its nodes are its own, by its words or its queue's; and whether nothing else has room on them.
bool has_whole_nodes(const RolePlan& role);
bool is_alone(const RolePlan& role);

// What the role asks of its pool's nodes; of one that is nested the segments alone.
scheduler::Gang gang_of(const RolePlan& role);

// How many of its pods may be on one node, as far as nothing but room limits them; 1: each has its own.
std::int64_t most_on_a_node(const RolePlan& role);

// Takes needs that the fleet cannot answer out of the gang and says which; "" if there are none.
std::string leave_out_unknown(const RolePlan& role, scheduler::Gang& gang);

// By whose count of a node roles are asked for together: that of their plane. Of planes of several families it is the
// one that has most of a node, so that a proof that there is no room is one for all.
model::PlaneFamily family_of(std::span<const RolePlan* const> roles);

// Several roles on the nodes of one pool.
struct JointRequest {
  const scheduler::Inventory* stock = nullptr;  // of the fleet state
  std::vector<scheduler::Member> members;       // in the order of the roles

  std::span<const scheduler::Node> nodes() const { return stock->nodes(); }
};

// All have `pool` for their pool, or are asked as if they had.
JointRequest joint_request(FleetState& fleet, std::span<const RolePlan* const> roles, const model::Pool& pool,
                           Moment moment);

// The same for proofs that count nodes, where the same nodes are open to all: the others are unusable instead of
// barred, and no node is looked at. nullopt: different nodes are open to them.
std::optional<JointRequest> joint_request_in_one_view(FleetState& fleet, std::span<const RolePlan* const> roles,
                                                      const model::Pool& pool, Moment moment);

// Names of a text: the first ones, and how many there are.
struct NameList {
  static constexpr std::size_t shown = 4;

  std::vector<std::string> first;
  std::size_t all = 0;

  bool several() const { return all > 1; }
  // "a, b and c"; of more than four "a, b, c, d and 3 others".
  std::string text() const;
};
// Of the roles of these indices, each name once.
NameList names_of(std::span<const std::string> names, std::span<const std::uint32_t> which);

std::string shortened_list(std::vector<std::string> names);

// The line that its members are over, in words.
Certificate certificate_of(const scheduler::Line& line, const NameList& who, const model::Pool& pool);

// The nodes by name, with the lowest device numbers.
std::vector<PlacedNode> placed_nodes(const RolePlan& role, const scheduler::Placement& placement);

// Which devices of one node pods have, some or all of.
class Devices {
 public:
  void take(std::int64_t device);
  // Takes the lowest one that is free, and says which.
  std::int64_t take_lowest();

 private:
  std::uint64_t low_ = 0;   // a bit each: hardly a node has more
  std::vector<bool> high_;  // those from 64
};

// The same of each node.
class TakenDevices {
 public:
  Devices of(const PlacedNode& node) const;
  void add(const PlacedNode& node);

 private:
  std::map<std::string, std::vector<Devices>, std::less<>> taken_;  // by pool, then by node
};

// Gives each pod the lowest devices of its node that are neither taken nor an earlier pod's. A part stays on a device
// that has a number; those of one number below 0 are of one new device.
void number_devices(std::vector<PlacedNode>& placements, const TakenDevices& taken);

// The same role on the pools of another copy of the fleet.
RolePlan on_copy(RolePlan role, const model::Fleet& from, const model::Fleet& to);

}  // namespace muster::plan
