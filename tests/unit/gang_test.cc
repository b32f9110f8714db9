#include "scheduler/gang.h"

#include <variant>
#include <vector>

#include "tests/catch.h"

namespace unit_gang_test {

using namespace muster::scheduler;

namespace {

// One entry a leaf: how many empty nodes of 8 GPUs it has.
std::vector<Node> leaves_of(std::initializer_list<int> sizes) {
  std::vector<Node> nodes;
  std::uint32_t leaf = 0;
  for (int size : sizes) {
    for (int i = 0; i < size; ++i)
      nodes.push_back({.leaf = leaf, .gpus = 8, .gpus_total = 8, .cpus = 64, .memory = 512});
    ++leaf;
  }
  return nodes;
}

Placement placed(const std::vector<Node>& nodes, const Gang& gang) {
  const Answer answer = place_gang(nodes, gang);
  REQUIRE(std::holds_alternative<Placement>(answer));
  return std::get<Placement>(answer);
}

Shortage refused(const std::vector<Node>& nodes, const Gang& gang) {
  const Answer answer = place_gang(nodes, gang);
  REQUIRE(std::holds_alternative<Shortage>(answer));
  return std::get<Shortage>(answer);
}

using Indices = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("a gang takes the tightest leaf that holds it", "[gang]") {
  const Placement p = placed(leaves_of({6, 2, 3}), {.nodes = 2, .gpus = 8});
  CHECK(p.nodes == Indices{6, 7});
  CHECK(p.leaves == 1);
  CHECK(p.lower_bound == 1);
}

TEST_CASE("over several leaves the largest come first and the last is tight", "[gang]") {
  // 7 and then 3 more: leaf 2 (5) is tighter than leaf 0 (6).
  const Placement p = placed(leaves_of({6, 7, 5}), {.nodes = 10, .gpus = 8});
  CHECK(p.nodes == Indices{6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  CHECK(p.leaves == 2);
}

TEST_CASE("of equally few leaves those below one spine are taken", "[gang]") {
  // T5: the spine with most room (leaves 1 to 3) is not the one that needs fewest leaves.
  const std::vector<std::uint32_t> spines{0, 1, 1, 1};
  const auto only = std::get<Placement>(place_gang(leaves_of({6, 3, 5, 3}), {.nodes = 6, .gpus = 8}, spines));
  CHECK(only.leaves == 1);
  CHECK(only.spines == 1);
  // 7 and 6 would do as 6 and 6 do; those two lie below one spine.
  const auto pair = std::get<Placement>(place_gang(leaves_of({7, 6, 6}), {.nodes = 12, .gpus = 8}, {{0, 1, 1}}));
  CHECK(pair.leaves == 2);
  CHECK(pair.spines == 1);
  CHECK(pair.nodes.front() == 7);
  // 13 need the leaf of 7: two leaves, two spines, and no fewer.
  const auto two = std::get<Placement>(place_gang(leaves_of({7, 6, 6}), {.nodes = 13, .gpus = 8}, {{0, 1, 1}}));
  CHECK(two.spines == 2);
  CHECK(two.spine_bound == 2);
}

TEST_CASE("equal leaves are taken by number", "[gang]") {
  CHECK(placed(leaves_of({2, 2, 2}), {.nodes = 1, .gpus = 8}).nodes == Indices{0});
  CHECK(placed(leaves_of({2, 2, 2}), {.nodes = 3, .gpus = 8}).nodes == Indices{0, 1, 2});
}

TEST_CASE("partial nodes are packed first", "[gang]") {
  auto nodes = leaves_of({4});
  nodes[2].gpus = 4, nodes[2].untouched = false;
  nodes[3].gpus = 2, nodes[3].untouched = false;
  CHECK(placed(nodes, {.nodes = 1, .gpus = 2}).nodes == Indices{3});
  CHECK(placed(nodes, {.nodes = 1, .gpus = 4}).nodes == Indices{2});
  CHECK(placed(nodes, {.nodes = 2, .gpus = 4}).nodes == Indices{0, 2});
  CHECK(placed(nodes, {.nodes = 1, .gpus = 2, .exclusive = true}).nodes == Indices{0});
}

TEST_CASE("a shortage counts every node once", "[gang]") {
  auto nodes = leaves_of({8});
  nodes[0].usable = false;
  nodes[1].gpus = 0, nodes[1].untouched = false;
  nodes[2].gpus = 4, nodes[2].untouched = false;
  nodes[3].gpus = 2, nodes[3].untouched = false;
  nodes[4].gpus = nodes[4].gpus_total = 4;
  const Shortage s = refused(nodes, {.nodes = 4, .gpus = 8});
  CHECK(s.kind == Shortage::Kind::nodes);
  CHECK(s.need == 4);
  CHECK(s.have == 3);
  CHECK(s.fit == 3);
  CHECK(s.unusable == 1);
  CHECK(s.busy == 1);
  CHECK(s.partial == 2);
  CHECK(s.partial_gpus == 4);
  CHECK(s.too_small == 1);
}

TEST_CASE("CPUs and memory bind as GPUs do", "[gang]") {
  auto nodes = leaves_of({2});
  CHECK(refused(nodes, {.nodes = 1, .cpus = 65}).too_small == 2);
  CHECK(refused(nodes, {.nodes = 1, .memory = 513}).too_small == 2);
  nodes[0].cpus = 8, nodes[0].untouched = false;
  const Shortage s = refused(nodes, {.nodes = 2, .cpus = 64});
  CHECK(s.busy == 1);
  CHECK(s.fit == 1);
}

TEST_CASE("one leaf is one leaf", "[gang]") {
  const Shortage s = refused(leaves_of({3, 5, 4}), {.nodes = 6, .gpus = 8, .one_leaf = true});
  CHECK(s.kind == Shortage::Kind::one_leaf);
  CHECK(s.need == 6);
  CHECK(s.have == 5);
  CHECK(s.fit == 12);
  CHECK(placed(leaves_of({3, 5, 4}), {.nodes = 4, .gpus = 8, .segment = 2, .one_leaf = true}).nodes ==
        Indices{8, 9, 10, 11});
}

TEST_CASE("a segment never spans leaves", "[gang]") {
  const Shortage s = refused(leaves_of({3, 3, 3}), {.nodes = 8, .gpus = 8, .segment = 2});
  CHECK(s.kind == Shortage::Kind::segments);
  CHECK(s.need == 4);
  CHECK(s.have == 3);
  const Placement p = placed(leaves_of({3, 3, 3}), {.nodes = 6, .gpus = 8, .segment = 2});
  CHECK(p.nodes == Indices{0, 1, 3, 4, 6, 7});
  CHECK(p.leaves == 3);
}

TEST_CASE("a gang of nothing fits anywhere, a gang of something not on nothing", "[gang]") {
  CHECK(placed({}, {.nodes = 0}).nodes.empty());
  CHECK(refused({}, {.nodes = 1}).have == 0);
}

}  // namespace unit_gang_test
