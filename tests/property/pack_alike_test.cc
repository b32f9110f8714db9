// Pods with whole GPUs by what the leaves have room for, beside the search that looks at every node.
#include <variant>
#include <vector>

#include "scheduler/packing.h"
#include "tests/catch.h"
#include "tests/property/random.h"

namespace pack_alike_test {

using namespace muster::scheduler;
using muster::property::Random;

namespace {

std::vector<Node> random_nodes(Random& random) {
  std::vector<Node> nodes;
  for (std::int64_t n = 1 + random.upto(30); n > 0; --n) {
    Node node;
    node.leaf = static_cast<std::uint32_t>(random.upto(5));
    node.gpus_total = 8;
    node.gpus = random.one_in(2) ? 8 : static_cast<std::int32_t>(random.upto(8));
    node.untouched = node.gpus == 8;
    node.cpus = random.one_in(2) ? 64 : random.upto(64);
    node.memory = random.one_in(2) ? 512 : random.upto(512);
    node.usable = !random.one_in(9);
    nodes.push_back(node);
  }
  return nodes;
}

std::vector<PackNode> as_packed(std::span<const Node> nodes) {
  std::vector<PackNode> out;
  for (const Node& node : nodes) {
    out.push_back({node.leaf, {}, node.cpus, node.memory, node.usable});
    out.back().devices.resize(static_cast<std::size_t>(node.gpus));
  }
  return out;
}

PodGang random_gang(Random& random) {
  PodGang gang;
  gang.pods = 1 + random.upto(random.one_in(3) ? 60 : 12);
  gang.a_node = random.one_in(3) ? 1 : 1 + random.upto(9);
  gang.devices = static_cast<std::int32_t>(random.upto(4));
  gang.cpus = random.one_in(2) ? random.upto(20) : 0;
  gang.memory = random.one_in(3) ? random.upto(200) : 0;
  return gang;
}

}  // namespace

TEST_CASE("alike pods are packed without a look at each node as they are with one", "[property][packing]") {
  Random random(99);
  int packed = 0, refused = 0;
  for (int i = 0; i < 3'000; ++i) {
    std::vector<std::uint32_t> spines;
    for (int leaf = 0; leaf < 6 && random.one_in(2); ++leaf) spines.resize(6);
    for (std::uint32_t& spine : spines) spine = static_cast<std::uint32_t>(random.upto(2));
    Inventory stock(random_nodes(random), spines);
    for (int step = 0; step < 4; ++step) {
      const PodGang gang = random_gang(random);
      const PodGang gangs[] = {gang};
      const PackAnswer answer = pack(as_packed(stock.nodes()), {}, gangs, {.spine_of_leaf = stock.spine_of_leaf()});
      const auto found = pack_alike(stock, gang);
      INFO("case " << i << ", step " << step);
      const auto* searched = std::get_if<Packed>(&answer);
      REQUIRE(found.has_value() == (searched != nullptr));
      ++(found ? packed : refused);
      if (found) {
        REQUIRE(found->seats == searched->seats);
        REQUIRE(found->leaves == searched->leaves);
        REQUIRE(found->lower_bound == searched->lower_bound);
        REQUIRE(found->spines == searched->spines);
        REQUIRE(found->spine_bound == searched->spine_bound);
      }
      Node node = random_nodes(random).front();
      stock.set(static_cast<std::uint32_t>(random.upto(static_cast<std::int64_t>(stock.nodes().size()) - 1)), node);
    }
  }
  CHECK(packed > 3'000);
  CHECK(refused > 1'000);
}

}  // namespace pack_alike_test
