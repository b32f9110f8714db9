#include "scheduler/one_by_one.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "scheduler/saturate.h"

namespace muster::scheduler {

std::int64_t room(const Node& node, const Batch& batch) {
  const Gang& pod = batch.pod;
  if (!node.usable || (pod.exclusive && !node.untouched)) return 0;
  std::int64_t most = std::min(pod.exclusive ? 1 : batch.on_a_node, pod.nodes);
  const auto limit = [&](std::int64_t free, std::int64_t each) {
    if (each > 0) most = std::min(most, free < 0 ? 0 : free / each);
  };
  limit(node.gpus, pod.gpus), limit(node.cpus, pod.cpus), limit(node.memory, pod.memory);
  return most;
}

namespace {

constexpr std::int64_t most_steps = 1'000'000;

// Pods of the others that one node has room for, and what the largest of them take.
class Intruders {
 public:
  Intruders(const Node& node, const Batch& mine, std::span<const Batch> others) {
    for (const Batch& other : others) {
      const std::int64_t pods = room(node, other);
      if (pods == 0) continue;
      pods_ = sum(pods_, pods);
      shuts_out_ |= mine.pod.exclusive || other.pod.exclusive;
      gpus_.push_back({other.pod.gpus, pods});
      cpus_.push_back({other.pod.cpus, pods});
      memory_.push_back({other.pod.memory, pods});
    }
    for (auto* amounts : {&gpus_, &cpus_, &memory_})
      std::sort(amounts->begin(), amounts->end(), [](const Amount& a, const Amount& b) { return a.each > b.each; });
  }

  std::int64_t pods() const { return pods_; }

  // The node after `pods` of them; of each resource they take the most that so many can.
  Node after(Node node, std::int64_t pods) const {
    if (shuts_out_) node.usable = false;
    node.gpus = static_cast<std::int32_t>(std::max<std::int64_t>(node.gpus - largest(gpus_, pods), 0));
    node.cpus -= largest(cpus_, pods);
    node.memory -= largest(memory_, pods);
    return node;
  }

 private:
  struct Amount {
    std::int64_t each, pods;
  };

  static std::int64_t largest(const std::vector<Amount>& amounts, std::int64_t pods) {
    std::int64_t out = 0;
    for (const Amount& amount : amounts) {
      out = sum(out, product(amount.each, std::min(amount.pods, pods)));
      if ((pods -= std::min(amount.pods, pods)) == 0) break;
    }
    return std::min(out, std::numeric_limits<std::int64_t>::max() / 2);  // taken off without a wrap
  }

  std::vector<Amount> gpus_, cpus_, memory_;
  std::int64_t pods_ = 0;
  bool shuts_out_ = false;
};

// `lost` pods of a batch for `by` pods of others.
struct Ratio {
  std::int64_t lost = 0, by = 1;
  bool operator<(const Ratio& other) const { return product(lost, other.by) < product(other.lost, by); }
};

// How many pods of the others can be on these nodes at most.
std::int64_t pods_there(std::span<const Inventory::Kind> nodes, std::span<const Batch> others) {
  std::int64_t all = 0;
  for (const Batch& other : others) {
    std::int64_t open = 0;
    for (const Inventory::Kind& kind : nodes) open = sum(open, product(room(kind.sample, other), kind.nodes));
    all = sum(all, std::min(open, other.pod.nodes));
  }
  return all;
}

}  // namespace

bool any_order_works(std::span<const Inventory::Kind> nodes, const Batch& mine, std::span<const Batch> others) {
  std::int64_t open = 0, steps = 0;
  Ratio worst;
  for (const Inventory::Kind& kind : nodes) {
    const std::int64_t empty = kind.nodes == 0 ? 0 : room(kind.sample, mine);
    if (empty == 0) continue;
    open = sum(open, product(empty, kind.nodes));
    const Intruders intruders(kind.sample, mine, others);
    for (std::int64_t pods = 1, lost = 0; lost < empty && pods <= intruders.pods(); ++pods) {
      if (++steps > most_steps) return false;
      lost = empty - room(intruders.after(kind.sample, pods), mine);
      worst = std::max(worst, Ratio{lost, pods});
    }
  }
  return product(worst.lost, pods_there(nodes, others)) / worst.by <= open - mine.pod.nodes;
}

}  // namespace muster::scheduler
