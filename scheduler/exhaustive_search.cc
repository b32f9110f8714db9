#include "scheduler/exhaustive_search.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace muster::scheduler {
namespace {

constexpr std::int64_t most_pods_searched = 64;

class ExhaustiveSearch {
 public:
  ExhaustiveSearch(const Stalls& start, std::span<const std::uint32_t> order, std::int64_t most_branches)
      : stalls_(start), most_branches_(most_branches) {
    for (const std::uint32_t gang : order)
      for (std::int64_t i = 0; i < stalls_.gangs()[gang].pods; ++i) pods_.push_back(gang);
    out_.seats.resize(order.size());
    out_.pods = static_cast<std::int64_t>(pods_.size());
  }

  SearchResult run() {
    out_.complete = step(0, 0);
    out_.branches = branches_;
    return std::move(out_);
  }

 private:
  // From this pod on, with so many placed. False: it gave up.
  bool step(std::size_t at, std::int64_t placed) {
    if (placed > out_.most) out_.most = placed;
    if (out_.most == out_.pods) return finish();
    if (placed + out_.pods - static_cast<std::int64_t>(at) <= out_.most) return true;
    if (++branches_ > most_branches_) return false;
    if (!seen_.insert(state(at, placed)).second) return true;
    std::set<std::string> asked;  // of the nodes, by what is left of them
    for (std::size_t n = 0; n < stalls_.all().size(); ++n) {
      if (stalls_.capacity(n, pods_[at]) == 0 || !asked.insert(node_state(n)).second) continue;
      if (!on_node(at, placed, n)) return false;
      if (out_.all_placed) return true;
    }
    return step(at + 1, placed);  // without this pod
  }

  // The pod on every device and place of the node. One of several whole devices is as good as another.
  bool on_node(std::size_t at, std::int64_t placed, std::size_t n) {
    const PodGang& gang = stalls_.gangs()[pods_[at]];
    const Stall before = stalls_.all()[n];
    if (gang.devices != 1 || gang.part.kind == Part::Kind::whole) {
      path_.push_back({pods_[at], stalls_.put(n, pods_[at])});
      return descend(at, placed, n, before);
    }
    std::set<std::uint32_t> asked;
    const std::size_t part = stalls_.part_of(pods_[at]);
    for (std::uint32_t d = 0; d < before.devices.size(); ++d) {
      if (!asked.insert(before.devices[d]).second) continue;
      for (const std::uint32_t next : stalls_.table().next(before.devices[d], part)) {
        path_.push_back({pods_[at], stalls_.put_at(n, pods_[at], d, next)});
        if (!descend(at, placed, n, before)) return false;
        if (out_.all_placed) return true;
      }
    }
    return true;
  }

  bool descend(std::size_t at, std::int64_t placed, std::size_t n, const Stall& before) {
    const bool done = step(at + 1, placed + 1);
    stalls_.all()[n] = before;
    path_.pop_back();
    return done;
  }

  bool finish() {
    if (!out_.all_placed)
      for (const auto& [gang, seat] : path_) out_.seats[gang].push_back(seat);
    return out_.all_placed = true;
  }

  // What is left of a node and who is barred from it: equal ones can stand for each other.
  std::string node_state(std::size_t n) const {
    const Stall& stall = stalls_.all()[n];
    std::vector<std::uint32_t> devices = stall.devices;
    std::sort(devices.begin(), devices.end());
    std::string out = std::to_string(stall.cpus) + "," + std::to_string(stall.memory) + (stall.usable ? "u" : "-");
    for (const std::uint32_t d : devices) out += "," + std::to_string(d);
    for (const std::int64_t pods : stall.pods) out += ";" + std::to_string(pods);
    for (const PodGang& gang : stalls_.gangs())
      if (!gang.barred.empty()) out += gang.barred[n] ? "x" : ".";
    return out;
  }

  std::string state(std::size_t at, std::int64_t placed) const {
    std::vector<std::string> nodes;
    for (std::size_t n = 0; n < stalls_.all().size(); ++n) nodes.push_back(node_state(n));
    std::sort(nodes.begin(), nodes.end());
    std::string out = std::to_string(at) + ":" + std::to_string(placed);
    for (const std::string& node : nodes) out += "|" + node;
    return out;
  }

  Stalls stalls_;
  std::int64_t most_branches_, branches_ = 0;
  std::vector<std::uint32_t> pods_;  // each by its gang
  std::vector<std::pair<std::uint32_t, Seat>> path_;
  std::set<std::string> seen_;
  SearchResult out_;
};

}  // namespace

SearchResult search_exhaustively(const Stalls& start, std::span<const std::uint32_t> order,
                                 std::int64_t most_branches) {
  // Each node is written down at every branch.
  constexpr std::size_t most_nodes = 64;
  std::int64_t pods = 0;
  for (const PodGang& gang : start.gangs()) pods += std::min(gang.pods, most_pods_searched + 1);
  if (pods > most_pods_searched || start.all().size() > most_nodes) return {};
  return ExhaustiveSearch(start, order, most_branches).run();
}

}  // namespace muster::scheduler
