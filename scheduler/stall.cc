#include "scheduler/stall.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace muster::scheduler {
namespace {

std::vector<Part> parts_of(const Cut& cut, std::span<const PodGang> gangs) {
  std::vector<Part> out;
  const auto add = [&](Part part) {
    if (std::find(out.begin(), out.end(), part) == out.end()) out.push_back(part);
  };
  for (const PodGang& gang : gangs) add(gang.part);
  for (std::uint32_t profile = 0; profile < cut.profiles.size(); ++profile) add({Part::Kind::slice, profile});
  return out;
}

}  // namespace

Stalls::Stalls(std::span<const PackNode> nodes, const Cut& cut, std::span<const PodGang> gangs)
    : gangs_(gangs), parts_(parts_of(cut, gangs)), table_(cut, parts_) {
  for (const PodGang& gang : gangs)
    part_of_.push_back(static_cast<std::size_t>(std::find(parts_.begin(), parts_.end(), gang.part) - parts_.begin()));
  for (const Part& part : parts_)
    size_of_.push_back(
        part.kind == Part::Kind::slice && part.amount < cut.profiles.size() ? cut.profiles[part.amount].size : 1);
  stalls_.reserve(nodes.size());
  const Device* last = nullptr;  // the next is mostly like it
  std::uint32_t state = 0;
  for (const PackNode& node : nodes) {
    Stall stall{node.leaf, {}, node.cpus, node.memory, node.usable, std::vector<std::int64_t>(gangs.size(), 0)};
    stall.devices.reserve(node.devices.size());
    for (const Device& device : node.devices) {
      if (last == nullptr || *last != device) last = &device, state = table_.number(device);
      stall.devices.push_back(state);
    }
    stalls_.push_back(std::move(stall));
  }
}

std::int64_t Stalls::capacity(std::size_t node, std::size_t g) const {
  const PodGang& gang = gangs_[g];
  const Stall& stall = stalls_[node];
  if (!stall.usable || (!gang.barred.empty() && gang.barred[node])) return 0;
  std::int64_t out = std::max<std::int64_t>(gang.a_node - stall.pods[g], 0);
  if (gang.cpus > 0) out = std::min(out, stall.cpus / gang.cpus);
  if (gang.memory > 0) out = std::min(out, stall.memory / gang.memory);
  if (gang.devices <= 0 || out <= 0) return std::max<std::int64_t>(out, 0);
  std::int64_t parts = 0;
  for (const std::uint32_t device : stall.devices) parts += table_.capacity(device, part_of_[g]);
  return std::min(out, parts / gang.devices);
}

std::int64_t Stalls::loss(std::uint32_t from, std::uint32_t to) const {
  std::int64_t out = 0;
  for (std::size_t part = 0; part < parts_.size(); ++part)
    out += (table_.capacity(from, part) - table_.capacity(to, part)) * size_of_[part];
  return out;
}

// The part on the best device; there is one that has room.
void Stalls::cut_one(Stall& stall, std::size_t part, Seat& seat) {
  using Key = std::tuple<std::int64_t, bool, std::int64_t, std::uint32_t>;
  std::optional<Key> best;
  std::uint32_t chosen = 0, becomes = 0;
  for (std::uint32_t d = 0; d < stall.devices.size(); ++d) {
    const std::uint32_t state = stall.devices[d];
    for (const std::uint32_t next : table_.next(state, part)) {
      const std::int64_t own = table_.capacity(state, part) - table_.capacity(next, part);
      const Key key{own, table_.device(state).free(), loss(state, next), d};
      if (best && !(key < *best)) continue;
      best = key, chosen = d, becomes = next;
    }
  }
  cut(stall, chosen, becomes, seat);
}

void Stalls::cut(Stall& stall, std::uint32_t device, std::uint32_t becomes, Seat& seat) const {
  seat.devices.push_back(device);
  seat.slices = table_.device(becomes).slices & ~table_.device(stall.devices[device]).slices;
  stall.devices[device] = becomes;
}

void Stalls::take(Stall& stall, std::size_t gang) const {
  stall.cpus -= gangs_[gang].cpus;
  stall.memory -= gangs_[gang].memory;
  ++stall.pods[gang];
}

Seat Stalls::put(std::size_t node, std::size_t g) {
  Seat seat{static_cast<std::uint32_t>(node), {}, 0};
  for (std::int32_t d = 0; d < gangs_[g].devices; ++d) cut_one(stalls_[node], part_of_[g], seat);
  take(stalls_[node], g);
  return seat;
}

Seat Stalls::put_at(std::size_t node, std::size_t g, std::uint32_t device, std::uint32_t becomes) {
  Seat seat{static_cast<std::uint32_t>(node), {}, 0};
  cut(stalls_[node], device, becomes, seat);
  take(stalls_[node], g);
  return seat;
}

}  // namespace muster::scheduler
