// The registry and the law that no field is lost silently.
#include "targets/systems.h"
#include "targets/target.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "compiler/base/text.h"
#include "tests/catch.h"
#include "tests/places.h"

namespace targets_test {

using namespace muster;

TEST_CASE("a target that says nothing of a field is our fault, and says so") {
  model::Workload workload;
  workload.written = {{model::Field::resources_nodes, {}}, {{model::Field::env, "A"}, {}}, {model::Field::kind, {}}};
  plan::Plan plan;
  plan.workload = &workload;
  targets::Target careless;
  careless.name = "careless";
  careless.lower = [](const targets::Target&, const plan::Plan&, const targets::LowerOptions&, Diagnostics&) {
    targets::Lowered out;
    out.loss.exact(model::Field::env, "all of it");
    out.loss.refused(model::Field::kind, "no");
    return out;
  };
  Diagnostics diagnostics;
  targets::lower(careless, plan, {}, diagnostics);
  REQUIRE(diagnostics.size() == 1);
  const Diagnostic reported = diagnostics.sorted()[0];
  CHECK(reported.code == Code::field_not_carried);
  CHECK(reported.message.find("resources.nodes") != std::string::npos);
}

TEST_CASE("the loss report covers a field by its own entry or that of a block above it") {
  targets::Loss loss;
  loss.exact(model::Field::env, "x");
  loss.exact(model::Field::retry_limit, "x");
  CHECK(loss.covers(model::Field::env));
  CHECK(loss.covers({model::Field::env, "A"}));
  CHECK_FALSE(loss.covers(model::Field::retry));
  CHECK_FALSE(loss.covers(model::Field::retry_on));
}

TEST_CASE("targets are found by name, each example is there") {
  for (const targets::Target& target : targets::all_targets()) {
    CHECK(targets::find_target(target.name) == &target);
    CHECK(target.lower != nullptr);
  }
  CHECK(targets::find_target("slrum") == nullptr);
}

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What orchestrates, schedules or starts work, as the documents spell it from which the project came.
constexpr const char* named_systems[] = {"Slurm",
                                         "Kubernetes",
                                         "k3s",
                                         "Ray",
                                         "KubeRay",
                                         "Volcano",
                                         "Kueue",
                                         "KAI",
                                         "YuniKorn",
                                         "PyTorchJob",
                                         "Slinky",
                                         "SLONK",
                                         "Soperator",
                                         "OpenHPC",
                                         "SkyPilot",
                                         "dstack",
                                         "Run.ai",
                                         "Determined",
                                         "Base Command",
                                         "Bright",
                                         "CoreWeave Mission Control",
                                         "Lambda Stack",
                                         "Docker Swarm",
                                         "LSF",
                                         "PBS Pro",
                                         "Torque",
                                         "Flux",
                                         "KServe",
                                         "HPA",
                                         "VPA",
                                         "Ray Tune",
                                         "Ray Serve",
                                         "Enroot",
                                         "Pyxis",
                                         "Singularity",
                                         "GPU Operator",
                                         "DRA",
                                         "EKS",
                                         "GKE",
                                         "AKS",
                                         "Cluster Autoscaler",
                                         "Foreman",
                                         "MaaS",
                                         "DCGM",
                                         "Prometheus",
                                         "Grafana",
                                         "NeMo",
                                         "DeepSpeed",
                                         "Megatron-LM",
                                         "JAX",
                                         "Helm",
                                         "MPI operator"};
// What people ask for beside these.
constexpr const char* further_systems[] = {"TPU", "Trainium", "Gaudi", "MultiKueue", "Slurm federation", "Apptainer"};

// As the documentation spells it.
std::string documented(const std::string& system) {
  if (system == "HPA") return "horizontalpodautoscaler";
  if (system == "VPA") return "verticalpodautoscaler";
  if (system == "Run.ai") return "run:ai";
  return lower(system);
}

}  // namespace

TEST_CASE("targets: every system of the source documents is a target or a row that says why it is none") {
  const std::filesystem::path root = muster::tests::source_folder();
  const std::string page = lower(text_of(root / "docs/reference/systems.md"));
  for (const char* system : named_systems) {
    INFO(system);
    CHECK(page.find("| " + documented(system)) != std::string::npos);
  }
  for (const char* system : further_systems) {
    INFO(system);
    CHECK(page.find("| " + lower(system) + " |") != std::string::npos);
  }
  for (const targets::System& row : targets::all_systems()) {
    INFO(row.name);
    CHECK(row.text.size() > 10);
    CHECK((row.target.empty() || targets::find_target(row.target) != nullptr));
    if (row.state == targets::State::target) CHECK_FALSE(row.judge.empty());
    if (row.state == targets::State::none) CHECK(row.judge.empty());
    CHECK((row.state != targets::State::target || !row.target.empty()));
  }
  // Each target is that of a system.
  for (const targets::Target& target : targets::all_targets()) {
    INFO(target.name);
    const auto rows = targets::all_systems();
    CHECK(std::any_of(rows.begin(), rows.end(), [&](const targets::System& row) {
      return row.target == target.name && row.state == targets::State::target;
    }));
  }
}

TEST_CASE("targets: the list of systems is that of the source documents") {
  const char* shared = std::getenv("MUSTER_SHARED");
  if (shared == nullptr || !std::filesystem::is_directory(std::filesystem::path(shared) / "seeds")) {
    WARN("skipped: MUSTER_SHARED names no folder with the source documents");
    return;
  }
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(shared) / "seeds"))
    if (entry.path().extension() == ".txt") text += lower(text_of(entry.path()));
  for (const char* system : named_systems) {
    INFO(system);
    CHECK(text.find(lower(system)) != std::string::npos);
  }
}

}  // namespace targets_test
