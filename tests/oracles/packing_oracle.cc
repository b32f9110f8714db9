#include "tests/oracles/packing_oracle.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace muster::oracles {
namespace {

using scheduler::Cut;
using scheduler::Overweight;
using scheduler::Packed;
using scheduler::PackNode;
using scheduler::Part;
using scheduler::PodGang;
using scheduler::Profile;
using scheduler::Seat;

// A GPU written out: each memory slice taken or not.
struct Gpu {
  std::array<bool, 8> slice{};
  std::int64_t compute = 0, percent = 0;
  bool whole = false;
  auto operator<=>(const Gpu&) const = default;
};

Gpu written_out(const scheduler::Device& d) {
  Gpu out{{}, d.compute, d.percent, d.whole};
  for (std::size_t i = 0; i < 8; ++i) out.slice[i] = (d.slices >> i & 1U) != 0;
  return out;
}

bool is_cut(const Gpu& g) { return std::find(g.slice.begin(), g.slice.end(), true) != g.slice.end(); }

// Puts the part there; `start` is of a slice. False: it cannot stand there.
bool put(Gpu& g, const Cut& cut, Part part, std::uint32_t start) {
  if (g.whole) return false;
  if (part.kind == Part::Kind::whole) {
    if (is_cut(g) || g.percent > 0 || g.compute > 0) return false;
    return g.whole = true;
  }
  if (part.kind == Part::Kind::share) {
    g.percent += part.amount;
    return !is_cut(g) && part.amount >= 1 && g.percent <= 100;
  }
  if (part.amount >= cut.profiles.size() || g.percent > 0) return false;
  const Profile& p = cut.profiles[part.amount];
  if (std::find(p.starts.begin(), p.starts.end(), start) == p.starts.end() || start + p.size > 8 || p.size == 0)
    return false;
  for (std::uint32_t i = start; i < start + p.size; ++i)
    if (std::exchange(g.slice[i], true)) return false;
  g.compute += p.compute;
  return g.compute <= cut.compute;
}

// All GPUs that can follow.
std::set<Gpu> all_after(const Gpu& g, const Cut& cut, Part part) {
  std::set<Gpu> out;
  for (std::uint32_t start = 0; start < (part.kind == Part::Kind::slice ? 8U : 1U); ++start)
    if (Gpu then = g; put(then, cut, part, start)) out.insert(then);
  return out;
}

struct Left {
  std::vector<Gpu> gpus;
  std::int64_t cpus = 0, memory = 0;
  std::vector<std::int64_t> pods;
  bool open = true;
  auto operator<=>(const Left&) const = default;
};

std::vector<Left> all_of(std::span<const PackNode> nodes, std::size_t gangs) {
  std::vector<Left> out;
  for (const PackNode& n : nodes) {
    out.push_back({{}, n.cpus, n.memory, std::vector<std::int64_t>(gangs, 0), n.usable});
    for (const scheduler::Device& d : n.devices) out.back().gpus.push_back(written_out(d));
  }
  return out;
}

// CPUs, memory and the count of a pod on a node.
bool sit(Left& left, const PodGang& gang, std::size_t g, std::size_t node) {
  left.cpus -= gang.cpus, left.memory -= gang.memory;
  return left.open && (gang.barred.empty() || !gang.barred[node]) && left.cpus >= 0 && left.memory >= 0 &&
         ++left.pods[g] <= gang.a_node;
}

// The node after one more pod, in all ways; devices one after the other.
std::set<Left> seated(const Left& left, const Cut& cut, const PodGang& gang, std::size_t g, std::size_t node) {
  Left then = left;
  if (!sit(then, gang, g, node)) return {};
  std::set<std::pair<Left, std::size_t>> open{{then, 0}};  // and the device to go on with
  for (std::int32_t d = 0; d < gang.devices; ++d) {
    std::set<std::pair<Left, std::size_t>> next;
    for (const auto& [at, from] : open)
      for (std::size_t i = from; i < at.gpus.size(); ++i)
        for (const Gpu& gpu : all_after(at.gpus[i], cut, gang.part)) {
          Left more = at;
          more.gpus[i] = gpu;
          next.emplace(std::move(more), i + 1);
        }
    open = std::move(next);
  }
  std::set<Left> out;
  for (const auto& [at, from] : open) out.insert(at);
  return out;
}

struct Count {
  const Cut& cut;
  std::span<const PodGang> gangs;
  std::vector<std::size_t> pods;
  std::set<std::tuple<std::vector<Left>, std::size_t, std::int64_t>> seen;
  std::int64_t best = 0;

