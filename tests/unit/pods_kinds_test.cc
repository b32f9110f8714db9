// Targets of pods: which objects a workload becomes, and what their own words say.
#include "tests/unit/pods_scene.h"

using namespace muster;
using namespace muster::test;

namespace {

// A workload of a kind; `more` follows.
Pods scene_of(const std::string& kind, const std::string& more, const std::string& plane = "gang = kueue") {
  Pods scene;
  scene.plane = plane;
  scene.workload = "kind = " + kind + "\nsoftware = torch\n" + more;
  return scene;
}

const std::string run = "command = [\"run\"]\n";
const std::string gang = "nodes = 4\ngpu = H100:8\n" + run;
const std::string ray = "launch { runner = ray }\n";

std::string text_at(const data::Node* object, std::string_view path) {
  const data::Node* found = object == nullptr ? nullptr : object->at(path);
  return found == nullptr ? std::string() : found->text;
}

std::string label_of(const data::Node* object, std::string_view label) {
  const data::Node* labels = object == nullptr ? nullptr : object->at("metadata.labels");
  const data::Node* found = labels == nullptr ? nullptr : labels->get(label);
  return found == nullptr ? std::string() : found->text;
}

}  // namespace

TEST_CASE("kueue: each kind that it admits, with its queue on the object") {
  const std::string_view queue = "kueue.x-k8s.io/queue-name";
  const auto admitted = [&](const Pods& scene, std::string_view kind) {
    const Manifests out = lower(scene, "kueue");
    INFO(out.said());
    INFO(kind);
    CHECK(label_of(out.object(kind), queue) == "main");
    CHECK_FALSE(out.has("schedulerName"));
  };
  // The plane's own provider gives way.
  for (const std::string plane : {"gang = kueue", "gang = volcano", "gang = kai"}) {
    admitted(scene_of("train", gang, plane), "JobSet");
    admitted(scene_of("train", gang, plane + "\ntraining-kind = volcano"), "JobSet");
    admitted(scene_of("train", gang, plane + "\ntraining-kind = pytorchjob"), "PyTorchJob");
    admitted(scene_of("train", gang, plane + "\ntraining-kind = trainjob"), "TrainJob");
    admitted(scene_of("rl", gang + ray, plane), "RayJob");
    admitted(scene_of("dev", "nodes = 2\ngpus = 8\ndev {}\n" + ray, plane), "RayCluster");
    admitted(scene_of("serve", ray + "gpus = 1\nserve { config = <<<yaml\n applications: []\n>>>\n}\n", plane),
             "RayService");
    admitted(scene_of("batch", run, plane), "Job");
    admitted(scene_of("batch", gang, plane), "JobSet");
    admitted(scene_of("sweep", run + "sweep { axes { s = 1..3 } }\n", plane), "Job");
    admitted(scene_of("dev", run + "gpus = 1\n", plane), "Pod");
    admitted(scene_of("serve", run + "gpus = 1\nport http { number = 80 }\n", plane), "Deployment");
  }
}

TEST_CASE("kueue: the operator of the kind has to be there") {
  const std::string plane = "gang = kueue\noperator jobset {}\n";
  CHECK(lower(scene_of("train", gang, plane), "kueue").ok());
  CHECK(lower(scene_of("rl", gang + ray, plane), "kueue").said().find("operator `kuberay`") != std::string::npos);
  CHECK(lower(scene_of("batch", run, plane), "kueue").ok());
}
