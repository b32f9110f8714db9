// An option of a `target` block that asks for a resource is an error on every target that does not read it: each option
// of Slurm's table that asks for one with each target of pods, and YAML of pods on Slurm.
#include "targets/asks.h"
#include "targets/slurm/option_table.h"
#include "tests/catch.h"
#include "tests/unit/again_scene.h"
#include "tests/unit/pods_scene.h"

namespace asks_elsewhere_test {

using namespace muster;
using tests::Again;

namespace {

// A value that sbatch takes for the option.
std::string value_of(const targets::slurm::OptionRow& row) {
  if (row.type == "gres-list") return "gpu:2";
  if (row.type == "tres-per-task") return "gres/gpu:1";
  if (row.type == "memory") return "4G";
  if (row.type == "duration") return "10:00";
  if (row.type == "exclusive") return "user";
  if (row.name == "extra-node-info") return "1:2:1";
  return "2";
}

std::string keys_for(targets::Asks asks) {
  using enum targets::Asks;
  switch (asks) {
    case nodes: return "nodes = 1";
    case whole_nodes: return "resources { exclusive = true }";
    case tasks:
    case cpus: return "cpus = 4";
    case gpus: return "gpus = 2";
    case memory: return "memory = 4GiB";
    case disk: return "resources { disk = 4GiB }";
    case time: return "time-limit = 1h";
    case nothing: break;
  }
  return {};
}

std::string kind_for(std::string_view target) {
  if (target == "lws") return "kind = serve  port http { number = 80 }";
  if (target == "mpijob") return "kind = mpi  launch { runner = mpi }";
  if (target == "kuberay") return "kind = batch  launch { runner = ray }";
  return "kind = train  launch { runner = torchrun }";
}

bool refuses(const test::Manifests& made) {
  for (const Diagnostic& d : made.diagnostics.sorted())
    if (d.code == Code::asks_elsewhere) return true;
  return false;
}

}  // namespace

TEST_CASE("each raw option that asks for a resource is an error on pods", "[targets][elsewhere]") {
  int cases = 0, options = 0;
  for (const targets::slurm::OptionRow& row : targets::slurm::option_rows(targets::slurm::Tool::sbatch)) {
    if (row.asks == targets::Asks::nothing) continue;
    ++options;
    for (const targets::Target& target : targets::all_targets()) {
      if (target.capabilities.plane != model::PlaneKind::kubernetes) continue;
      ++cases;
      test::Pods scene;
      const std::string block = "\ntarget slurm { " + std::string(row.name) + " = \"" + value_of(row) + "\" }";
      const std::string rest = kind_for(target.name) + "  image = \"x\"  command = [\"a\"]" + block;
      scene.workload = rest;
      INFO(target.name << " " << row.name);
      CHECK(refuses(test::lower(scene, target.name)));
      scene.workload = "cpus = default\n" + rest;  // says no count of processes
      CHECK(refuses(test::lower(scene, target.name)) == (row.asks != targets::Asks::cpus));
      scene.workload = keys_for(row.asks) + "\n" + rest;  // a key says it too
      CHECK_FALSE(refuses(test::lower(scene, target.name)));
    }
  }
  CHECK(options >= 27);
  CHECK(cases == options * 9);
}

TEST_CASE("an option that asks for no amount is none", "[targets][elsewhere]") {
  for (const std::string option : {"time = UNLIMITED", "gres = \"lscratch:10\"", "gpus = 0", "nice = 10",
                                   "comment = \"a\"", "tres-per-task = \"license/a:1\"", "hold = true"}) {
    test::Pods scene;
    scene.workload = "kind = train  image = \"x\"  command = [\"a\"]\ntarget slurm { " + option + " }";
    INFO(option);
    CHECK_FALSE(refuses(test::lower(scene, "jobset")));
  }
}

TEST_CASE("amounts in the YAML of pods are an error on Slurm", "[targets][elsewhere]") {
  const std::pair<std::string, std::string> yaml[] = {
      {"pod", "spec: {containers: [{name: \"*\", resources: {limits: {nvidia.com/gpu: 2}}}]}"},
      {"pod", "spec: {containers: [{name: \"*\", resources: {limits: {amd.com/gpu: 2}}}]}"},
      {"pod", "spec: {containers: [{name: \"*\", resources: {requests: {cpu: 2}}}]}"},
      {"pod", "spec: {containers: [{name: \"*\", resources: {requests: {memory: 2Gi}}}]}"},
      {"pod", "spec: {containers: [{name: \"*\", resources: {requests: {ephemeral-storage: 2Gi}}}]}"},
      {"pod", "spec: {activeDeadlineSeconds: 600}"},
  };
  for (const std::string target : {"kubernetes", "jobset", "pytorchjob", "volcano", "mpijob", "lws", "kuberay"})
    for (const auto& [option, text] : yaml) {
      Again again("");
      again.workload = "workload w {\n kind = batch\n command = [\"a\"]\n target " + target + " { " + option +
                       " = <<<yaml\n" + text + "\n>>>\n }\n}\n";
      INFO(again.workload);
      CHECK(again.on_slurm().empty());
      CHECK(again.why.find("asks for") != std::string::npos);
    }
  Again beside("");
  beside.workload =
      "workload w {\n kind = batch\n command = [\"a\"]\n target kubernetes { pod = <<<yaml\nspec: {containers: [{name: "
      "side, resources: {limits: {cpu: 1}}}]}\n>>>\n }\n}\n";
  CHECK_FALSE(beside.on_slurm().empty());
  Again deadline("");
  deadline.workload =
      "workload w {\n kind = batch\n command = [\"a\"]\n target jobset { object = <<<yaml\nspec: {replicatedJobs: "
      "[{name: main, replicas: 3}]}\n>>>\n }\n}\n";
  CHECK(deadline.on_slurm().empty());
}

}  // namespace asks_elsewhere_test