  void pod(std::vector<Left>& nodes, std::size_t at, std::int64_t placed) {
    best = std::max(best, placed);
    if (placed + static_cast<std::int64_t>(pods.size() - at) <= best) return;
    if (!seen.insert({nodes, at, placed}).second) return;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const Left before = nodes[n];
      for (const Left& then : seated(before, cut, gangs[pods[at]], pods[at], n)) {
        nodes[n] = then;
        pod(nodes, at + 1, placed + 1);
      }
      nodes[n] = before;
    }
    pod(nodes, at + 1, placed);
  }
};

std::string seat_fault(std::vector<Left>& left, const Cut& cut, const PodGang& gang, std::size_t g, const Seat& seat) {
  if (seat.node >= left.size()) return "no such node";
  Left& node = left[seat.node];
  if (!sit(node, gang, g, seat.node)) return "a node has no room";
  if (static_cast<std::int64_t>(seat.devices.size()) != gang.devices) return "wrong number of devices";
  if (seat.devices.empty() && seat.slices != 0) return "slices of no device";
  std::uint32_t start = 0;
  for (const std::uint32_t d : seat.devices) {
    if (d >= node.gpus.size()) return "no such device";
    const Gpu before = node.gpus[d];
    while (start < 8 && (seat.slices >> start & 1U) == 0) ++start;
    if (!put(node.gpus[d], cut, gang.part, start % 8)) return "a part does not stand there";
    std::uint32_t taken = 0;
    for (std::uint32_t i = 0; i < 8; ++i) taken |= before.slice[i] != node.gpus[d].slice[i] ? 1U << i : 0U;
    if (taken != seat.slices) return "wrong memory slices";
  }
  return {};
}

std::string fault_in(std::span<const PackNode> nodes, const Cut& cut, std::span<const PodGang> gangs, const Packed& p) {
  if (p.seats.size() != gangs.size()) return "wrong number of gangs";
  std::vector<Left> left = all_of(nodes, gangs.size());
  std::set<std::uint32_t> leaves;
  for (std::size_t g = 0; g < gangs.size(); ++g) {
    if (static_cast<std::int64_t>(p.seats[g].size()) != gangs[g].pods) return "wrong number of pods";
    std::pair<std::uint32_t, std::uint32_t> last{0, 0};
    for (const Seat& seat : p.seats[g]) {
      if (std::string f = seat_fault(left, cut, gangs[g], g, seat); !f.empty()) return f;
      const std::pair now{nodes[seat.node].leaf, seat.node};
      if (now < last) return "not in order";
      last = now;
      leaves.insert(nodes[seat.node].leaf);
    }
  }
  if (p.leaves != static_cast<std::int64_t>(leaves.size())) return "wrong count of leaves";
  return p.lower_bound <= p.leaves ? "" : "a bound above what was found";
}

// The most weight on one GPU: of every part one more, and again.
struct Heaviest {
  const Cut& cut;
  std::map<Part, std::int64_t> weight;  // of a part, on one GPU
  std::map<Gpu, std::int64_t> known{};

  std::int64_t of(const Gpu& g) {
    if (const auto found = known.find(g); found != known.end()) return found->second;
    std::int64_t best = 0;
    for (const auto& [part, w] : weight)
      if (w > 0)
        for (const Gpu& then : all_after(g, cut, part)) best = std::max(best, w + of(then));
    return known[g] = best;
  }
};

// Pods of one gang that a node holds, one after the other, in any way.
std::int64_t alone_on(const PackNode& node, const Cut& cut, const PodGang& gang, std::size_t index) {
  if (!node.usable || (!gang.barred.empty() && gang.barred[index])) return 0;
  std::int64_t most = gang.a_node;
  if (gang.cpus > 0) most = std::min(most, node.cpus / gang.cpus);
  if (gang.memory > 0) most = std::min(most, node.memory / gang.memory);
  if (gang.devices <= 0) return most;
  Heaviest one{cut, {{gang.part, 1}}};
  std::int64_t parts = 0;
  for (const scheduler::Device& d : node.devices) parts += one.of(written_out(d));
  return std::min(most, parts / gang.devices);
}

