// Nodes while pods are packed on them, and how many more they take. Inside scheduler only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/packing.h"

namespace muster::scheduler {

// A node with its GPUs as states of the table.
struct Stall {
  std::uint32_t leaf = 0;
  std::vector<std::uint32_t> devices;
  std::int64_t cpus = 0, memory = 0;
  bool usable = true;
  std::vector<std::int64_t> pods;  // by gang
};

class Stalls {
 public:
  // Borrows the gangs.
  Stalls(std::span<const PackNode> nodes, const Cut& cut, std::span<const PodGang> gangs);

  std::span<const PodGang> gangs() const { return gangs_; }
  std::vector<Stall>& all() { return stalls_; }
  const std::vector<Stall>& all() const { return stalls_; }
  const DeviceTable& table() const { return table_; }
  std::size_t part_of(std::size_t gang) const { return part_of_[gang]; }
  std::span<const Part> parts() const { return parts_; }

  // How many more pods of the gang the node takes; exact.
  std::int64_t capacity(std::size_t node, std::size_t gang) const;

  // One more pod of the gang on the node, which has room: on a GPU where as many as can be fit after it, one that is
  // cut already before one that is free, and there where least is lost to others.
  Seat put(std::size_t node, std::size_t gang);

  // The same on a device and in a place that are chosen: it becomes one of the states that follow.
  Seat put_at(std::size_t node, std::size_t gang, std::uint32_t device, std::uint32_t becomes);

 private:
  std::int64_t loss(std::uint32_t from, std::uint32_t to) const;
  void cut_one(Stall& stall, std::size_t part, Seat& seat);
  void cut(Stall& stall, std::uint32_t device, std::uint32_t becomes, Seat& seat) const;
  void take(Stall& stall, std::size_t gang) const;

  std::span<const PodGang> gangs_;
  std::vector<Part> parts_;           // that are asked for, then the other profiles
  std::vector<std::size_t> part_of_;  // by gang
  std::vector<std::int64_t> size_of_;
  DeviceTable table_;
  std::vector<Stall> stalls_;
};

}  // namespace muster::scheduler
