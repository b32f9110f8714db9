// The rows of the kinds of pods, and the one answer to which of them a workload becomes.
#include "compiler/model/pods_target.h"
#include "targets/kubernetes/kinds.h"
#include "targets/target.h"
#include "tests/catch.h"

namespace pods_table_test {

using namespace muster;
using targets::kubernetes::Kind;
using targets::kubernetes::kind_of_target;

TEST_CASE("each target of pods has a row, and each written row a target") {
  for (const targets::Target& target : targets::all_targets()) {
    INFO(target.name);
    CHECK((target.build != nullptr) == (kind_of_target(target.name) != nullptr));
  }
  for (const Kind& kind : targets::kubernetes::all_kinds()) {
    INFO(kind.name);
    CHECK(kind.target.empty() == kind.version.empty());
    if (!kind.target.empty()) CHECK(targets::find_target(kind.target) != nullptr);
  }
}

TEST_CASE("a kind's names, as kubectl and the API server have them") {
  const Kind* volcano = targets::kubernetes::find_kubectl_name("job.batch.volcano.sh");
  REQUIRE(volcano != nullptr);
  CHECK(volcano->api_version() == "batch.volcano.sh/v1alpha1");
  CHECK(volcano->kueue.empty());
  const Kind* pod = targets::kubernetes::find_kubectl_name("pod");
  REQUIRE(pod != nullptr);
  CHECK(pod->api_version() == "v1");
  CHECK(targets::kubernetes::find_kubectl_name("job") == nullptr);
  CHECK_FALSE(
      targets::kubernetes::kind_row("trainer.kubeflow.org", "TrainJob").gangs.contains(model::GangProvider::volcano));
}

TEST_CASE("which target a workload becomes on pods") {
  model::PodPlane plane;
  plane.training_kind = "pytorchjob";
  plane.serving = "kserve";
  using model::Kind;
  const auto target = [&](const model::PodsShape& shape) { return model::pods_target(shape, plane); };
  CHECK(target({.kind = Kind::train, .coupled = true}) == "pytorchjob");
  CHECK(target({.kind = Kind::train}) == "kubernetes");
  CHECK(target({.kind = Kind::train, .ray = true, .coupled = true}) == "kuberay");
  CHECK(target({.kind = Kind::train, .mpi = true, .coupled = true}) == "mpijob");
  CHECK(target({.kind = Kind::serve}) == "kserve");
  CHECK(target({.kind = Kind::serve, .spans_nodes = true}) == "lws");
  CHECK(target({.kind = Kind::dev, .coupled = true}) == "kubernetes");
  CHECK(target({.kind = Kind::sweep}) == "kubernetes");
}

}  // namespace pods_table_test
