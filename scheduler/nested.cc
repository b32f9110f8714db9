#include "scheduler/nested.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "scheduler/shares.h"

namespace muster::scheduler {
namespace {

// Segments that each outer domain holds.
std::vector<std::int64_t> segments_by_outer(std::span<const Node> nodes, std::span<const std::uint32_t> outer,
                                            const Gang& gang) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> free;  // by outer and inner domain
  std::uint32_t domains = 0;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    domains = std::max(domains, outer[n] + 1);
    if (state_for(nodes[n], gang) == NodeState::fit) ++free[{outer[n], nodes[n].leaf}];
  }
  std::vector<std::int64_t> out(domains, 0);
  for (const auto& [place, count] : free) out[place.first] += count / std::max<std::int64_t>(gang.segment, 1);
  return out;
}

// The gang on the nodes of one outer domain, which hold it.
Placement place_in(std::span<const Node> nodes, std::span<const std::uint32_t> outer, std::uint32_t domain, Gang gang) {
  std::vector<Node> own(nodes.begin(), nodes.end());
  for (std::size_t n = 0; n < own.size(); ++n) own[n].usable &= outer[n] == domain;
  Answer answer = place_gang(own, gang);
  return std::get<Placement>(std::move(answer));
}

}  // namespace

std::variant<Placement, CopyShortage> place_nested(std::span<const Node> nodes, std::span<const std::uint32_t> outer,
                                                   const Gang& gang, std::int64_t copy) {
  Gang part = gang;
  part.one_leaf = false;
  const std::int64_t each = copy / std::max<std::int64_t>(gang.segment, 1), need = gang.nodes / copy;
  std::vector<std::int64_t> copies = segments_by_outer(nodes, outer, gang);
  CopyShortage shortage{need, 0, 0};
  for (std::int64_t& n : copies) {
    shortage.best = std::max(shortage.best, n);
    n /= each;
    shortage.have += n;
  }
  if (shortage.have < need) return shortage;
  // Copies are the nodes of a gang here, outer domains its leaves.
  Census census;
  census.by_leaf = std::move(copies);
  census.counts.fit = shortage.have;
  const auto shares = std::get<0>(share_out(census, {.nodes = need}, {}));
  Placement out;
  for (std::uint32_t domain = 0; domain < shares.by_leaf.size(); ++domain) {
    if (shares.by_leaf[domain] == 0) continue;
    part.nodes = shares.by_leaf[domain] * copy;
    const Placement own = place_in(nodes, outer, domain, part);
    out.nodes.insert(out.nodes.end(), own.nodes.begin(), own.nodes.end());
    out.leaves += own.leaves;
  }
  out.lower_bound = 1;
  return out;
}

}  // namespace muster::scheduler
