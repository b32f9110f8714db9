// The proofs of packing.h: pods that weigh more than the nodes hold.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "scheduler/saturate.h"
#include "scheduler/stall.h"

namespace muster::scheduler {
namespace {

using Unit = Overweight::Unit;
using Weights = std::vector<std::int64_t>;  // by gang

// Nodes that are alike to every gang.
struct Kind {
  std::size_t example = 0;
  std::int64_t count = 0;
  std::vector<std::int64_t> alone;  // by gang: how many of its pods it holds
};

std::vector<Kind> kinds_of(const Stalls& stalls) {
  std::map<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>, std::size_t> numbers;
  std::vector<Kind> out;
  for (std::size_t n = 0; n < stalls.all().size(); ++n) {
    const Stall& stall = stalls.all()[n];
    std::vector<std::int64_t> alone;
    for (std::size_t g = 0; g < stalls.gangs().size(); ++g) alone.push_back(stalls.capacity(n, g));
    std::vector<std::int64_t> left(stall.devices.begin(), stall.devices.end());
    std::sort(left.begin(), left.end());
    left.push_back(stall.cpus);
    left.push_back(stall.memory);
    const auto [found, fresh] = numbers.try_emplace({std::move(left), alone}, out.size());
    if (fresh) out.push_back({n, 0, std::move(alone)});
    ++out[found->second].count;
  }
  return out;
}

class Scales {
 public:
  explicit Scales(const Stalls& stalls) : stalls_(stalls), kinds_(kinds_of(stalls)) {}

  Overweight weigh(Unit unit, Weights weights) const {
    Overweight out{unit, std::move(weights), 0, 0};
    for (std::size_t g = 0; g < out.weights.size(); ++g)
      out.need = sum(out.need, product(weight(out.weights, g), std::max<std::int64_t>(stalls_.gangs()[g].pods, 0)));
    const std::vector<std::int64_t> of_state = unit == Unit::devices ? by_state(out.weights) : Weights{};
    for (const Kind& kind : kinds_) {
      std::int64_t alone = 0;
      for (std::size_t g = 0; g < out.weights.size(); ++g)
        alone = sum(alone, product(weight(out.weights, g), kind.alone[g]));
      out.have = sum(out.have, product(kind.count, std::min(alone, limit(unit, kind, out.weights, of_state))));
    }
    return out;
  }

  // The first of the weights that proves it, else one that does not.
  Overweight first(const std::vector<std::pair<Unit, Weights>>& tried) const {
    for (const auto& [unit, weights] : tried)
      if (Overweight proof = weigh(unit, weights); proof.need > proof.have) return proof;
    return {};
  }

 private:
  // A device holds parts of gangs that ask for one; who asks for several weighs as much on each as is his least.
  Weights by_state(const Weights& weights) const {
    Weights by_part(stalls_.parts().size(), 0);
    for (std::size_t g = 0; g < weights.size(); ++g) {
      const std::int32_t devices = stalls_.gangs()[g].devices;
      if (devices <= 0) continue;
      std::int64_t& here = by_part[stalls_.part_of(g)];
      here = std::max(here, (weights[g] + devices - 1) / devices);
    }
    return stalls_.table().most_weight(by_part);
  }

  // Gangs without devices are held by no device.
  std::int64_t limit(Unit unit, const Kind& kind, const Weights& weights, const Weights& of_state) const {
    const Stall& stall = stalls_.all()[kind.example];
    if (unit == Unit::cpus) return stall.cpus;
    if (unit == Unit::memory) return stall.memory;
    std::int64_t out = 0;
    for (const std::uint32_t state : stall.devices) out = sum(out, of_state[state]);
    for (std::size_t g = 0; g < weights.size(); ++g)
      if (stalls_.gangs()[g].devices <= 0) out = sum(out, product(weight(weights, g), kind.alone[g]));
    return out;
  }

  // One pod of each gang like it.
  std::int64_t weight(const Weights& weights, std::size_t g) const {
    return product(weights[g], stalls_.gangs()[g].count);
  }

