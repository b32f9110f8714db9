// Roles that run on the nodes of another one: what is said of the nodes, how many of everything that is, and the steps
// and containers that divide them.
#include "plan/demand.h"
#include "tests/unit/checked.h"
#include "tests/unit/pods_scene.h"

namespace share_nodes_test {

using namespace muster;
using test::Checked;

namespace {

// A role `train`, and a role `serve` that runs with it and also says this.
std::string pair(const std::string& of_serve, const std::string& of_train = "nodes = 2  gpus = 6") {
  return "kind = rl  software = torch\nrole train { " + of_train +
         "  command = [\"train\"] }\nrole serve { with = train  " + of_serve + "  command = [\"serve\"] }";
}

Checked checked(const std::string& of_serve, const std::string& of_train = "nodes = 2  gpus = 6") {
  return Checked("workload w {\n" + pair(of_serve, of_train) + "\n}");
}

test::Manifests lowered(const std::string& workload, std::string_view target,
                        const std::string& plane = "gang = kueue") {
  test::Pods scene;
  scene.plane = plane;
  scene.workload = workload;
  if (target == "slurm") {
    scene.kind = "slurm";
    scene.site = "queue main { default = true }  software torch { venv = \"/v\" }\n";
  }
  return test::lower(scene, target);
}

std::string names(const data::Node* containers) {
  std::string out;
  if (containers != nullptr)
    for (const data::Node& container : containers->items) out += container.get("name")->text + " ";
  return out;
}

}  // namespace

TEST_CASE("a role that runs with another has its nodes and replicas", "[share]") {
  const Checked both = checked("gpus = 2", "nodes = 2  replicas = 3  gpus = 6  gpu = h100");
  REQUIRE(both.diagnostics.empty());
  const model::Role& serve = both.workload().roles.at(1);
  CHECK(serve.nodes() == 2);
  CHECK(serve.copies() == 3);
  CHECK(serve.resources.gpu->value == std::vector<std::string>{"h100"});
  CHECK(both.workload().groups() == 1);
  CHECK(checked("nodes = 2  gpus = 2").diagnostics.empty());
  CHECK(checked("nodes = 3").says("cannot have another `nodes`"));
  CHECK(checked("replicas = 2").says("cannot have another `replicas`"));
  CHECK(checked("gpu = a100  gpus = 1", "gpus = 6  gpu = h100").says("cannot have another GPU model"));
}

TEST_CASE("what is said of nodes belongs to the role that has them", "[share]") {
  CHECK(checked("topology { within = leaf }").says("`topology` belongs in that role"));
  CHECK(checked("require gpu.memory > 40GB").says("`require` belongs in that role"));
  CHECK(checked("resources { exclusive = true }").says("`exclusive` belongs in that role"));
  CHECK(checked("primary = true").says("cannot be `primary`"));
  CHECK(checked("cpus = all").says("neither can have `cpus = all`"));
  CHECK(checked("resources { gpu-share = 50% }").says("neither can have a part of a GPU"));
  CHECK(checked("port a { number = 8000 }", "port b { number = 8000 }")
            .says("port 8000 is already used by role `train`"));
}

TEST_CASE("a role runs with one that has nodes of its own", "[share]") {
  const auto with = [](const std::string& a, const std::string& b) {
    return Checked("workload w {\nkind = rl  command = [\"a\"]\nrole one { " + a + " }\nrole two { " + b +
                   " }\nrole three {}\n}");
  };
  CHECK(with("with = thre", "").says("the workload has no role `thre`"));
  CHECK(with("with = one", "").says("cannot run with itself"));
  CHECK(with("with = two", "with = three").says("it runs with role `three`"));
  CHECK(with("with = three", "with = three").diagnostics.empty());
}

TEST_CASE("roles on the same nodes are counted as one", "[share]") {
  const Checked both = checked("gpus = 2  cpus = 4", "nodes = 2  gpus = 6  cpus = 12");
  const plan::Demand demand = plan::demand_of(both.workload());
  REQUIRE(demand.roles.size() == 1);
  CHECK(demand.nodes_together() == 2);
  CHECK(demand.gpus_together() == 16);
}

TEST_CASE("the amounts of a node are the sums of those of its roles, also over pools that are alike", "[share]") {
  test::Pods scene;
  scene.pool +=
      "}\npool b {\n nodes = \"b[1-8]\"\n gpu { model = h100  memory = 80GB  count = 8 }\n"
      "node { cpus = 40  memory = 2TB }\n network { fabric = infiniband }\n";
  scene.workload = pair("gpus = 2", "nodes = 12  gpus = 6");
  Diagnostics diagnostics;
  const test::PlannedPods planned(scene, diagnostics);
  REQUIRE(planned.result.plan);
  const plan::RolePlan& both = planned.result.plan->roles.front();
  CHECK(both.spans_pools);
  REQUIRE(both.sharing.size() == 2);
  CHECK(*both.cpus == *both.sharing[0].cpus + *both.sharing[1].cpus);
  CHECK(both.memory->bytes == both.sharing[0].memory->bytes + both.sharing[1].memory->bytes);
}

TEST_CASE("a pair that needs more GPUs than a node has fits nowhere", "[share]") {
  CHECK(lowered(pair("gpus = 2"), "jobset").ok());
  test::Pods scene;
  scene.workload = pair("gpus = 3");
  Diagnostics diagnostics;
  const test::PlannedPods planned(scene, diagnostics);
  REQUIRE(diagnostics.has_errors());
  CHECK(diagnostics.sorted().front().notes.at(0) == "pool a has 8 GPUs per node; the roles that share a node need 9");
}

TEST_CASE("on Slurm the steps of such roles divide the nodes of a job", "[share]") {
  const auto job = lowered(pair("gpus = 2  cpus = 4  memory = 8GiB", "nodes = 2  gpus = 6  cpus = 12  memory = 16GiB"),
                           "slurm", "version = \"24.11\"");
  INFO(job.stated() << job.text());
  CHECK(job.has("#SBATCH --nodes=2\n"));
  CHECK(job.has("#SBATCH --ntasks-per-node=1\n#SBATCH --cpus-per-task=16\n"));
  CHECK(job.has("#SBATCH --gpus-per-node=8\n"));
  CHECK(job.has("#SBATCH --mem=24576M\n"));
  CHECK(job.has("--cpus-per-task=12 --kill-on-bad-exit=1 --relative=0 --exact --mem=16384M --gpus-per-node=6"));
  CHECK(job.has("--cpus-per-task=4 --kill-on-bad-exit=1 --relative=0 --exact --mem=8192M --gpus-per-node=2"));
  CHECK(job.has("while kill -0 \"${ends[@]}\" 2>/dev/null && wait -n; do :; done"));
  CHECK_FALSE(job.has("--overlap"));
}

TEST_CASE("steps that would divide what is not known are refused", "[share]") {
  const auto job = lowered(pair("cpus = 4", "nodes = 2"), "slurm", "version = \"24.11\"");
  CHECK(job.stated() == "steps that divide a node need the `cpus` of each role on it\n");
}

TEST_CASE("in pods such a role is a sidecar with its own amounts", "[share]") {
  const auto set = lowered(pair("gpus = 2  cpus = 4  port api { number = 8000 }  env { A = \"1\" }"), "jobset");
  INFO(set.stated() << set.text());
  REQUIRE(set.ok());
  const data::Node* object = set.object("JobSet");
  REQUIRE(object->at("spec.replicatedJobs")->items.size() == 1);
  const data::Node& pod = *object->at("spec.replicatedJobs")->items[0].at("template.spec.template.spec");
  CHECK(names(pod.get("containers")) == "main ");
  REQUIRE(names(pod.get("initContainers")) == "serve ");
  const data::Node& serve = pod.get("initContainers")->items[0];
  CHECK(serve.get("restartPolicy")->text == "Always");
  CHECK(serve.at("resources.limits")->get("nvidia.com/gpu")->text == "2");
  CHECK(serve.at("resources.limits")->get("cpu")->text == "4");
  CHECK(pod.get("containers")->items[0].at("resources.limits")->get("nvidia.com/gpu")->text == "6");
  CHECK(pod.get("volumes")->items.size() == 1);  // shared memory, once
}

TEST_CASE("the program waits for a sidecar that is to be ready", "[share]") {
  const std::string probe =
      "gpus = 2  port api { number = 8000 }  probe readiness { tcp = true  port = api  every = 5s }";
  const auto set = lowered(pair(probe, "gpus = 6  depends-on serve { on = ready }"), "kubernetes");
  INFO(set.stated());
  REQUIRE(set.ok());
  const data::Node& serve = set.pod("Job")->get("initContainers")->items.at(0);
  CHECK(serve.at("startupProbe.failureThreshold")->text == "720");
  CHECK(serve.at("startupProbe.tcpSocket.port")->text == "8000");
  const auto late = lowered(pair(probe, "gpus = 6  depends-on serve { on = complete }"), "kubernetes");
  CHECK(late.stated().find("role `serve` ends when this role has ended") != std::string::npos);
  const auto back = lowered(pair("gpus = 2  depends-on train { on = started }"), "kubernetes");
  CHECK(back.stated().find("role `serve` starts with role `train`") != std::string::npos);
}

TEST_CASE("roles of one pod have their own files and ports to meet at", "[share]") {
  const std::string file = "file \"a.txt\" { text = <<<text\n  hello\n>>>\n }";
  const auto set =
      lowered(pair("gpus = 2  env { P = \"${run.port}\" }  " + file, "gpus = 6  env { P = \"${run.port}\" }  " + file),
              "jobset");
  INFO(set.stated() << set.text());
  REQUIRE(set.ok());
  const data::Node& pod = *set.object("JobSet")->at("spec.replicatedJobs")->items[0].at("template.spec.template.spec");
  CHECK(names(pod.get("volumes")) == "dshm job-files job-files-serve ");
  CHECK(set.has("value: \"29500\""));
  CHECK(set.has("value: \"29502\""));
}

TEST_CASE("a service with a role beside its server has the ports of both", "[share]") {
  const std::string server =
      "kind = serve  replicas = 2  role model { gpus = 1  image = \"i:1\"  command = [\"serve\"]  port http { number = "
      "8000 } }\n";
  const auto beside = [&](const std::string& port) {
    return lowered(server + "role proxy { with = model  image = \"p:1\"  command = [\"proxy\"]  " + port + " }",
                   "kubernetes");
  };
  const auto set = beside("port web { number = 8080 }");
  INFO(set.stated() << set.text());
  REQUIRE(set.ok());
  const data::Node& pod = *set.object("Deployment")->at("spec.template.spec");
  CHECK(names(pod.get("containers")) + names(pod.get("initContainers")) == "main proxy ");
  const auto& ports = set.object("Service")->at("spec.ports")->items;
  REQUIRE(ports.size() == 2);
  CHECK(ports[1].get("name")->text == "web");
  CHECK(ports[1].get("targetPort")->text == "web");
  const auto same = beside("port http { number = 8080 }");
  REQUIRE(same.ok());
  const data::Node& second = same.object("Service")->at("spec.ports")->items.at(1);
  CHECK(second.get("name")->text == "port-8080");
  CHECK(second.get("targetPort")->text == "8080");
}

TEST_CASE("kinds that start the program themselves refuse a role beside it", "[share]") {
  const auto refused = [](const std::string& train, std::string_view target) {
    return lowered(pair("gpus = 2", train), target).stated();
  };
  const std::string mpi = "nodes = 2  gpus = 6  launch { runner = mpi }";
  const std::string ray = "nodes = 2  gpus = 6  launch { runner = ray }";
  CHECK(refused(mpi, "mpijob").find("target `mpijob` starts the program of a pod itself") != std::string::npos);
  CHECK(refused(ray, "kuberay").find("target `kuberay` starts the program of a pod itself") != std::string::npos);
  CHECK(refused("nodes = 2  gpus = 6  launch { runner = torchrun }", "trainjob")
            .find("target `trainjob` starts the program of a pod itself") != std::string::npos);
  const auto old = lowered(pair("gpus = 2"), "jobset", "gang = kueue  version = \"1.28\"");
  CHECK(old.stated().find("requires Kubernetes 1.29") != std::string::npos);
}

}  // namespace share_nodes_test
