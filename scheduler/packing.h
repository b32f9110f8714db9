// Pods that may share nodes and GPUs: several of one gang on a node, several parts on one GPU. A packing of all gangs,
// a proof that there is none, or neither.
//
// Theorems used. T1: of pods that are alike a node holds one number, so that one gang is exact, on the fewest leaves.
// Weights (T3 beyond divisors): give every pod a weight. What a GPU holds at most of it is read off its table (T8); a
// node holds no more than its GPUs, nor than each gang could have there alone. Gangs that weigh more than all nodes
// hold have no packing. Few pods are tried in every way.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "scheduler/devices.h"
#include "scheduler/inventory.h"

namespace muster::scheduler {

struct PackNode {
  std::uint32_t leaf = 0;  // as scheduler/gang.h numbers them
  std::vector<Device> devices;
  std::int64_t cpus = 0, memory = 0;  // free
  bool usable = true;
};

// Pods of one shape.
struct PodGang {
  std::int64_t pods = 1;
  std::int64_t a_node = 1;  // most of them on one node
  Part part;                // of each of its devices
  std::int32_t devices = 0;
  std::int64_t cpus = 0, memory = 0;
  std::vector<bool> barred{};  // by node: it may not use it; empty: all are open
  std::int64_t count = 1;      // gangs like it, which find_overweight() counts; each of more than one is known to fit
};

struct Seat {
  std::uint32_t node = 0;
  std::vector<std::uint32_t> devices;  // of the node
  std::uint32_t slices = 0;            // that it takes of its device, a bit each
  bool operator==(const Seat&) const = default;
};

struct Packed {
  std::vector<std::vector<Seat>> seats;  // by gang, ascending by leaf and then by node
  std::int64_t leaves = 0;               // used by all
  std::int64_t lower_bound = 0;          // no packing uses fewer
  std::int64_t spines = 0;               // that the leaves lie below; 0: not given
  std::int64_t spine_bound = 0;          // no packing lies below fewer; of one gang, none on as few leaves
};

// The pods weigh `need`; all nodes together hold at most `have`.
struct Overweight {
  enum class Unit : std::uint8_t { devices, cpus, memory } unit = Unit::devices;
  std::vector<std::int64_t> weights;  // of a pod, by gang; 0: it does not count. By CPUs or memory: what a pod asks for
  std::int64_t need = 0, have = 0;
};

// Every way was tried: `have` of the `need` pods is the most that find a place.
struct Exhausted {
  std::int64_t need = 0, have = 0;
};

struct PackingGaveUp {
  std::int64_t tried = 0;  // ways
};

using PackAnswer = std::variant<Packed, Overweight, Exhausted, PackingGaveUp>;

struct PackOptions {
  std::int64_t orders = 32;                        // in which gangs are placed one after the other
  std::int64_t branches = 200'000;                 // of the search that tries every way
  std::span<const std::uint32_t> spine_of_leaf{};  // by leaf; empty: not known
};

// Deterministic. One gang: exact, up to a million pods; of more there is only the proof. Gangs ask for at most one
// device of a part; `pods`, `devices`, CPUs and memory are 0 or more. O(orders · gangs · nodes · devices) and the
// branches.
PackAnswer pack(std::span<const PackNode> nodes, const Cut& cut, std::span<const PodGang> gangs,
                const PackOptions& options = {});

// What pack() answers for one gang that asks for whole devices or none, on nodes none of whose devices is cut, at the
// cost of the leaves and of the nodes taken. nullopt: it does not fit, or has more pods than are written down.
std::optional<Packed> pack_alike(const Inventory& stock, const PodGang& gang);

// The proof alone; need <= have: none was found.
Overweight find_overweight(std::span<const PackNode> nodes, const Cut& cut, std::span<const PodGang> gangs);

}  // namespace muster::scheduler