  const Stalls& stalls_;
  std::vector<Kind> kinds_;
};

// How large a pod is in each way that may be short: memory slices, compute slices, percent, whole GPUs.
std::vector<Weights> measures(const Cut& cut, std::span<const PodGang> gangs) {
  std::vector<Weights> out(4, Weights(gangs.size(), 0));
  for (std::size_t g = 0; g < gangs.size(); ++g) {
    const PodGang& gang = gangs[g];
    if (gang.devices <= 0) continue;
    if (gang.part.kind == Part::Kind::whole) {
      const std::int64_t devices = gang.devices;
      out[0][g] = Cut::most_slices * devices, out[1][g] = cut.compute * devices;
      out[2][g] = 100 * devices, out[3][g] = devices;
    } else if (gang.part.kind == Part::Kind::share) {
      out[2][g] = gang.part.amount;
    } else if (gang.part.amount < cut.profiles.size()) {
      out[0][g] = cut.profiles[gang.part.amount].size, out[1][g] = cut.profiles[gang.part.amount].compute;
    }
  }
  return out;
}

// A GPU as one measure for all: what a pod takes of it, by memory slices or by how many of its kind a free one holds;
// and the latter of slices that have no second one beside them, the others set aside.
std::vector<Weights> of_a_gpu(const Stalls& stalls, const Cut& cut) {
  constexpr std::int64_t gpu = 840;  // which one to eight divide
  std::vector<Weights> out(3, Weights(stalls.gangs().size(), 0));
  DeviceTable table(cut, stalls.parts());
  const std::uint32_t free = table.number({});
  for (std::size_t g = 0; g < stalls.gangs().size(); ++g) {
    const PodGang& gang = stalls.gangs()[g];
    if (gang.devices <= 0) continue;
    const std::int64_t held = table.capacity(free, stalls.part_of(g));
    const bool slice = gang.part.kind == Part::Kind::slice && gang.part.amount < cut.profiles.size();
    out[1][g] = held > 0 ? gpu / held * gang.devices : 0;
    out[0][g] = slice ? gpu / Cut::most_slices * cut.profiles[gang.part.amount].size : out[1][g];
    out[2][g] = slice && held > 1 ? 0 : out[1][g];
  }
  for (Weights& weights : out) {
    std::int64_t divisor = 0;
    for (const std::int64_t weight : weights) divisor = std::gcd(divisor, weight);
    for (std::int64_t& weight : weights) weight /= std::max<std::int64_t>(divisor, 1);
  }
  return out;
}

// Whole slots of every size that a pod has (T3), and every pod of at least that size as one.
void add_slots(const Weights& measure, std::vector<std::pair<Unit, Weights>>& out) {
  Weights sizes = measure;
  std::sort(sizes.rbegin(), sizes.rend());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  constexpr std::size_t most = 16;
  if (sizes.size() > most) sizes.resize(most);
  for (const std::int64_t slot : sizes) {
    if (slot <= 0) continue;
    Weights whole, one, cut;
    for (const std::int64_t size : measure) {
      whole.push_back(size / slot);
      one.push_back(size >= slot ? 1 : 0);
      cut.push_back(size >= slot ? size : 0);
    }
    out.emplace_back(Unit::devices, std::move(whole));
    out.emplace_back(Unit::devices, std::move(one));
    out.emplace_back(Unit::devices, std::move(cut));
  }
}

// Every weight up to 8 of the few shapes there are; gangs of one shape weigh the same.
void add_all_small(const Cut& cut, std::span<const PodGang> gangs, std::vector<std::pair<Unit, Weights>>& out) {
  std::vector<std::pair<Part, std::int32_t>> shapes;
  std::vector<std::size_t> shape_of;
  for (const PodGang& gang : gangs) {
    const std::pair shape{gang.part, gang.devices};
    const auto found = std::find(shapes.begin(), shapes.end(), shape);
    shape_of.push_back(static_cast<std::size_t>(found - shapes.begin()));
    if (found == shapes.end()) shapes.push_back(shape);
  }
  constexpr std::size_t few = 3;
  if (shapes.size() > few || cut.profiles.size() > 16) return;
  constexpr std::int64_t base = Cut::most_slices + 1;
  std::int64_t all = 1;
  for (std::size_t i = 0; i < shapes.size(); ++i) all *= base;
  for (std::int64_t code = 1; code < all; ++code) {
    Weights of_shape;
    for (std::int64_t left = code; of_shape.size() < shapes.size(); left /= base) of_shape.push_back(left % base);
    Weights weights;
    for (const std::size_t shape : shape_of) weights.push_back(of_shape[shape]);
    out.emplace_back(Unit::devices, std::move(weights));
  }
}

}  // namespace

Overweight find_overweight(std::span<const PackNode> nodes, const Cut& cut, std::span<const PodGang> gangs) {
  const Stalls stalls(nodes, cut, gangs);
  std::vector<std::pair<Unit, Weights>> tried;
  for (std::size_t g = 0; g < gangs.size(); ++g) {
    if (gangs[g].count > 1) continue;
    tried.emplace_back(Unit::devices, Weights(gangs.size(), 0));
    tried.back().second[g] = 1;
  }
  for (const Weights& measure : measures(cut, gangs)) add_slots(measure, tried);
  for (Weights& weights : of_a_gpu(stalls, cut)) tried.emplace_back(Unit::devices, std::move(weights));
  for (const Unit unit : {Unit::cpus, Unit::memory}) {
    Weights asked;
    for (const PodGang& gang : gangs) asked.push_back(unit == Unit::cpus ? gang.cpus : gang.memory);
    tried.emplace_back(unit, std::move(asked));
  }
  add_all_small(cut, gangs, tried);
  return Scales(stalls).first(tried);
}

}  // namespace muster::scheduler
