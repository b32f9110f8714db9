// Segments inside domains inside domains, against a search over all ways to share copies and segments out.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/nested.h"
#include "tests/catch.h"
#include "tests/property/random.h"

namespace nested_test {

using namespace muster::scheduler;
using muster::property::Random;

namespace {

struct Case {
  std::vector<Node> nodes;
  std::vector<std::uint32_t> outer;  // by node
  Gang gang;
  std::int64_t copy = 1;
};

Case random_case(Random& random) {
  Case c;
  const std::int64_t inner = 1 + random.upto(4);
  std::vector<std::uint32_t> outer_of_leaf;
  for (std::int64_t leaf = 0; leaf < inner; ++leaf) {
    outer_of_leaf.push_back(static_cast<std::uint32_t>(random.upto(2)));
    for (std::int64_t n = random.upto(5); n > 0; --n) {
      Node node{.leaf = static_cast<std::uint32_t>(leaf), .gpus = 8, .gpus_total = 8};
      if (random.one_in(4)) node.gpus = 4, node.untouched = false;
      node.usable = !random.one_in(9);
      c.nodes.push_back(node);
      // A domain may be cut by another: then only what they share counts.
      c.outer.push_back(random.one_in(9) ? static_cast<std::uint32_t>(random.upto(2)) : outer_of_leaf.back());
    }
  }
  c.gang.gpus = random.one_in(2) ? 8 : 4;
  c.gang.segment = 1 + random.upto(2);
  c.copy = c.gang.segment * (1 + random.upto(2));
  c.gang.nodes = c.copy * (1 + random.upto(2));
  return c;
}

bool takes_pod(const Node& node, const Gang& gang) { return node.usable && node.gpus >= gang.gpus; }

// The most copies, over every number of segments that each inner domain could give.
std::int64_t most_copies(const Case& c) {
  std::map<std::uint32_t, std::map<std::uint32_t, std::int64_t>> free;
  for (std::size_t n = 0; n < c.nodes.size(); ++n)
    if (takes_pod(c.nodes[n], c.gang)) ++free[c.outer[n]][c.nodes[n].leaf];
  std::int64_t sum = 0;
  for (const auto& [outer, leaves] : free) {
    std::set<std::int64_t> segments{0};
    for (const auto& [leaf, count] : leaves) {
      std::set<std::int64_t> more;
      for (const std::int64_t have : segments)
        for (std::int64_t n = 0; n * c.gang.segment <= count; ++n) more.insert(have + n);
      segments = std::move(more);
    }
    std::int64_t best = 0;
    for (const std::int64_t n : segments)
      for (std::int64_t copies = 1; copies * c.copy <= n * c.gang.segment; ++copies) best = std::max(best, copies);
    sum += best;
  }
  return sum;
}

// "" if the nodes are what was asked for, copy by copy and segment by segment.
std::string fault_of(const Case& c, const Placement& p) {
  if (static_cast<std::int64_t>(p.nodes.size()) != c.gang.nodes) return "wrong number of nodes";
  if (std::set<std::uint32_t>(p.nodes.begin(), p.nodes.end()).size() != p.nodes.size()) return "a node is taken twice";
  for (std::size_t i = 0; i < p.nodes.size(); ++i) {
    const std::uint32_t node = p.nodes[i];
    if (node >= c.nodes.size() || !takes_pod(c.nodes[node], c.gang)) return "a node does not take the pod";
    const std::uint32_t first_of_copy = p.nodes[i - i % static_cast<std::size_t>(c.copy)];
    const std::uint32_t first_of_segment = p.nodes[i - i % static_cast<std::size_t>(c.gang.segment)];
    if (c.outer[node] != c.outer[first_of_copy]) return "a copy is cut";
    if (c.nodes[node].leaf != c.nodes[first_of_segment].leaf) return "a segment is cut";
  }
  return {};
}

}  // namespace

TEST_CASE("segments inside domains are placed where a search finds room", "[property][gang]") {
  Random random(99);
  int placed = 0, refused = 0, damaged = 0;
  for (int i = 0; i < 30'000; ++i) {
    const Case c = random_case(random);
    auto answer = place_nested(c.nodes, c.outer, c.gang, c.copy);
    const std::int64_t most = most_copies(c), need = c.gang.nodes / c.copy;
    if (const auto* shortage = std::get_if<CopyShortage>(&answer)) {
      ++refused;
      if (most >= need || shortage->need != need) FAIL("case " << i << ": " << most << " copies fit");
      if (shortage->have != most) FAIL("case " << i << ": says " << shortage->have << " copies, " << most << " fit");
      continue;
    }
    ++placed;
    auto& placement = std::get<Placement>(answer);
    if (const std::string fault = fault_of(c, placement); !fault.empty()) FAIL("case " << i << ": " << fault);
    if (c.copy < 2 || c.gang.nodes == c.copy || c.outer[placement.nodes.front()] == c.outer[placement.nodes.back()])
      continue;
    std::swap(placement.nodes.front(), placement.nodes.back());
    ++damaged;
    if (fault_of(c, placement).empty()) FAIL("case " << i << ": a damaged placement was accepted");
  }
  CHECK(placed > 3'000);
  CHECK(refused > 3'000);
  CHECK(damaged > 100);
}

}  // namespace nested_test
