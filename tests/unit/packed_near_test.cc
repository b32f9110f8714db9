// Pods that may share nodes, and must be in one domain: they fit if some domain, as a fleet of its own, has room.
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/property/random.h"
#include "tests/unit/plan_text.h"

namespace packed_near_test {

using namespace muster;
using namespace muster::test;
using plan::Verdict;
using property::Random;

namespace {

struct Lab {
  std::vector<std::int64_t> leaves;  // how many nodes each has
  std::vector<std::int64_t> busy;    // GPUs, by node
};

std::int64_t between(Random& random, std::int64_t low, std::int64_t high) { return low + random.upto(high - low); }

std::string number(std::int64_t n) { return std::to_string(n); }

// With nodes of one leaf alone, or of all of them.
std::string fleet_of(const Lab& lab, std::int64_t only) {
  std::string leaves, uses;
  std::int64_t first = 0, from = 0, to = 0;
  for (std::size_t l = 0; l < lab.leaves.size(); ++l) {
    const std::int64_t next = first + lab.leaves[l];
    const bool counts = only < 0 || only == static_cast<std::int64_t>(l);
    if (counts) {
      if (to == 0) from = first;
      to = next;
      leaves += "    leaf l" + number(first) + " { nodes = \"n[" + number(first + 1) + "-" + number(next) + "]\" }\n";
    }
    for (std::int64_t n = first; n < next && counts; ++n)
      if (const std::int64_t gpus = lab.busy[static_cast<std::size_t>(n)]; gpus > 0)
        uses += "    in-use u" + number(n) + " { nodes = \"n" + number(n + 1) + "\"  gpus = " + number(gpus) + " }\n";
    first = next;
  }
  return "fleet f {\n  pool a {\n    nodes = \"n[" + number(from + 1) + "-" + number(to) + "]\"\n" +
         "    gpu { model = h100  memory = 80GB  count = 8 }\n    node { cpus = 64  memory = 512GB }\n" + leaves +
         uses +
         "  }\n}\nsite s {\n  fleet = f\n  plane p { kind = kubernetes  version = \"1.36\"  namespace = \"x\"  gang = "
         "kueue  level leaf { label = \"leaf\" } }\n  queue main { default = true }\n}\n";
}

std::unique_ptr<Planned> asked(const Lab& lab, std::int64_t only, const std::string& job) {
  const std::string workload = "workload w { kind = train  image = \"x:1\"  command = [\"x\"]  ";
  return plan_text(fleet_of(lab, only) + workload + job + " }\n");
}

}  // namespace

TEST_CASE("pods of one leaf that share nodes fit where a leaf has room", "[fit][packed]") {
  Random random(7);
  std::int64_t fits = 0, cases = 0;
  for (int i = 0; i < 120; ++i) {
    Lab lab;
    for (std::int64_t l = between(random, 1, 4); l > 0; --l) lab.leaves.push_back(between(random, 1, 3));
    for (const std::int64_t nodes : lab.leaves)
      for (std::int64_t n = 0; n < nodes; ++n) lab.busy.push_back(random.one_in(4) ? between(random, 1, 8) : 0);
    const std::string pods = "resources { nodes = " + number(between(random, 2, 12)) +
                             "  gpus = " + number(std::int64_t{1} << between(random, 0, 2)) +
                             "  cpus = " + number(between(random, 1, 31)) + "  memory = 8GB }";
    const auto near = asked(lab, -1, pods + "  topology { within = leaf  required = true }");
    for (auto level : {&plan::Fit::capacity, &plan::Fit::now}) {
      bool room = false;
      for (std::size_t l = 0; l < lab.leaves.size(); ++l)
        room |= (asked(lab, static_cast<std::int64_t>(l), pods)->fit().*level).verdict == Verdict::fits;
      INFO(fleet_of(lab, -1) << pods << near->why(near->fit().*level));
      REQUIRE((near->fit().*level).verdict == (room ? Verdict::fits : Verdict::does_not_fit));
      ++cases, fits += room;
    }
    if (near->fit().verdict == Verdict::fits) {
      CHECK(near->fit().leaf_switches == 1);
      CHECK(near->fit().leaf_lower_bound == 1);
    }
  }
  CHECK(fits > cases / 10);
  CHECK(fits < cases * 9 / 10);
}

TEST_CASE("replicas of one leaf each share nodes", "[fit][packed]") {
  const Lab lab{{1, 2}, {0, 0, 4}};
  const auto batch = [&](int replicas, const std::string& nodes) {
    return asked(lab, -1,
                 "replicas = " + number(replicas) + "  resources { nodes = " + nodes +
                     "  gpus = 2  cpus = 2  memory = 8GB }  topology { within = leaf  required = true }");
  };
  // 4 pods have room in the first leaf, 6 in the second, of whose nodes one is half in use.
  CHECK(batch(3, "3")->fit().verdict == Verdict::fits);
  CHECK(batch(4, "3")->fit().verdict == Verdict::does_not_fit);
  CHECK(batch(4, "2")->fit().verdict == Verdict::fits);
  const auto many = batch(4, "3");
  CHECK(many->why(many->fit().now) ==
        "needs 4 replicas, each 3 pods with 2 h100 GPUs inside one leaf switch; pool a has room for 3; "
        "3 of 4 replicas fit");
}

}  // namespace packed_near_test