std::string fault_in(std::span<const PackNode> nodes, const Cut& cut, std::span<const PodGang> gangs,
                     const Overweight& o) {
  if (o.weights.size() != gangs.size()) return "wrong number of gangs";
  std::int64_t need = 0, have = 0;
  Heaviest heaviest{cut, {}};
  for (std::size_t g = 0; g < gangs.size(); ++g) {
    const PodGang& gang = gangs[g];
    if (o.weights[g] < 0) return "a negative weight";
    if (o.unit != Overweight::Unit::devices &&
        o.weights[g] > (o.unit == Overweight::Unit::cpus ? gang.cpus : gang.memory))
      return "a pod weighs more than it asks for";
    need += o.weights[g] * gang.pods;
    if (gang.devices <= 0) continue;
    std::int64_t& here = heaviest.weight[gang.part];
    here = std::max(here, (o.weights[g] + gang.devices - 1) / gang.devices);
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    std::int64_t alone = 0, together = 0;
    for (std::size_t g = 0; g < gangs.size(); ++g) {
      const std::int64_t held = o.weights[g] * alone_on(nodes[n], cut, gangs[g], n);
      alone += held;
      if (gangs[g].devices <= 0) together += held;
    }
    for (const scheduler::Device& d : nodes[n].devices) together += heaviest.of(written_out(d));
    if (o.unit == Overweight::Unit::cpus) together = nodes[n].cpus;
    if (o.unit == Overweight::Unit::memory) together = nodes[n].memory;
    have += std::min(alone, together);
  }
  if (o.need != need) return "wrong need";
  if (o.have != have) return "wrong have";
  return need > have ? "" : "the nodes hold the weight";
}

std::string fault_in(std::span<const PackNode> nodes, const Cut& cut, std::span<const PodGang> gangs,
                     const scheduler::Exhausted& e) {
  std::int64_t need = 0;
  for (const PodGang& gang : gangs) need += gang.pods;
  if (e.need != need) return "wrong need";
  if (e.have != most_pods(nodes, cut, gangs)) return "wrong have";
  return e.need > e.have ? "" : "a packing exists";
}

std::string fault_in(std::span<const PackNode>, const Cut&, std::span<const PodGang>,
                     const scheduler::PackingGaveUp& g) {
  return g.tried > 0 ? "" : "gave up before trying";
}

}  // namespace

std::int64_t most_pods(std::span<const PackNode> nodes, const Cut& cut, std::span<const PodGang> gangs) {
  Count count{cut, gangs, {}, {}, 0};
  for (std::size_t g = 0; g < gangs.size(); ++g)
    count.pods.insert(count.pods.end(), static_cast<std::size_t>(gangs[g].pods), g);
  std::vector<Left> left = all_of(nodes, gangs.size());
  count.pod(left, 0, 0);
  return count.best;
}

std::int64_t fewest_spines(std::span<const PackNode> nodes, const Cut& cut, const PodGang& gang,
                           std::span<const std::uint32_t> spine_of_leaf) {
  std::pair<std::size_t, std::size_t> best{99, 99};  // leaves, then spines
  std::vector<std::int64_t> holds;
  for (std::size_t n = 0; n < nodes.size(); ++n) holds.push_back(alone_on(nodes[n], cut, gang, n));
  for (std::uint32_t set = 0; set < 1U << spine_of_leaf.size(); ++set) {
    std::int64_t room = 0;
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if ((set >> nodes[n].leaf & 1U) != 0) room += holds[n];
    std::set<std::uint32_t> leaves, spines;
    for (std::uint32_t leaf = 0; leaf < spine_of_leaf.size(); ++leaf)
      if ((set >> leaf & 1U) != 0) leaves.insert(leaf), spines.insert(spine_of_leaf[leaf]);
    if (room >= gang.pods) best = std::min(best, {leaves.size(), spines.size()});
  }
  return static_cast<std::int64_t>(best.second);
}

std::string fault_of(std::span<const PackNode> nodes, const Cut& cut, std::span<const PodGang> gangs,
                     const scheduler::PackAnswer& answer) {
  return std::visit([&](const auto& a) { return fault_in(nodes, cut, gangs, a); }, answer);
}

}  // namespace muster::oracles
