// Which taints keep the pods of a workload off a pool: its files tolerate that of GPUs, whatever the queue does.
#include <string>

#include "tests/catch.h"
#include "tests/unit/plan_text.h"
#include "tests/unit/site_text.h"

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

TEST_CASE("manifests pass the taint of GPU nodes by their tolerations, one that a cloud adds is not known",
          "[fit][taint]") {
  struct Vendor {
    std::string resource, gpu;
  };
  const Vendor vendors[] = {{"nvidia.com/gpu", "model = h100  memory = 80GB  count = 8"}, {"amd.com/gpu", of_amd}};
  std::size_t asked = 0;
  for (const Vendor& v : vendors)
    for (const bool open : {false, true})  // nodes of the same GPUs without the taint
      for (const bool gpus : {false, true})
        for (const bool tolerates : {false, true})
          for (const std::string effect : {"NoSchedule", "NoExecute"}) {
            const std::string node = "gpu { " + v.gpu + " }  node { cpus = 64  memory = 512GB }  ";
            const std::string site =
                "fleet f { pool a { nodes = 1  " + node + "taint \"" + v.resource + "\" { effect = " + effect + " } }" +
                (open ? "  pool b { nodes = 1  " + node + "}" : "") +
                "  pool c { nodes = 1  node { cpus = 4  memory = 16GB } } }\nsite s { fleet = f  "
                "plane p { kind = kubernetes  version = \"1.36\" }  queue q { default = true } }\n";
            const std::string manifest =
                "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n  template:\n    spec:\n"
                "      restartPolicy: Never\n" +
                (tolerates ? "      tolerations: [{key: " + v.resource + ", operator: Exists}]\n" : std::string()) +
                "      containers: [{name: a, image: b, resources: {requests: {cpu: \"8\"}, limits: {" +
                (gpus ? v.resource + ": 1" : std::string()) + "}}}]\n";
            INFO(site << manifest);
            const Verdict right = tolerates || open ? Verdict::fits : gpus ? Verdict::unknown : Verdict::does_not_fit;
            CHECK(read_site(site)->fit_of(manifest, "j.yaml").capacity.verdict == right);
            ++asked;
          }
  CHECK(asked == 32);
}

}  // namespace taints_test
