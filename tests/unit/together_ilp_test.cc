// Gangs together at sizes between brute force and a fleet, beside a solver of integer programs.
#include <cstdlib>
#include <filesystem>
#include <random>
#include <variant>
#include <vector>

#include "tests/catch.h"
#include "tests/oracles/ilp_oracle.h"
#include "tests/oracles/together_oracle.h"
#include "tests/temp_folder.h"

namespace together_ilp_test {

using namespace muster;
using namespace muster::scheduler;

namespace {

struct Scene {
  std::vector<Node> nodes;
  std::vector<Member> members;
  bool apart = false;
};

// 16 to 32 nodes on six leaves, three or four gangs that together ask for about what there is.
Scene scene_of(std::mt19937& random) {
  Scene scene;
  scene.apart = random() % 4 == 0;
  const std::uint32_t count = 16 + random() % 17;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto free = static_cast<std::int32_t>(random() % 3 == 0 ? random() % 8 : 8);
    scene.nodes.push_back({.leaf = static_cast<std::uint32_t>(random() % 6),
                           .gpus = free,
                           .gpus_total = 8,
                           .cpus = 4 * free,
                           .memory = 64,
                           .untouched = free == 8});
  }
  for (std::uint32_t i = 0, n = 3 + random() % 2; i < n; ++i) {
    Gang gang{.nodes = static_cast<std::int64_t>(2 + random() % (count / 3)), .gpus = 1 << random() % 4};
    gang.cpus = random() % 4 == 0 ? 20 : 2 * gang.gpus;
    gang.exclusive = random() % 10 == 0;
    gang.one_leaf = gang.nodes <= 3 && random() % 3 == 0;
    scene.members.push_back({gang});
  }
  return scene;
}

}  // namespace

TEST_CASE("gangs together: a solver of integer programs agrees", "[together][ilp]") {
  if (!oracles::have_solver()) {
    WARN("skipped: no glpsol (Debian: glpk-utils)");
    return;
  }
  const char* given = std::getenv("MUSTER_CASES");
  const int cases = given != nullptr ? std::atoi(given) : 15;
  const tests::TempFolder folder;
  std::mt19937 random(3);
  int fits = 0, minimal = 0, refused = 0, unknown = 0, undecided = 0;
  for (int i = 0; i < cases; ++i) {
    INFO("case " << i);
    const Scene scene = scene_of(random);
    const JointAnswer answer = place_together(scene.nodes, scene.members, {.apart = scene.apart});
    REQUIRE(oracles::fault_of(scene.nodes, scene.members, scene.apart, answer) == "");
    const oracles::Solved truth = oracles::solve(scene.nodes, scene.members, scene.apart, folder.path().string());
    if (!truth.decided) {
      ++undecided;
    } else if (const Together* t = std::get_if<Together>(&answer)) {
      ++fits;
      REQUIRE(truth.fewest);
      REQUIRE(t->lower_bound <= *truth.fewest);
      REQUIRE(t->leaves >= *truth.fewest);
      minimal += t->leaves == *truth.fewest ? 1 : 0;
    } else if (std::holds_alternative<GaveUp>(answer)) {
      ++unknown;
    } else {
      ++refused;
      REQUIRE_FALSE(truth.fewest);
    }
  }
  if (given != nullptr)
    WARN(cases << " cases: " << fits << " fit (" << minimal << " on the fewest leaves), " << refused << " refused, "
               << unknown << " unknown, " << undecided << " not decided by the solver");
  CHECK(fits + refused > cases / 2);
}

}  // namespace together_ilp_test
