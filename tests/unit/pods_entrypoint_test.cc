// A container without `command` runs its image's own entrypoint; options of the launcher for pods alone.
#include "tests/catch.h"
#include "tests/unit/pods_scene.h"

namespace pods_entrypoint_test {

using namespace muster;
using namespace muster::test;

namespace {

Pods with(const std::string& workload) {
  Pods scene;
  scene.workload = "kind = batch  cpus = 2  memory = 4GiB  image = \"a/b:1\"\n" + workload;
  return scene;
}

bool refuses(const std::string& workload, std::string_view sentence) {
  const Manifests out = lower(with(workload));
  INFO(out.stated());
  INFO(out.text());
  return out.stated().find(sentence) != std::string::npos;
}

std::vector<std::string> args_of(const data::Node& container) {
  std::vector<std::string> out;
  if (const data::Node* args = container.get("args"))
    for (const data::Node& word : args->items) out.push_back(word.text);
  return out;
}

}  // namespace

TEST_CASE("args without a command are the arguments of the image's own entrypoint") {
  const Manifests out = lower(with("args = [\"--lr\", '1e-3 $(HOME)']"));
  REQUIRE(out.ok());
  CHECK(out.container("Job").get("command") == nullptr);
  CHECK(args_of(out.container("Job")) == std::vector<std::string>{"--lr", "1e-3 $$(HOME)"});
  const Manifests none = lower(with(""));
  REQUIRE(none.ok());
  CHECK(none.container("Job").get("command") == nullptr);
  CHECK(none.container("Job").get("args") == nullptr);
}

TEST_CASE("an entrypoint gets what the manifest itself can say") {
  const Manifests out = lower(with("args = [\"${run.name}\", \"${env.MODE}\"]  env { MODE = fast }"));
  REQUIRE(out.ok());
  CHECK(out.container("Job").get("command") == nullptr);
  CHECK(args_of(out.container("Job")) == std::vector<std::string>{"w", "$(MODE)"});
}

TEST_CASE("what is done by a shell in front of an entrypoint is refused at its place") {
  const char* sentence = "it is done by a shell in front of the program, but only the image knows its entrypoint";
  CHECK(refuses("setup = <<<bash\ntrue\n>>>", sentence));
  CHECK(refuses("software { prelude = <<<bash\ntrue\n>>>\n}", sentence));
  CHECK(refuses("stop { signal = USR1 }", sentence));
  CHECK(refuses("time-limit = 1h  stop { lead = 5m }", sentence));
  CHECK(lower(with("time-limit = 1h  stop { lead = 0s }")).ok());
  CHECK(refuses("preflight { gpu-health = true }  gpus = 1", sentence));
  CHECK(refuses("args = [\"${env.HOME}/x\"]", "a shell in front of the program fills in what it needs"));
  CHECK(refuses("launch { contract = full }", "a shell in front of the program fills in what it needs"));
  CHECK(lower(with("stop { grace = 1m }")).ok());
  CHECK(lower(with("env { A = b }  mount scratch { path = \"/s\" }  workdir = \"/s\"")).ok());
}

TEST_CASE("services, sweeps, roles and gangs run an entrypoint, too") {
  Pods serve = with("args = [\"--port\", \"80\"]  port web { number = 80 }");
  serve.workload.replace(0, 12, "kind = serve");
  CHECK(args_of(lower(serve).container("Deployment")) == std::vector<std::string>{"--port", "80"});
  Pods roles;
  roles.workload =
      "kind = rl\nrole a { cpus = 1  memory = 1GiB  image = \"a/a:1\"  args = [\"x\"] }\n"
      "role b { cpus = 1  memory = 1GiB  image = \"a/b:1\"  command = [\"y\"] }";
  const Manifests set = lower(roles, "jobset");
  INFO(set.stated());
  CHECK(set.has("image: a/a:1\n                  args: [x]\n"));
  Pods sweep = with("args = [\"--seed\", $seed]  sweep { axes { seed = 1..3 } }");
  sweep.workload.replace(0, 12, "kind = sweep");
  const Manifests points = lower(sweep);
  INFO(points.stated());
  INFO(points.text());
  CHECK(points.diagnostics.has_errors());
  Pods train = with("args = [\"x\"]");
  CHECK(lower(train, "trainjob").stated().find("not the image's own entrypoint") != std::string::npos);
}

TEST_CASE("launch of a target block is for pods alone, and for one launcher") {
  Pods scene;
  const std::string torch =
      "kind = train  gpus = 8  image = \"a/b:1\"  launch { runner = torchrun  args = [\"--a\"] }\n";
  scene.workload = torch + "command = [\"t.py\"]  target kubernetes { launch = [\"--tee\", \"$(3)\"] }";
  const Manifests out = lower(scene);
  INFO(out.stated());
  REQUIRE(out.ok());
  std::vector<std::string> words;
  for (const data::Node& word : out.container("Job").get("command")->items) words.push_back(word.text);
  CHECK(words == std::vector<std::string>{"torchrun", "--a", "--tee", "$$(3)", "t.py"});
  scene.workload = torch + "command = [\"t.py\"]  target slurm { launch = [\"--tee\"]  srun = [\"-l\"] }";
  CHECK(lower(scene).ok());
  CHECK_FALSE(lower(scene).has("--tee"));
  scene.workload = torch + "command = [\"t.py\"]  target kubernetes { srun = [\"-l\"] }";
  CHECK(lower(scene).stated() == "pods are not started with srun\n");
  scene.workload =
      "kind = batch  cpus = 1  memory = 1GiB  image = \"a/b:1\"  command = [\"t\"]  target kubernetes { launch = "
      "[\"-l\"] }";
  CHECK(lower(scene).stated() == "there is no launcher that takes these options\n");
  scene.workload =
      "kind = mpi  nodes = 2  cpus = 4  memory = 1GiB  image = \"a/b:1\"  launch { runner = mpi }  command = [\"t\"]\n"
      "target mpijob { launch = [\"--report-bindings\"] }";
  const Manifests mpi = lower(scene, "mpijob");
  INFO(mpi.stated());
  CHECK(mpi.has("--report-bindings"));
  scene.workload =
      "kind = rl  image = \"a/b:1\"  target kubernetes { launch = [\"--x\"] }\n"
      "role a { gpus = 8  launch { runner = torchrun }  command = [\"a.py\"] }\n"
      "role b { gpus = 8  launch { runner = accelerate }  command = [\"b.py\"] }";
  CHECK(lower(scene, "jobset").stated().find("the roles have different launchers, `torchrun` and `accelerate`") !=
        std::string::npos);
}

}  // namespace pods_entrypoint_test
