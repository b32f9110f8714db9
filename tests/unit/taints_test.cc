// Which taints keep the pods of a workload off a pool: its files tolerate that of GPUs, whatever the queue does.
#include <string>

#include "tests/catch.h"
#include "tests/unit/plan_text.h"

namespace taints_test {

using namespace muster;
using namespace muster::test;
using plan::Verdict;

namespace {

struct Asked {
  std::string gpu = "model = h100  memory = 80GB  count = 8", taint, queue, job = "gpus = 8  cpus = 8  memory = 8GB";
  std::string plane = "kind = kubernetes  version = \"1.36\"  namespace = \"x\"  gang = volcano";
};

// Whether a job may have the only nodes that are large enough for it.
bool passes(const Asked& asked) {
  const auto found = plan_text(
      "fleet f {\n  pool big { nodes = 2  gpu { " + asked.gpu + " }  node { cpus = 64  memory = 512GB }\n    taint \"" +
      asked.taint + " }\n  pool small { nodes = 1  gpu { model = l4  memory = 24GB  count = 8 }  node { cpus = 9  " +
      "memory = 512GB } }\n}\nsite s {\n  fleet = f\n  plane p { " + asked.plane +
      " }\n  queue main { default = "
      "true " +
      asked.queue + " }\n}\nworkload w { kind = train  nodes = 2  image = \"x:1\"  command = [\"x\"]  " + asked.job +
      " }\n");
  return found->fit().verdict == Verdict::fits;
}

const std::string nvidia = "nvidia.com/gpu\" { value = \"present\" }", amd = "amd.com/gpu\" { effect = NoExecute }",
                  own = "team\" { value = \"ml\" }";
const std::string of_amd = "model = mi300x  memory = 192GB  count = 8  vendor = amd";
const std::string without_gpus = "cpus = 32  memory = 8GB";

}  // namespace

TEST_CASE("pods with GPUs pass the taint of their vendor's nodes", "[fit][taint]") {
  CHECK(passes({.taint = nvidia}));
  CHECK(passes({.gpu = of_amd, .taint = amd}));
  CHECK_FALSE(passes({.taint = amd}));
  CHECK_FALSE(passes({.gpu = of_amd, .taint = nvidia}));
  CHECK_FALSE(passes({.taint = own}));
}

TEST_CASE("pods without GPUs pass the taints that their queue tolerates", "[fit][taint]") {
  CHECK_FALSE(passes({.taint = nvidia, .job = without_gpus}));
  CHECK_FALSE(passes({.gpu = of_amd, .taint = amd, .job = without_gpus}));
  CHECK(passes({.taint = nvidia, .queue = "tolerates = \"nvidia.com/gpu\"", .job = without_gpus}));
  CHECK(passes({.taint = own, .queue = "tolerates = team", .job = without_gpus}));
  CHECK(passes({.taint = own, .queue = "tolerates = team"}));
}

TEST_CASE("a taint that only makes nodes less liked keeps no pod away", "[fit][taint]") {
  for (const std::string job : {std::string("gpus = 8  cpus = 8  memory = 8GB"), without_gpus}) {
    CHECK(passes({.taint = "team\" { effect = PreferNoSchedule }", .job = job}));
    CHECK_FALSE(passes({.taint = "team\" { effect = NoExecute }", .job = job}));
  }
}

}  // namespace taints_test
