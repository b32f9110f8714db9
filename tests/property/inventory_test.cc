// Inventory against place_gang on the same nodes, while what is free on them changes.
#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/inventory.h"
#include "tests/catch.h"
#include "tests/oracles/gang_oracle.h"
#include "tests/property/random.h"

namespace inventory_test {

using namespace muster::scheduler;
using muster::property::Random;

namespace {

Node random_node(Random& random, std::uint32_t leaf) {
  Node node;
  node.leaf = leaf;
  node.gpus_total = random.one_in(6) ? 4 : 8;
  node.gpus = random.one_in(2) ? node.gpus_total : static_cast<std::int32_t>(random.upto(node.gpus_total));
  node.untouched = node.gpus == node.gpus_total && !random.one_in(10);
  node.cpus = 8 * node.gpus + (random.one_in(8) ? random.upto(5) : 0);
  node.memory = 64 * node.gpus;
  node.usable = !random.one_in(9);
  return node;
}

std::vector<Node> random_nodes(Random& random) {
  std::vector<Node> nodes;
  const std::int64_t leaves = 1 + random.upto(11);
  for (std::int64_t leaf = 0; leaf < leaves; ++leaf)
    for (std::int64_t n = random.upto(7); n > 0; --n)
      nodes.push_back(random_node(random, static_cast<std::uint32_t>(leaf)));
  if (random.one_in(3))  // node numbers need not follow the leaves
    for (std::size_t i = 1; i < nodes.size(); ++i)
      std::swap(nodes[i], nodes[static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(i)))]);
  return nodes;
}

Gang random_gang(Random& random) {
  Gang gang;
  gang.gpus = static_cast<std::int32_t>(random.upto(9));
  gang.cpus = random.one_in(2) ? random.upto(70) : 0;
  gang.memory = random.one_in(3) ? random.upto(520) : 0;
  gang.exclusive = random.one_in(5);
  gang.one_leaf = random.one_in(5);
  gang.segment = random.one_in(3) ? 1 + random.upto(3) : 1;
  gang.nodes = gang.segment * random.upto(14);
  return gang;
}

}  // namespace

TEST_CASE("an inventory answers as the nodes do, whatever changes", "[property][gang]") {
  Random random(4711);
  int placed = 0, refused = 0;
  for (int i = 0; i < 4'000; ++i) {
    std::vector<Node> nodes = random_nodes(random);
    std::vector<std::uint32_t> spines;
    for (int leaf = 0; leaf < 12 && i % 2 == 0; ++leaf) spines.push_back(static_cast<std::uint32_t>(random.upto(3)));
    Inventory inventory(nodes, spines);
    for (int step = 0; step < 25; ++step) {
      const Gang gang = random_gang(random);
      const Answer answer = inventory.place(gang);
      if (answer != place_gang(nodes, gang, spines)) FAIL("case " << i << ", step " << step << ": another answer");
      ++(std::holds_alternative<Placement>(answer) ? placed : refused);
      if (nodes.empty()) continue;
      const auto any = static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(nodes.size()) - 1));
      nodes[any] = random_node(random, nodes[any].leaf);
      inventory.set(static_cast<std::uint32_t>(any), nodes[any]);
    }
  }
  CHECK(placed > 20'000);
  CHECK(refused > 20'000);
}

TEST_CASE("the kinds of an inventory count every node once", "[gang]") {
  Random random(12);
  Inventory inventory(random_nodes(random));
  for (int step = 0; step < 200; ++step) {
    const auto last = static_cast<std::int64_t>(inventory.nodes().size()) - 1;
    inventory.set(static_cast<std::uint32_t>(random.upto(last)), random_node(random, 0));
  }
  for (const auto& [sample, count] : inventory.kinds()) {
    const auto alike = std::count_if(inventory.nodes().begin(), inventory.nodes().end(), [&](const Node& n) {
      return n.gpus == sample.gpus && n.gpus_total == sample.gpus_total && n.cpus == sample.cpus &&
             n.memory == sample.memory && n.usable == sample.usable && n.untouched == sample.untouched;
    });
    CHECK(alike == count);
  }
}

// Gangs that come and go, as many nodes as a word has bits and more in a leaf: the fewest leaves by brute force, and at
// the end all that was there.
TEST_CASE("an inventory under churn takes the fewest leaves and has at its end what it had", "[property][gang]") {
  Random random(7);
  int placed = 0;
  for (int round = 0; round < 300; ++round) {
    const auto gpus = static_cast<std::int32_t>(1 + random.upto(7));
    std::vector<Node> nodes;
    for (std::int64_t leaf = 0, leaves = 1 + random.upto(4); leaf < leaves; ++leaf)
      for (std::int64_t n = random.one_in(6) ? 60 + random.upto(90) : random.upto(8); n > 0; --n)
        nodes.push_back({.leaf = static_cast<std::uint32_t>(leaf), .gpus = gpus, .gpus_total = gpus});
    Inventory fleet(nodes);
    std::vector<std::pair<std::int32_t, std::vector<std::uint32_t>>> held;
    const auto change = [&](const std::vector<std::uint32_t>& which, std::int32_t more) {
      for (const std::uint32_t index : which) {
        Node now = fleet.nodes()[index];
        now.gpus += more, now.untouched = now.gpus == gpus;
        fleet.set(index, now);
      }
    };
    for (int step = 0; step < 25; ++step) {
      const std::int64_t segment = 1 + random.upto(2);
      const bool one_leaf = random.one_in(5);
      const Gang gang{.nodes = segment * (1 + random.upto(6)),
                      .gpus = static_cast<std::int32_t>(1 + random.upto(gpus - 1)),
                      .segment = one_leaf ? 1 : segment,
                      .one_leaf = one_leaf};
      Answer answer = fleet.place(gang);
      INFO("round " << round << " step " << step);
      REQUIRE(muster::oracles::fault_of(fleet.nodes(), gang, answer) == "");
      if (auto* placement = std::get_if<Placement>(&answer)) {
        change(placement->nodes, -gang.gpus);
        held.emplace_back(gang.gpus, std::move(placement->nodes)), ++placed;
      }
      if (held.empty() || !random.one_in(3)) continue;
      std::swap(held[static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(held.size()) - 1))], held.back());
      change(held.back().second, held.back().first);
      held.pop_back();
    }
    for (const auto& [each, which] : held) change(which, each);
    for (const Node& node : fleet.nodes()) REQUIRE(node.gpus == gpus);
  }
  CHECK(placed > 3'000);
}

TEST_CASE("a leaf of many words of places, beside many small ones", "[gang]") {
  std::vector<Node> nodes(5'000);
  for (std::uint32_t i = 0; i < 5'000; ++i) nodes.push_back({.leaf = 1 + i});
  Inventory fleet(nodes);
  const auto take = [&](std::int64_t count) {
    const Answer answer = fleet.place({.nodes = count, .exclusive = true});
    for (const std::uint32_t node : std::get<Placement>(answer).nodes) fleet.set(node, {.untouched = false});
    return std::get<Placement>(answer).leaves;
  };
  CHECK(take(5'002) == 3);
  CHECK(take(4'998) == 4'998);
  CHECK(std::get<Shortage>(fleet.place({.nodes = 1, .exclusive = true})).busy == 10'000);
}

}  // namespace inventory_test
