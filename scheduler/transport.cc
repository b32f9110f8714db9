#include "scheduler/transport.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace muster::scheduler {
namespace {

constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

// Flow from gangs to kinds. A path goes from a gang to a kind that is open to it, and from there back to a gang that
// has nodes of the kind, which may have others instead.
class Flow {
 public:
  Flow(std::span<const std::int64_t> need, std::span<const std::int64_t> have, std::span<const std::vector<bool>> takes)
      : left_(need.begin(), need.end()),
        room_(have.begin(), have.end()),
        takes_(takes),
        given_(need.size(), std::vector<std::int64_t>(have.size(), 0)) {}

  Transport run() {
    for (std::uint32_t gang = 0; gang < left_.size(); ++gang)
      while (left_[gang] > 0)
        if (!augment(gang)) return {std::move(given_), reached()};
    return {std::move(given_), {}};
  }

 private:
  // Sends as much as one shortest path takes. False: none leads to a kind with room.
  bool augment(std::uint32_t from) {
    by_kind_.assign(left_.size(), unreached);  // the kind by which a gang was reached
    by_gang_.assign(room_.size(), unreached);
    seen_.assign(left_.size(), false);
    seen_[from] = true;
    std::vector<std::uint32_t> open{from};
    for (std::size_t at = 0; at < open.size(); ++at) {
      const std::uint32_t gang = open[at];
      for (std::uint32_t kind = 0; kind < room_.size(); ++kind) {
        if (by_gang_[kind] != unreached || !takes_[kind][gang]) continue;
        by_gang_[kind] = gang;
        if (room_[kind] > 0) return send(from, kind), true;
        for (std::uint32_t other = 0; other < left_.size(); ++other) {
          if (seen_[other] || given_[other][kind] == 0) continue;
          seen_[other] = true;
          by_kind_[other] = kind;
          open.push_back(other);
        }
      }
    }
    return false;
  }

  void send(std::uint32_t from, std::uint32_t kind) {
    std::int64_t amount = std::min(left_[from], room_[kind]);
    for (std::uint32_t gang = by_gang_[kind]; gang != from; gang = by_gang_[by_kind_[gang]])
      amount = std::min(amount, given_[gang][by_kind_[gang]]);
    left_[from] -= amount;
    room_[kind] -= amount;
    for (std::uint32_t to = kind;;) {
      const std::uint32_t gang = by_gang_[to];
      given_[gang][to] += amount;
      if (gang == from) return;
      to = by_kind_[gang];
      given_[gang][to] -= amount;
    }
  }

  // The gangs that the last search came to: they fill every kind that is open to them.
  std::vector<std::uint32_t> reached() const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t gang = 0; gang < seen_.size(); ++gang)
      if (seen_[gang]) out.push_back(gang);
    return out;
  }

  std::vector<std::int64_t> left_, room_;
  std::span<const std::vector<bool>> takes_;
  std::vector<std::vector<std::int64_t>> given_;
  std::vector<std::uint32_t> by_kind_, by_gang_;
  std::vector<bool> seen_;
};

}  // namespace

Transport share_nodes(std::span<const std::int64_t> need, std::span<const std::int64_t> have,
                      std::span<const std::vector<bool>> takes) {
  return Flow(need, have, takes).run();
}

}  // namespace muster::scheduler
