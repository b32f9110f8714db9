#include "plan/place/placed_nodes.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace muster::plan {

std::vector<PlacedNode> placed_nodes(const RolePlan& role, const scheduler::Placement& placement) {
  std::vector<PlacedNode> out;
  out.reserve(placement.nodes.size());
  for (std::uint32_t index : placement.nodes) {
    PlacedNode node{role.role->name,
                    static_cast<std::int64_t>(out.size()) / role.nodes,
                    role.pool->name,
                    index,
                    role.pool->node_name(index),
                    std::vector<std::int64_t>(static_cast<std::size_t>(role.gpus))};
    // What is in use holds the highest numbers, so the lowest are free.
    std::iota(node.gpus.begin(), node.gpus.end(), 0);
    out.push_back(std::move(node));
  }
  return out;
}

namespace {

// The devices of a node while its pods are numbered.
struct Numbering {
  Devices taken;
  std::map<std::int64_t, std::int64_t> opened;  // new devices that parts are of
};

}  // namespace

void number_devices(std::vector<PlacedNode>& placements, const TakenDevices& taken) {
  std::map<std::string_view, std::unordered_map<std::uint32_t, Numbering>> pools;
  for (PlacedNode& node : placements) {
    const auto [own, fresh] = pools[node.pool].try_emplace(node.index);
    Numbering& numbering = own->second;
    if (fresh) numbering.taken = taken.of(node);
    if (!node.part) {
      for (std::int64_t& gpu : node.gpus) gpu = numbering.taken.take_lowest();
    } else if (std::int64_t& gpu = node.gpus.front(); gpu < 0) {
      const auto [device, opens] = numbering.opened.try_emplace(gpu, 0);
      if (opens) device->second = numbering.taken.take_lowest();
      gpu = device->second;
    }
  }
}

void Devices::take(std::int64_t device) {
  if (device < 64) {
    low_ |= std::uint64_t{1} << device;
    return;
  }
  const auto at = static_cast<std::size_t>(device - 64);
  if (high_.size() <= at) high_.resize(at + 1, false);
  high_[at] = true;
}

std::int64_t Devices::take_lowest() {
  std::int64_t free = std::countr_one(low_);
  if (free == 64) free += std::find(high_.begin(), high_.end(), false) - high_.begin();
  take(free);
  return free;
}

Devices TakenDevices::of(const PlacedNode& node) const {
  const auto pool = taken_.find(node.pool);
  if (pool == taken_.end() || node.index >= pool->second.size()) return {};
  return pool->second[node.index];
}

void TakenDevices::add(const PlacedNode& node) {
  std::vector<Devices>& nodes = taken_[node.pool];
  if (nodes.size() <= node.index) nodes.resize(std::size_t{node.index} + 1);
  for (const std::int64_t gpu : node.gpus) nodes[node.index].take(gpu);
}

}  // namespace muster::plan
