// Kueue chooses flavors by quota, and may give pods one on whose nodes they have no room: the answer says so.
#include <string>

#include "tests/catch.h"
#include "tests/unit/plan_text.h"
#include "tests/unit/site_text.h"

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

// A queue with a topology finds nodes for one role after the other: those of `lead` may be two of one node, on which
// `rest` then has none.
TEST_CASE("of a flavor that a queue may choose, the room is that for one role after the other", "[fit][flavor]") {
  const auto says = [](const std::string& gang, const std::string& quotas, int cpus) {
    const auto found = plan_text(
        "fleet f {\n  pool gpus { nodes = 4  gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 34  memory "
        "= "
        "512GB } }\n  pool cpu { nodes = 2  node { cpus = 34  memory = 512GB } }\n}\nsite s {\n  fleet = f\n  plane p "
        "{ kind = kubernetes  version = \"1.36\"  namespace = \"x\"  gang = kueue  " +
        gang + " }\n  queue main { default = true }\n  tenant t { namespace = \"x\"  " + quotas +
        " }\n}\nworkload w { kind = train  image = \"x:1\"  command = [\"x\"]  role lead { resources { nodes = 2  cpus "
        "= " +
        std::to_string(cpus) + " } }  role rest { resources { nodes = 4  gpus = 4  cpus = 17 } } }\n");
    CHECK(found->fit().verdict == Verdict::fits);
    return found->fit().otherwise;
  };
  const std::string topology = "level leaf { label = \"l\" }",
                    gpus_first = "quota gpus { gpus = 32 }  quota cpu { cpus = 64 }",
                    cpus_first = "quota cpu { cpus = 64 }  quota gpus { gpus = 32 }";
  CHECK(says(topology, gpus_first, 8).find("Kueue places pods one by one") == 0);
  CHECK(says(topology, gpus_first, 7).empty());  // beside two of them a pod of 17 CPUs has room
  CHECK(says(topology, cpus_first, 8).empty());
  CHECK(says("", gpus_first, 8).find("kube-scheduler places pods one by one") == 0);
}

TEST_CASE("what a queue may choose is said of a workload beside others too", "[fit][flavor]") {
  const auto found = plan_text(
      "fleet f {\n  pool small { nodes = 4  gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 34  memory = "
      "512GB } }\n  pool large { nodes = 6  gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 98  memory = "
      "512GB } }\n}\nsite s {\n  fleet = f\n  plane p { kind = kubernetes  version = \"1.36\"  namespace = \"x\"  gang "
      "= "
      "kueue  level leaf { label = \"l\" } }\n  queue main { default = true }\n  tenant t { namespace = \"x\"  " +
      two + " }\n}\n" + [] {
        std::string all;
        for (const std::string name : {"a", "b", "c"})
          all +=
              "workload " + name +
              " { kind = train  nodes = 2  image = \"x:1\"  command = [\"x\"]  gpus = 2  cpus = 48  memory = 8GB }\n";
        return all;
      }());
  for (std::size_t i = 0; i < 3; ++i) {
    INFO(i);
    CHECK(found->fit(i).verdict == Verdict::fits);
    CHECK(found->fit(i).otherwise.find("may choose that of pool small") != std::string::npos);
  }
}

TEST_CASE("the head of a Ray cluster may get a flavor that its submitter does not tolerate", "[fit][flavor]") {
  const auto asked = [](const std::string& quotas, const std::string& toleration) {
    const auto read = read_site(
        "fleet f {\n  pool cpu { nodes = 1  node { cpus = 18  memory = 128GB } }\n  pool l40s { nodes = 1  gpu { model "
        "= "
        "l40s  memory = 48GB  count = 4 }  node { cpus = 18  memory = 256GB }  taint \"nvidia.com/gpu\" {} }\n}\nsite "
        "s "
        "{\n  fleet = f\n  plane p { kind = kubernetes  version = \"1.36\"  gang = kueue  level leaf { label = \"l\" } "
        "}\n"
        "  queue main { default = true }\n  tenant t { namespace = \"x\"  " +
        quotas + " }\n}\n");
    return read->fit_of(
        "apiVersion: ray.io/v1\nkind: RayJob\nmetadata:\n  name: r\n  namespace: x\n  labels: "
        "{kueue.x-k8s.io/queue-name: main}\nspec:\n  entrypoint: python a.py\n  rayClusterSpec:\n    "
        "headGroupSpec:\n      rayStartParams: {}\n      template:\n        spec:\n          containers: [{name: h, "
        "image: 'r:1', resources: {requests: {cpu: 2}, limits: {cpu: 2}}}]\n" +
            toleration +
            "    workerGroupSpecs:\n    - groupName: w\n      replicas: 1\n      minReplicas: 1\n      "
            "maxReplicas: 1\n      rayStartParams: {}\n      template:\n        spec:\n          tolerations: [{key: "
            "nvidia.com/gpu, operator: Exists}]\n          containers: [{name: w, image: 'r:1', resources: {limits: "
            "{cpu: 15500m, nvidia.com/gpu: 4}}}]\n",
        "job.yaml");
  };
  const std::string gpus_first = "quota l40s { gpus = 4  cpus = 32 }  quota cpu { cpus = 32 }",
                    cpus_first = "quota cpu { cpus = 32 }  quota l40s { gpus = 4  cpus = 32 }",
                    tolerates = "          tolerations: [{key: nvidia.com/gpu, operator: Exists}]\n";
  const plan::Fit fit = asked(gpus_first, tolerates);
  CHECK(fit.verdict == Verdict::fits);
  CHECK(fit.otherwise.find("may choose that of pool l40s for role head") != std::string::npos);
  CHECK(asked(cpus_first, tolerates).otherwise.empty());
  CHECK(asked(gpus_first, "").otherwise.empty());
}

}  // namespace other_flavor_test
