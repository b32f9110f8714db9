// The rows of the kinds of pods, and the one answer to which of them a workload becomes.
#include <set>
#include <string>

#include "compiler/model/pods_target.h"
#include "targets/kubernetes/gang_outcomes.h"
#include "targets/kubernetes/kinds.h"
#include "targets/target.h"
#include "tests/catch.h"

namespace pods_table_test {

using namespace muster;
namespace k8s = targets::kubernetes;
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

TEST_CASE("what gangs do: a row for each kind on each provider, of targets that there are") {
  const std::vector<k8s::GangScenario> scenarios = k8s::gang_scenarios();
  std::set<std::string> rows;
  for (const k8s::GangRow& row : k8s::gang_outcomes()) {
    INFO(row.kind << " on " << row.provider);
    CHECK(targets::find_target(row.target) != nullptr);
    CHECK(rows.insert(std::string(row.kind) + " on " + std::string(row.provider)).second);
    REQUIRE(row.outcomes.size() == scenarios.size());
    CHECK_FALSE(row.outcomes.front().empty());
  }
  CHECK(rows.contains("lws on volcano"));
  CHECK_FALSE(rows.contains("trainjob on volcano"));
  const auto outcome = [&](std::string_view kind, std::string_view provider, std::string_view scenario) {
    for (const k8s::GangRow& row : k8s::gang_outcomes())
      for (std::size_t i = 0; i < scenarios.size(); ++i)
        if (row.kind == kind && row.provider == provider && scenarios[i].name == scenario) return row.outcomes[i];
    return std::string_view("no row");
  };
  // The rows of a kind on a provider, of a provider, of a kind, of all; a case that it cannot have.
  CHECK(outcome("lws", "volcano", "preemption") == "nothing");
  CHECK(outcome("jobset", "kueue", "one GPU held outside") == "part");
  CHECK(outcome("jobset", "kueue-topology", "one GPU held outside") == "nothing");
  CHECK(outcome("pytorchjob", "volcano", "lost node") == "refused");
  CHECK(outcome("jobset", "volcano", "lost node") == "restarts");
  CHECK(outcome("job", "kueue", "unlike roles, short").empty());
}

TEST_CASE("what operators add is of kinds that there are, and muster says what it writes") {
  std::set<std::string_view> names;
  for (const k8s::Kind& kind : k8s::all_kinds())
    for (const model::AddedPod& row : kind.added()) {
      INFO(kind.name << ": " << row.name);
      names.insert(row.name);
      CHECK((row.as == model::AddedAs::init_container || !row.written.empty()));
      CHECK((row.as == model::AddedAs::pod) == row.beside.empty());
    }
  CHECK(names == std::set<std::string_view>{"launcher", "autoscaler", "wait-gcs-ready", "submitter", "init-pytorch"});
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
  using model::Kind;
  const auto target = [&](const model::PodsShape& shape) { return model::pods_target(shape, plane); };
  CHECK(target({.kind = Kind::train, .coupled = true}) == "pytorchjob");
  CHECK(target({.kind = Kind::train}) == "kubernetes");
  CHECK(target({.kind = Kind::train, .ray = true, .coupled = true}) == "kuberay");
  CHECK(target({.kind = Kind::train, .mpi = true, .coupled = true}) == "mpijob");
  CHECK(target({.kind = Kind::serve}) == "kubernetes");
  CHECK(target({.kind = Kind::serve, .spans_nodes = true}) == "lws");
  CHECK(target({.kind = Kind::dev, .coupled = true}) == "kubernetes");
  CHECK(target({.kind = Kind::sweep}) == "kubernetes");
}

}  // namespace pods_table_test
