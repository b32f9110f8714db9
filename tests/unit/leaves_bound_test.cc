// "no placement uses fewer": the bound speaks of all nodes that the file allows, not of the pool that was taken.
#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/plan_text.h"

namespace leaves_bound_test {

using namespace muster;
using namespace muster::test;

namespace {

// Leaves of nodes, each with room for so many pods or nodes of the role.
std::int64_t fewest(std::vector<std::int64_t> rooms, std::int64_t nodes) {
  std::sort(rooms.rbegin(), rooms.rend());
  std::int64_t count = 0;
  for (const std::int64_t room : rooms)
    if (nodes > 0) nodes -= room, ++count;
  return count;
}

}  // namespace

TEST_CASE("no placement that the file allows uses fewer leaves than are said", "[fit][leaves]") {
  std::mt19937 random(11);
  const auto drawn = [&](int from, int to) { return from + static_cast<int>(random() % (to - from + 1)); };
  int several = 0, sharp = 0;
  for (int turn = 0; turn < 120; ++turn) {
    const bool pods = turn % 2 == 0;
    std::string pools;
    std::vector<std::int64_t> rooms;
    std::int64_t room = 0;
    for (const char* name : {"a", "b", "c"}) {
      const int nodes = drawn(1, 6), leaf = drawn(1, 4), cpus = 16 * drawn(1, 3);
      pools += "pool " + std::string(name) + " { nodes = \"" + name + "[1-" + std::to_string(nodes) +
               "]\"  leaf-size = " + std::to_string(leaf) + "  node { cpus = " + std::to_string(cpus) +
               "  memory = 256GB  reserve-cpus = 0  reserve-memory = 0B } }\n";
      for (int first = 0; first < nodes; first += leaf) {
        rooms.push_back(std::min(leaf, nodes - first) * (pods ? cpus / 16 : 1));
        room += rooms.back();
      }
    }
    const std::int64_t asked = drawn(1, static_cast<int>(room));
    const std::string plane =
        pods ? "kind = kubernetes  version = \"1.36\"  gang = volcano" : "kind = slurm  version = \"24.05\"";
    const auto found =
        plan_text("fleet f {\n" + pools + "}\nsite s { fleet = f  plane p { " + plane +
                  " }  queue main { default = true } }\nworkload w { kind = train  image = \"x:1\"  command = "
                  "[\"x\"]  resources { nodes = " +
                  std::to_string(asked) + "  cpus = 16  memory = 1GB } }\n");
    INFO(pools << asked);
    REQUIRE(found->fit().verdict == plan::Verdict::fits);
    const std::int64_t least = fewest(rooms, asked);
    CHECK(found->fit().leaf_lower_bound <= least);
    CHECK(found->fit().leaf_switches >= least);
    several += least > 1;
    sharp += found->fit().leaf_lower_bound == least;
  }
  CHECK(several > 40);
  CHECK(sharp > 100);
}

}  // namespace leaves_bound_test
