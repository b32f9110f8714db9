// A fleet: hardware, and what of it is taken or broken. Plain data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/host_names.h"
#include "compiler/base/instant.h"
#include "compiler/base/units.h"
#include "compiler/model/plane_traits.h"
#include "compiler/model/value.h"

namespace muster::model {

// Where slices of one MIG profile may be on a GPU.
struct SlicePlaces {
  static constexpr std::uint32_t most = 8;  // memory slices of a GPU
  std::string profile;
  std::vector<std::uint32_t> starts;  // memory slices from which it may begin, ascending
  std::uint32_t size = 1;             // memory slices that it takes
  std::uint32_t compute = 1;          // compute slices that it takes
  bool operator==(const SlicePlaces&) const = default;
};

struct Gpu {
  std::string model;  // lower case
  Size memory;
  std::int64_t count = 0;  // a node
  std::string link;        // nvlink, nvswitch, pcie or ""
  std::string vendor = "nvidia";
  Span span;
  std::vector<std::string> slices{};  // MIG profiles that each GPU is cut into
  std::int64_t compute = 0;           // CUDA compute capability in tenths: 90 is 9.0; 0: not known
  std::vector<SlicePlaces> places{};  // of those of `slices` whose places are declared
};

// A set of nodes that are near each other: a leaf switch, an NVLink domain.
struct Leaf {
  std::string name;
  std::vector<std::uint32_t> nodes;
  std::string up{};  // the spine above a leaf
};

struct Spine {
  std::string name;
  std::string up;
};

// A group of leaves.
struct Block {
  std::string name;
  std::vector<std::string> leaves;
};

// A mark that only queues with `tolerates` pass.
struct Taint {
  std::string name;
  std::string value{};
  std::string effect{};
};

// Nodes that are taken now: whole ones, or so much of each. CPUs and memory that are not given go with
// the GPUs' share.
struct InUse {
  std::string name;
  std::vector<std::uint32_t> nodes;  // indices into the pool's nodes
  std::int64_t gpus = -1;            // of each node; -1: not given
  Span span;
  std::int64_t cpus = -1;  // of each node; -1: the GPUs' share
  Size memory{-1};
  // Parts of GPUs, by their numbers, of its only node: what a workload of the same file was given.
  struct Part {
    std::int64_t gpu = 0;
    std::uint32_t slices = 0;  // a bit a memory slice
    std::uint32_t compute = 0;
    std::uint32_t percent = 0;
  };
  std::vector<Part> parts{};
  // At which levels of a fit it counts: what the snapshot says now, what a workload of the same file was given.
  enum class When : std::uint8_t { now, empty, always } when = When::now;

  bool whole() const { return gpus < 0 && cpus < 0 && memory.bytes < 0; }
};

// Nodes that others hold for a time: a maintenance, a course, a project.
struct Reservation {
  std::string name;
  Span span;
  Instant from, until;
  HostNames nodes;
  // Who may use it; both empty: a maintenance. Among users `@NAME` is a group; names with `-` are those who may not.
  std::vector<Located<std::string>> users, accounts;

  bool takes_account(const std::string& account) const {
    const bool excludes = !accounts.empty() && accounts.front().value.starts_with('-');
    const std::string name = excludes ? "-" + account : account;
    const auto is_it = [&](const Located<std::string>& one) { return one.value == name; };
    return excludes == std::none_of(accounts.begin(), accounts.end(), is_it);
  }
  bool during(Instant begin, Instant end) const { return from < end && begin < until; }
};

// The nodes of one pool that a reservation holds.
struct Held {
  std::uint32_t reservation = 0;     // its number in the fleet
  std::vector<std::uint32_t> nodes;  // indices into the pool's nodes
};

// What pods cannot have of a node that declares no reserve, because the kubelet, the system and the pods of DaemonSets
// have it: so many CPUs, but at most half of them, and so much of the memory.
inline constexpr std::int64_t pods_reserve_cpus = 2;
inline constexpr std::int64_t pods_reserve_memory_percent = 4;

// Alike machines. Nodes are numbered 0…; `node_names` is empty where only a count was given.
struct Pool {
  std::string name;
  Span span;
  std::int64_t node_count = 0;
  HostNames node_names;
  std::optional<Gpu> gpu;
  std::int64_t cpus = 0;     // as schedulers count them: hardware threads, in `in_use` and `reserve_cpus` too
  std::int64_t threads = 1;  // of a core; 1 also where schedulers count cores
  Size memory;
  Size disk;
  std::string arch = "amd64";
  std::optional<std::int64_t> reserve_cpus;  // nullopt: not declared
  std::optional<Size> reserve_memory;
  std::string fabric;  // infiniband, roce, efa, slingshot, ethernet or ""
  Rate bandwidth;
  std::vector<Leaf> leaves;  // empty: no topology declared, one leaf for all
  std::vector<InUse> in_use;
  std::vector<std::uint32_t> drained;
  std::vector<std::uint32_t> spare;
  bool preemptible = false;
  std::string zone;
  std::vector<Taint> taints;           // only queues that tolerate all of them reach the pool
  std::int64_t sockets = 0;            // a node; 0: not given
  std::int64_t rails = 0;              // network ports of a node, one a GPU
  std::vector<Leaf> nvlink_domains{};  // multi-node NVLink; empty: none
  std::vector<Spine> spines{};
  std::vector<Block> blocks{};
  std::string rack{};
  std::string cost_per_gpu_hour{}, cost_per_cpu_hour{}, cost_per_node_hour{};  // numbers as spelt; "": not known
  Duration node_mtbf{};                                                        // 0: not given
  std::vector<Held> held{};
  std::vector<Allow> allows{};

  std::int64_t cores() const { return cpus / threads; }
  std::string node_name(std::uint32_t index) const {
    return index < node_names.size() ? node_names.at(index) : name + "/" + std::to_string(index);
  }
  // What a plane of this family cannot have of a node, and what it can.
  std::int64_t reserved_cpus(PlaneFamily family) const {
    return reserve_cpus.value_or(family == PlaneFamily::pods ? std::min(pods_reserve_cpus, cpus / 2) : 0);
  }
  Size reserved_memory(PlaneFamily family) const {
    if (reserve_memory || family != PlaneFamily::pods) return reserve_memory.value_or(Size{});
    return Size{memory.bytes - memory.bytes / 100 * (100 - pods_reserve_memory_percent)};
  }
  std::int64_t usable_cpus(PlaneFamily family) const { return cpus - reserved_cpus(family); }
  Size usable_memory(PlaneFamily family) const { return Size{memory.bytes - reserved_memory(family).bytes}; }
};

// Nodes that have a feature of Slurm.
struct Feature {
  std::string name;
  Span span;
  HostNames nodes;
};

struct Fleet {
  std::string name;
  Span span;
  std::vector<Pool> pools;
  std::vector<Reservation> reservations{};
  std::optional<Instant> as_of{};  // when what is in use was so; nullopt: not given
  std::vector<Allow> allows{};
  std::vector<Feature> features{};
};

}  // namespace muster::model
