// Inventory against place_gang on the same nodes, while what is free on them changes.
#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/inventory.h"
#include "tests/catch.h"
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

}  // namespace inventory_test
