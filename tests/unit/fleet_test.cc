#include "scheduler/fleet.h"

#include <random>
#include <set>
#include <vector>

#include "tests/catch.h"
#include "tests/oracles/gang_oracle.h"

namespace fleet_test {

using namespace muster;
using scheduler::Ask;
using scheduler::Fleet;
using scheduler::Lease;

namespace {

using Numbers = std::vector<std::uint32_t>;

// The same fleet kept node by node.
struct Ledger {
  std::vector<scheduler::Node> nodes;

  Ledger(const Numbers& leaves, std::uint32_t units) {
    for (const std::uint32_t leaf : leaves)
      nodes.push_back({.leaf = leaf, .gpus = static_cast<int>(units), .gpus_total = static_cast<int>(units)});
  }
  void change(const Numbers& which, std::int32_t more) {
    for (const std::uint32_t node : which) nodes[node].gpus += more;
  }
};

scheduler::Gang gang_of(const Ask& ask) {
  return {.nodes = ask.nodes, .gpus = static_cast<int>(ask.units), .segment = ask.segment, .one_leaf = ask.one_leaf};
}

// "" if the lease is one of the best, in every number.
std::string fault_of(const Fleet& fleet, const Ledger& before, const Ask& ask, bool placed, const Lease& lease) {
  const auto fewest = oracles::fewest_leaves(before.nodes, gang_of(ask));
  if (placed != fewest.has_value()) return placed ? "placed what does not fit" : "refused what fits";
  if (!placed) return lease.pieces.empty() ? "" : "a refusal holds something";
  const Numbers nodes = fleet.nodes_of(lease);
  if (nodes.size() != ask.nodes) return "wrong number of nodes";
  std::set<std::uint32_t> distinct(nodes.begin(), nodes.end()), used;
  if (distinct.size() != nodes.size()) return "a node twice";
  for (const std::uint32_t node : nodes) {
    used.insert(before.nodes[node].leaf);
    if (before.nodes[node].gpus < static_cast<int>(ask.units)) return "a node without room";
  }
  return used.size() == lease.leaves && lease.leaves == *fewest ? "" : "not the fewest leaves";
}

struct Scene {
  Numbers leaves;
  std::uint32_t units;
};

Scene small_scene(std::mt19937& random) {
  Scene scene{{}, random() % 3 == 0 ? 1 : static_cast<std::uint32_t>(1 + random() % 8)};
  const std::uint32_t leaves = 1 + random() % 5;
  for (std::uint32_t i = 0, n = 1 + random() % 14; i < n; ++i) scene.leaves.push_back(random() % leaves);
  return scene;
}

Ask small_ask(std::mt19937& random, std::uint32_t units) {
  Ask ask{1, static_cast<std::uint32_t>(1 + random() % units), static_cast<std::uint32_t>(1 + random() % 3), false};
  ask.nodes = ask.segment * static_cast<std::uint32_t>(1 + random() % 4);
  ask.one_leaf = random() % 5 == 0;
  if (ask.one_leaf) ask.segment = 1;
  return ask;
}

}  // namespace

TEST_CASE("a fleet under churn answers as brute force does, and gives back to the bit", "[fleet][property]") {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    const Scene scene = small_scene(random);
    Fleet fleet(scene.leaves, scene.units);
    const Fleet empty = fleet;
    Ledger ledger(scene.leaves, scene.units);
    std::vector<Lease> held;
    for (int step = 0; step < 25; ++step) {
      const Ask ask = small_ask(random, scene.units);
      Lease lease;
      const bool placed = fleet.place(ask, lease);
      INFO("round " << round << " step " << step);
      REQUIRE(fault_of(fleet, ledger, ask, placed, lease) == "");
      if (placed) ledger.change(fleet.nodes_of(lease), -static_cast<std::int32_t>(ask.units)), held.push_back(lease);
      if (held.empty() || random() % 3 != 0) continue;
      std::swap(held[random() % held.size()], held.back());
      fleet.release(held.back());
      ledger.change(fleet.nodes_of(held.back()), static_cast<std::int32_t>(held.back().units));
      held.pop_back();
      for (std::uint32_t node = 0; node < ledger.nodes.size(); ++node)
        REQUIRE(static_cast<int>(fleet.free_units(node)) == ledger.nodes[node].gpus);
    }
    for (const Lease& lease : held) fleet.release(lease);
    REQUIRE(fleet == empty);
  }
}

TEST_CASE("a fleet takes the tightest leaf, and partial nodes before whole ones", "[fleet]") {
  Fleet fleet(Numbers{0, 0, 0, 0, 1, 1, 2, 2, 2}, 8);
  Lease lease;
  REQUIRE(fleet.place({.nodes = 2, .units = 8}, lease));
  CHECK(fleet.nodes_of(lease) == Numbers{4, 5});
  CHECK(fleet.take(7, 5) == 5);
  REQUIRE(fleet.place({.nodes = 1, .units = 2}, lease));
  CHECK(fleet.nodes_of(lease) == Numbers{7});
  CHECK(fleet.free_units(7) == 1);
}

TEST_CASE("what a fleet has, in the numbers of a certificate", "[fleet]") {
  Fleet fleet(Numbers{0, 0, 0, 0, 0, 1, 1, 1}, 8);
  CHECK(fleet.nodes_with(8) == 8);
  CHECK(fleet.fullest_leaf(8) == 5);
  CHECK(fleet.segments_with(8, 2) == 3);
  CHECK(fleet.take(0, 100) == 8);
  CHECK(fleet.nodes_with(8) == 7);
  Lease lease;
  CHECK_FALSE(fleet.place({.nodes = 8, .units = 8}, lease));
  CHECK_FALSE(fleet.place({.nodes = 1, .units = 9}, lease));
  CHECK_FALSE(fleet.place({.nodes = 1, .units = 0}, lease));
}

TEST_CASE("a leaf of more nodes than a word has bits, beside many small ones", "[fleet]") {
  Numbers leaves(5'000, 0);
  for (std::uint32_t i = 0; i < 5'000; ++i) leaves.push_back(1 + i);
  Fleet fleet(leaves, 1);
  const Fleet empty = fleet;
  Lease lease, rest;
  REQUIRE(fleet.place({.nodes = 5'002}, lease));
  CHECK(lease.leaves == 3);
  REQUIRE(fleet.place({.nodes = 4'998}, rest));
  CHECK(rest.leaves == 4'998);
  fleet.release(lease);
  fleet.release(rest);
  CHECK(fleet == empty);
}

}  // namespace fleet_test
