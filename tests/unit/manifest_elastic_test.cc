// Elastic PyTorchJobs: `replicas` is the size, the policy stays as it is, and another target starts that size with a
// rendezvous. Each bound that may be there or not, with each way to say the processes and the backend.
#include "compiler/data/read.h"
#include "compiler/data/write.h"
#include "tests/catch.h"
#include "tests/unit/again_scene.h"
#include "tests/unit/import_scene.h"

namespace manifest_elastic_test {

using namespace muster;
using tests::Again;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The object of that kind among YAML documents.
data::Node object_of(const std::string& yaml, std::string_view kind) {
  Sources sources;
  for (data::Document& document : data::read_yaml(sources, sources.add("a.yaml", yaml)).documents)
    if (document.root.get("kind") != nullptr && document.root.get("kind")->text == kind) return document.root;
  return {};
}

std::string json_at(const data::Node& object, std::string_view path) {
  const data::Node* found = object.at(path);
  return found == nullptr ? "-" : std::string(trimmed(data::to_json(*found), "\n"));
}

}  // namespace

TEST_CASE("an elastic PyTorchJob keeps its size and its policy", "[manifest-import][elastic]") {
  const std::string bounds[] = {"minReplicas: 1, maxReplicas: 16",
                                "minReplicas: 4, maxReplicas: 16",
                                "minReplicas: 1, maxReplicas: 4",
                                "minReplicas: 4, maxReplicas: 4",
                                "maxReplicas: 16",
                                "minReplicas: 2",
                                ""};
  const std::string more[] = {"", "rdzvBackend: c10d", "rdzvBackend: etcd-v2, rdzvHost: etcd, rdzvPort: 2379",
                              "nProcPerNode: 4", "rdzvBackend: c10d, maxRestarts: 3"};
  const std::string programs[] = {"[torchrun, train.py]", "[python, -m, torch.distributed.run, train.py]",
                                  "[bash, -c, \"pip install a; torchrun train.py\"]"};
  int cases = 0;
  for (const std::string& bound : bounds)
    for (const std::string& rest : more)
      for (const std::string& program : programs)
        for (const std::string& each : {std::string(), std::string("nprocPerNode: \"4\", ")}) {
          ++cases;
          const std::string policy = "{" + bound + (bound.empty() || rest.empty() ? "" : ", ") + rest + "}";
          const std::string yaml =
              "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: el}\nspec: {" + each +
              "elasticPolicy: " + policy +
              ", pytorchReplicaSpecs: {Worker: {replicas: 4, restartPolicy: OnFailure, template: {spec: {containers: "
              "[{name: pytorch, image: x, command: " +
              program + ", resources: {limits: {nvidia.com/gpu: 4}}}]}}}}}\n";
          Again again(yaml);
          INFO(yaml << again.workload << again.why);
          REQUIRE(again.imported());
          CHECK(has(tests::one_line(again.workload), " nodes = 4 "));
          const std::string same = again.same_kind();
          INFO(same << again.why);
          const data::Node before = object_of(yaml, "PyTorchJob"), after = object_of(same, "PyTorchJob");
          CHECK(json_at(after, "spec.elasticPolicy") == json_at(before, "spec.elasticPolicy"));
          CHECK(json_at(after, "spec.nprocPerNode") == json_at(before, "spec.nprocPerNode"));
          CHECK(json_at(after, "spec.pytorchReplicaSpecs.Worker.replicas") == "4");
          CHECK(json_at(after, "spec.pytorchReplicaSpecs.Master") == "-");
          const std::string slurm = again.on_slurm();
          INFO(slurm << again.why);
          CHECK(has(slurm, "#SBATCH --nodes=4\n"));
          const bool words = !has(program, "bash");  // of a text torchrun finds the same in its variables
          CHECK(has(slurm, words ? "--rdzv_endpoint=" : "PET_RDZV_ENDPOINT="));
          CHECK(has(slurm, words ? "--nnodes=4" : "PET_NNODES=4"));
        }
  CHECK(cases == 210);
}

TEST_CASE("an elastic job with a Master keeps both", "[manifest-import][elastic]") {
  Again again(
      "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: el}\nspec: {elasticPolicy: {minReplicas: 1, "
      "maxReplicas: 3}, pytorchReplicaSpecs: {Master: {replicas: 1, template: &t {spec: {containers: [{name: pytorch, "
      "image: x, command: [torchrun, train.py]}]}}}, Worker: {replicas: 2, template: *t}}}\n");
  INFO(again.workload << again.why);
  const data::Node after = object_of(again.same_kind(), "PyTorchJob");
  CHECK(json_at(after, "spec.pytorchReplicaSpecs.Master.replicas") == "1");
  CHECK(json_at(after, "spec.pytorchReplicaSpecs.Worker.replicas") == "2");
  CHECK(json_at(after, "spec.elasticPolicy.maxReplicas") == "3");
}

TEST_CASE("torchrun that names the size stays at it, and one that names the range follows it",
          "[manifest-import][elastic]") {
  for (const auto& [option, kept] : {std::pair{"--nnodes=4", true}, {"--nnodes=1:16", false}}) {
    Again again(
        "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: el}\nspec: {elasticPolicy: {minReplicas: 1, "
        "maxReplicas: 16}, pytorchReplicaSpecs: {Worker: {replicas: 4, template: {spec: {containers: [{name: pytorch, "
        "image: x, command: [torchrun, \"" +
        std::string(option) + "\", train.py]}]}}}}}\n");
    INFO(again.workload << again.why);
    CHECK(has(again.same_kind(), option) == kept);
    CHECK(has(again.on_slurm(), "#SBATCH --nodes=4\n"));
  }
}

}  // namespace manifest_elastic_test
