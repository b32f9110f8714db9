// Kueue chooses flavors by quota, and may give pods one on whose nodes they have no room: the answer says so.
#include <string>

#include "tests/catch.h"
#include "tests/unit/plan_text.h"

namespace other_flavor_test {

using namespace muster;
using namespace muster::test;
using plan::Verdict;

namespace {

// Two pools: on nodes of `small` no pod of 48 CPUs has room.
std::string otherwise(const std::string& plane, const std::string& quotas, const std::string& job) {
  const auto found = plan_text(
      "fleet f {\n  pool small { nodes = 4  gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 34  memory = "
      "512GB } }\n  pool large { nodes = 2  gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 98  memory = "
      "512GB } }\n}\nsite s {\n  fleet = f\n  plane p { kind = kubernetes  version = \"1.36\"  namespace = \"x\"  " +
      plane + " }\n  queue main { default = true }\n  tenant t { namespace = \"x\"  " + quotas +
      " }\n}\nworkload w { kind = train  nodes = 2  image = \"x:1\"  command = [\"x\"]  " + job + " }\n");
  CHECK(found->fit().verdict == Verdict::fits);
  return found->fit().otherwise;
}

const std::string two = "quota small { gpus = 32 }  quota large { gpus = 16 }";

}  // namespace

TEST_CASE("a queue may choose another flavor for the same file", "[fit][flavor]") {
  for (const std::string gpus : {"gpus = 4  gpu = h100  ", "gpus = 4  ", ""}) {
    INFO(gpus);
    const std::string said = otherwise("gang = kueue", two, gpus + "cpus = 48  memory = 8GB");
    CHECK(said.find("admits by quota alone: it may choose a flavor of pool small") != std::string::npos);
    const std::string topology = "gang = kueue  level leaf { label = \"l\" }";
    const std::string near = otherwise(topology, two, gpus + "cpus = 48  memory = 8GB");
    CHECK(near.find("chooses the flavor by quota: it may choose that of pool small") != std::string::npos);
  }
}

TEST_CASE("a queue that has no such choice decides as the fit says", "[fit][flavor]") {
  const std::string large = "gpus = 4  cpus = 48  memory = 8GB", fair = "gpus = 4  cpus = 16  memory = 8GB";
  CHECK(otherwise("gang = kueue", two, fair).empty());
  // Flavors are tried in the order of the quotas, and only those that cover all pods of the role.
  CHECK(otherwise("gang = kueue", "quota large { gpus = 16 }  quota small { gpus = 32 }", large).empty());
  CHECK(otherwise("gang = kueue", "quota small { gpus = 7 }  quota large { gpus = 16 }", large).empty());
  CHECK(otherwise("gang = kueue", "quota small { gpus = 32  cpus = 95 }  quota large { gpus = 16 }", large).empty());
  CHECK(otherwise("gang = kueue  flavor all { pools = [small, large] }", "quota all { gpus = 48 }", large).empty());
  CHECK(otherwise("gang = volcano", "quota both { pools = [small, large]  gpus = 48 }", large).empty());
}

}  // namespace other_flavor_test
