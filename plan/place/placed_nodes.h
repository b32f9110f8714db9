// A placement as a person sees it: nodes by name, and which of their devices pods have.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "scheduler/gang.h"

namespace muster::plan {

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

}  // namespace muster::plan
