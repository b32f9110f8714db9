// Kinds with several pod templates whose programs differ: each pod keeps its own, and another target refuses the
// workload. Each part of a container that can differ.
#include "compiler/data/read.h"
#include "compiler/data/write.h"
#include "tests/catch.h"
#include "tests/unit/again_scene.h"

namespace manifest_twins_test {

using namespace muster;
using tests::Again;

namespace {

data::Node object_of(const std::string& yaml, std::string_view kind) {
  Sources sources;
  for (data::Document& document : data::read_yaml(sources, sources.add("a.yaml", yaml)).documents)
    if (document.root.get("kind") != nullptr && document.root.get("kind")->text == kind) return document.root;
  return {};
}

// What the first container of a pod runs and with what, one a line.
std::string runs(const data::Node& object, const std::string& path) {
  const data::Node* containers = object.at(path + ".template.spec.containers");
  if (containers == nullptr) containers = object.at(path + ".spec.containers");
  if (containers == nullptr || containers->items.empty()) return "no container";
  const data::Node& first = containers->items.front();
  std::string out;
  for (const char* key : {"command", "args"})
    if (first.get(key) != nullptr)
      for (const data::Node& word : first.get(key)->items) out += word.text + "\n";
  for (const char* key : {"image", "env", "workingDir", "resources"})
    out += std::string(key) + " " + (first.get(key) == nullptr ? "-" : data::to_json(*first.get(key))) + "\n";
  return out + std::to_string(containers->items.size());
}

// What a template has instead of the parts that both have.
const std::string own_parts[] = {
    "command: [serve]",
    "command: [run, worker]",
    "command: [run], args: [worker]",
    "command: [bash, -c, \"cd /a; run worker\"]",
    "command: [run], env: [{name: A, value: \"2\"}]",
    "command: [run], env: [{name: A, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]",
    "command: [run], env: [{name: B, value: \"1\"}]",
    "command: [run], envFrom: [{configMapRef: {name: c}}]",
    "command: [run], workingDir: /b",
    "command: [run], image: \"other:2\"",
};

std::string container(const std::string& parts, const std::string& gpus) {
  const std::string image = parts.find("image:") == std::string::npos ? ", image: \"x:1\"" : "";
  return "{spec: {containers: [{name: pytorch" + image + ", " + parts +
         ", resources: {limits: {nvidia.com/gpu: " + gpus + "}}}]}}";
}

}  // namespace

TEST_CASE("pods that run another program keep it", "[manifest-import][twins]") {
  int cases = 0;
  const std::string base = "command: [run], env: [{name: A, value: \"1\"}]";
  for (const std::string kind : {"LeaderWorkerSet", "PyTorchJob"})
    for (const std::string& part : own_parts)
      for (const bool swapped : {false, true})
        for (const std::string gpus : {"8", "0", "4"}) {
          ++cases;
          const std::string first = container(swapped ? part : base, "8"),
                            second = container(swapped ? base : part, gpus);
          const std::string yaml =
              kind == "PyTorchJob"
                  ? "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec: {pytorchReplicaSpecs: "
                    "{Master: {replicas: 1, template: " +
                        first + "}, Worker: {replicas: 1, template: " + second + "}}}\n"
                  : "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: a}\nspec: "
                    "{replicas: 1, leaderWorkerTemplate: {size: 2, restartPolicy: RecreateGroupOnPodRestart, "
                    "leaderTemplate: " +
                        first + ", workerTemplate: " + second + "}}\n";
          Again again(yaml);
          INFO(yaml << again.workload << again.why);
          REQUIRE(again.imported());
          const std::string same = again.same_kind();
          INFO(same << again.why);
          const data::Node before = object_of(yaml, kind), after = object_of(same, kind);
          const bool torch = kind == "PyTorchJob";
          const std::string one =
              torch ? "spec.pytorchReplicaSpecs.Master" : "spec.leaderWorkerTemplate.leaderTemplate";
          const std::string other =
              torch ? "spec.pytorchReplicaSpecs.Worker" : "spec.leaderWorkerTemplate.workerTemplate";
          // One of them is kept as it is; of the other the program is.
          const std::string kept = torch ? one : other;
          CHECK(runs(after, kept) == runs(before, kept));
          const std::string lifted = kept == one ? other : one;
          const std::string program = runs(before, lifted).substr(0, runs(before, lifted).find("image"));
          if (part.find("bash") == std::string::npos) CHECK(runs(after, lifted).starts_with(program));
          CHECK(again.on_slurm().empty());
          CHECK(again.why.find("run another program") != std::string::npos);
        }
  CHECK(cases == 120);
}

TEST_CASE("an item of `env` never has both a value and a source", "[manifest-import][twins]") {
  const std::string base = container("command: [run], env: [{name: A, value: \"1\"}]", "8");
  const std::string other = container(own_parts[5], "8");
  Again again(
      "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: a}\nspec: {replicas: 1, "
      "leaderWorkerTemplate: {size: 2, leaderTemplate: " +
      base + ", workerTemplate: " + other + "}}\n");
  const data::Node after = object_of(again.same_kind(), "LeaderWorkerSet");
  for (const char* pods : {"leaderTemplate", "workerTemplate"}) {
    const data::Node* containers = after.at("spec.leaderWorkerTemplate." + std::string(pods) + ".spec.containers");
    REQUIRE(containers != nullptr);
    for (const data::Node& item : containers->items.front().get("env")->items)
      CHECK((item.get("value") == nullptr || item.get("valueFrom") == nullptr));
  }
}

TEST_CASE("templates that differ in how a pod is reached are one program", "[manifest-import][twins]") {
  Again again(
      "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: a}\nspec: {replicas: 1, "
      "leaderWorkerTemplate: {size: 2, leaderTemplate: " +
      container("command: [run], ports: [{containerPort: 80}], readinessProbe: {tcpSocket: {port: 80}}", "8") +
      ", workerTemplate: " + container("command: [run]", "8") + "}}\n");
  INFO(again.workload);
  CHECK(again.workload.find("worker =") == std::string::npos);
}

}  // namespace manifest_twins_test
