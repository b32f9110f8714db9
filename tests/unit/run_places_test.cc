// Run references in the folder where a program starts and in probes; what a file of pods says once; autoscalers.
#include "tests/unit/pods_scene.h"

namespace run_places_test {

using namespace muster;
using test::lower;
using test::Manifests;
using test::Pods;

namespace {

Pods pods(const std::string& lines) {
  Pods scene;
  scene.workload = "kind = batch\ncpus = 1\nsoftware = torch\ncommand = [\"./work\"]\n" + lines;
  return scene;
}

Pods slurm(const std::string& lines) {
  Pods scene;
  scene.kind = "slurm";
  scene.plane = "";
  scene.site = "queue main { default = true  name = \"gpu\" }\n";
  scene.workload = "kind = batch\ncpus = 1\ncommand = [\"./work\"]\n" + lines;
  return scene;
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

}  // namespace

TEST_CASE("a folder that only the run knows is entered by the shell that knows it", "[references]") {
  const Manifests known = lower(pods("workdir = \"/runs/${run.name}\"\n"));
  INFO(known.stated());
  CHECK(known.has("workingDir: /runs/w\n"));
  const Manifests late = lower(pods("workdir = \"${env.HOME}/runs\"\n"));
  INFO(late.text());
  CHECK(late.has("              cd \"$HOME/runs\"\n"));
  CHECK_FALSE(late.has("workingDir"));
  CHECK(lower(slurm("workdir = \"/runs/${run.name}\"\n"), "slurm").has("#SBATCH --chdir=/runs/w\n"));
  const Manifests script = lower(slurm("workdir = \"/runs/${run.id}\"\n"), "slurm");
  INFO(script.text());
  CHECK(script.has("\nset -eo pipefail\ncd \"/runs/$SLURM_JOB_ID\"\n./work\n"));
  const Manifests nodes = lower(slurm("nodes = 2\nworkdir = \"${env.HOME}/runs\"\n"), "slurm");
  INFO(nodes.text());
  CHECK(nodes.has("cd \"$HOME/runs\" || exit; exec"));
}

TEST_CASE("a relative folder with a reference needs code", "[references]") {
  CHECK(lower(pods("workdir = \"${run.id}\"\n")).stated().find("a relative folder requires `code`") !=
        std::string::npos);
}

TEST_CASE("a probe finds what its container has", "[references]") {
  const std::string serve = "kind = serve\ncpus = 1\nsoftware = torch\nport web { number = 8000 }\n";
  Pods scene;
  scene.workload = serve +
                   "command = [\"./serve\"]\n"
                   "probe readiness { command = [\"./ready\", \"--port=${port.web}\", \"${env.HOME}/it's\"] }\n"
                   "probe liveness { http = \"/alive/${run.name}\"  port = web }\n";
  const Manifests out = lower(scene);
  INFO(out.stated());
  INFO(out.text());
  REQUIRE(out.ok());
  const auto& words = out.container("Deployment").get("readinessProbe")->get("exec")->get("command")->items;
  REQUIRE(words.size() == 3);
  CHECK(words[2].text == "exec ./ready --port=8000 \"$HOME/it's\"");
  CHECK(out.container("Deployment").at("livenessProbe.httpGet.path")->text == "/alive/w");
  scene.workload = serve + "command = [\"./serve\"]\nprobe liveness { http = \"/alive/${env.HOME}\"  port = web }\n";
  CHECK(lower(scene).stated().find("`httpGet` takes no variable") != std::string::npos);
  scene.workload = serve +
                   "command = [\"./serve\"]\nsetup = <<<sh\n  prepare\n>>>\nenv { RUN = \"${env.HOME}/x\" }\n"
                   "probe liveness { command = [\"./alive\", \"${env.RUN}\"] }\n";
  CHECK(lower(scene).stated().find("a probe starts beside it") != std::string::npos);
}

TEST_CASE("pods that a kind wants twice are written once", "[pods]") {
  Pods scene;
  scene.plane = "gang = kueue\noperator training-operator {}";
  scene.workload =
      "kind = train\nnodes = 2\ngpus = 8\nsoftware = torch\ncommand = [\"train.py\"]\nlaunch { runner = torchrun }\n";
  const Manifests out = lower(scene, "pytorchjob");
  INFO(out.stated());
  REQUIRE(out.ok());
  CHECK(count(out.text(), "containers:") == 1);
  CHECK(out.has("Master:"));
  CHECK(out.has("template: &pod\n"));
  CHECK(out.has("template: *pod\n"));
  const data::Node* specs = out.object("PyTorchJob")->at("spec.pytorchReplicaSpecs");
  CHECK(specs->at("Worker.template.spec")->get("containers")->items.size() == 1);
}

TEST_CASE("an autoscaler gets a target that it can reach", "[pods]") {
  const auto stated = [](const std::string& target, const std::string& metric) {
    Pods scene;
    scene.plane = "gang = none\nscaler = keda\nmetrics = \"http://prometheus:9090\"";
    scene.workload =
        "kind = serve\ncpus = 2\nreplicas = 1..4\nsoftware = torch\nport http { number = 8000 }\n"
        "serve { port = http  engine = vllm  model = \"m\" }\nscale { metric = " +
        metric + "  target = " + target + " }\n";
    const Manifests out = lower(scene);
    return out.ok() ? out.text() : out.stated();
  };
  CHECK(stated("70.5", "cpu").find("takes a whole percentage of the CPUs") != std::string::npos);
  CHECK(stated("70", "cpu").find("value: \"70\"") != std::string::npos);
  CHECK(stated("4", "requests-waiting").find("ignoreNullValues: \"false\"") != std::string::npos);
}

}  // namespace run_places_test
