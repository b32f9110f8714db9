#include "scheduler/devices.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace muster::scheduler {

std::vector<Device> after(const Cut& cut, const Device& device, Part part) {
  std::vector<Device> out;
  Device then = device;
  if (device.whole) return out;
  switch (part.kind) {
    case Part::Kind::whole:
      then.whole = true;
      if (device.free()) out.push_back(then);
      return out;
    case Part::Kind::share:
      then.percent += part.amount;
      if (device.slices == 0 && part.amount > 0 && part.amount <= 100 && then.percent <= 100) out.push_back(then);
      return out;
    case Part::Kind::slice: break;
  }
  if (device.percent > 0 || part.amount >= cut.profiles.size()) return out;
  const Profile& profile = cut.profiles[part.amount];
  if (profile.size == 0 || profile.size > Cut::most_slices || device.compute + profile.compute > cut.compute)
    return out;
  for (const std::uint32_t start : profile.starts) {
    if (start > Cut::most_slices - profile.size) continue;
    const std::uint32_t taken = ((1U << profile.size) - 1) << start;
    if ((device.slices & taken) != 0) continue;
    then = device;
    then.slices |= taken;
    then.compute += profile.compute;
    out.push_back(then);
  }
  return out;
}

DeviceTable::DeviceTable(Cut cut, std::span<const Part> parts)
    : cut_(std::move(cut)), parts_(parts.begin(), parts.end()) {}

std::uint32_t DeviceTable::number(const Device& device) {
  const auto [found, fresh] = numbers_.try_emplace(device, static_cast<std::uint32_t>(devices_.size()));
  if (!fresh) return found->second;
  const std::uint32_t state = found->second;
  devices_.push_back(device);
  rows_.emplace_back();
  // A state that follows has more taken, so that this ends: after 8 slices, or 100 percent.
  std::vector<Row> row(parts_.size());
  for (std::size_t part = 0; part < parts_.size(); ++part)
    for (const Device& then : after(cut_, device, parts_[part])) {
      const std::uint32_t next = number(then);
      row[part].next.push_back(next);
      row[part].capacity = std::max(row[part].capacity, 1 + rows_[next][part].capacity);
    }
  rows_[state] = std::move(row);
  return state;
}

std::vector<std::int64_t> DeviceTable::most_weight(std::span<const std::int64_t> weights) const {
  // Whatever follows a state has more taken, so that the fullest are known first.
  std::vector<std::uint32_t> order;
  for (const auto& [device, state] : numbers_) order.push_back(state);
  const auto taken = [&](std::uint32_t s) {
    const Device& d = devices_[s];
    return std::pair{d.whole ? 1'000U : d.percent + d.compute, d.slices};
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return taken(a) > taken(b); });
  std::vector<std::int64_t> out(devices_.size(), 0);
  for (const std::uint32_t state : order)
    for (std::size_t part = 0; part < parts_.size(); ++part)
      for (const std::uint32_t next : rows_[state][part].next)
        out[state] = std::max(out[state], weights[part] + out[next]);
  return out;
}

}  // namespace muster::scheduler
