// Pools that a spec does not allow, with the labels of one that it allows: its file keeps their nodes out.
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/plan_text.h"

namespace kept_out_test {

using namespace muster;
using namespace muster::test;

namespace {

using Names = std::vector<std::string>;

// Two purchases of one model, and another model. `a` has less memory.
Names kept_out(const std::string& of_a, const std::string& asks, const std::string& plane = "kind = kubernetes") {
  const auto found = plan_text(
      "fleet f {\n  pool a { nodes = \"a[1-2]\"  gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 64  "
      "memory = 256GB }  " +
      of_a +
      " }\n  pool b { nodes = \"b[1-2]\"  gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 64  "
      "memory = 512GB } }\n  pool c { nodes = \"c[1-2]\"  gpu { model = l4  memory = 24GB  count = 8 }  node { cpus = "
      "64  memory = 256GB } }\n}\nsite s {\n  fleet = f\n  plane p { " +
      plane +
      " }\n  queue main { default = true }\n}\nworkload w { kind = train  image = \"x:1\"  command = [\"x\"]  gpus = "
      "8  cpus = 8  memory = 8GB  " +
      asks + " }\n");
  return found->plans.at(0).roles.at(0).kept_out;
}

}  // namespace

TEST_CASE("a file keeps out the nodes that it cannot tell from those that the spec allows", "[fit][require]") {
  const std::string large = "require node.memory >= 400GB";
  CHECK(kept_out("", large) == Names{"a1", "a2"});
  CHECK(kept_out("preemptible = true", "gpu = h100") == Names{"a1", "a2"});
  CHECK(kept_out("taint \"nvidia.com/gpu\" { }", large) == Names{"a1", "a2"});
}

TEST_CASE("a file names no nodes that it does not reach", "[fit][require]") {
  const std::string large = "require node.memory >= 400GB";
  CHECK(kept_out("", "gpu = h100").empty());
  CHECK(kept_out("", "require gpu.memory >= 80GB").empty());
  CHECK(kept_out("zone = \"z\"", large).empty());
  CHECK(kept_out("taint team { value = \"ml\" }", large).empty());
  CHECK(kept_out("preemptible = true", "preemptible = true").empty());
  CHECK(kept_out("", large, "kind = slurm").empty());
}

}  // namespace kept_out_test
