// Targets of pods: what the queue, the fleet and the security level of the plane add to a manifest.
#include "compiler/model/pods_target.h"
#include "tests/unit/pods_scene.h"

namespace pods_queue_test {

using namespace muster;
using namespace muster::test;

namespace {

const std::string run = "command = [\"run\"]\n";
const std::string gang = "nodes = 2\ngpus = 8\n" + run;
const std::string ray = "launch { runner = ray }\n";

Pods scene_of(const std::string& kind, const std::string& more, const std::string& queue = "",
              const std::string& plane = "gang = kueue") {
  Pods scene;
  scene.plane = plane;
  scene.site = "queue main { default = true  " + queue + " }  software torch { image = \"torch:2\" }\n";
  scene.workload = "kind = " + kind + "\nsoftware = torch\n" + more;
  return scene;
}

// What the loss report says of a field.
std::string said_of(const Manifests& made, model::Field field) {
  std::string out;
  for (const targets::LossEntry& entry : made.lowered.loss.entries())
    if (entry.field.field == field) out += entry.as + " | " + entry.note + "\n";
  return out;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("pods: without a time-limit the queue's default-time is the deadline, and the report has it") {
  const std::string queue = "default-time = 2h  max-time = 8h";
  const auto ends = [&](const Pods& scene, const std::string& target) {
    INFO(target);
    const Manifests made = lower(scene, target);
    INFO(made.stated());
    CHECK(made.has("activeDeadlineSeconds: 7200"));
    CHECK(contains(said_of(made, model::Field::time_limit), "the default-time of queue main"));
  };
  for (const std::string target : {"jobset", "pytorchjob", "trainjob", "volcano", "kueue"})
    ends(scene_of("train", gang, queue), target);
  ends(scene_of("batch", run, queue), "kubernetes");
  ends(scene_of("dev", "gpus = 1\n" + run, queue), "kubernetes");
  ends(scene_of("rl", gang + ray, queue), "kuberay");
  ends(scene_of("mpi", gang + "launch { runner = mpi }\n", queue), "mpijob");
  // Its own limit wins, and what never ends gets none.
  const Manifests own = lower(scene_of("train", gang + "time-limit = 1h\n", queue), "jobset");
  CHECK(own.has("activeDeadlineSeconds: 3600"));
  CHECK_FALSE(contains(said_of(own, model::Field::time_limit), "default-time"));
  CHECK_FALSE(lower(scene_of("serve", run + "port http { number = 80 }\n", queue)).has("activeDeadlineSeconds"));
  const Manifests cluster = lower(scene_of("dev", "gpus = 8\ndev { interface = shell }\n" + ray, queue), "kuberay");
  CHECK_FALSE(cluster.has("activeDeadlineSeconds"));
  CHECK(contains(said_of(cluster, model::Field::time_limit), "runs until it is deleted"));
}

TEST_CASE("pods: nothing enforces the max-time of a queue, and the report says so") {
  const Manifests made = lower(scene_of("train", gang, "max-time = 2h"), "jobset");
  CHECK_FALSE(made.has("activeDeadlineSeconds"));
  CHECK(contains(said_of(made, model::Field::time_limit), "nothing on plane pods enforces its `max-time`"));
  CHECK(said_of(lower(scene_of("train", gang), "jobset"), model::Field::time_limit).empty());
}

TEST_CASE("pods: a queue that batch planes share is reported without their keys") {
  Pods scene = scene_of("train", gang, "constraint = \"disk=ssd\"  qos = \"x\"");
  scene.site = "plane batch { kind = slurm }\n" + scene.site;
  CHECK(contains(said_of(lower(scene, "jobset"), model::Field::queue),
                 "`constraint` and `qos` of queue main apply to batch planes only, not to plane pods"));
}

TEST_CASE("pods: the model of the GPUs is written where the workload or another pool makes it necessary") {
  const std::string key = "nvidia.com/gpu.product";
  CHECK_FALSE(lower(scene_of("train", gang), "jobset").has(key));
  CHECK(lower(scene_of("train", "nodes = 2\ngpu = H100:8\n" + run), "jobset").has(key));
  CHECK(lower(scene_of("train", gang + "require gpu.memory >= 80GB\n"), "jobset").has(key));
  Pods two = scene_of("train", gang);
  two.pool += "}\npool b {\n nodes = \"b[1-8]\"\ngpu { model = l40s  count = 8 }  node { cpus = 64  memory = 1TB }\n";
  CHECK(lower(two, "jobset").has(key));
  two.site = "queue main { default = true  pools = [a] }  software torch { image = \"torch:2\" }\n";
  CHECK_FALSE(lower(two, "jobset").has(key));
}

TEST_CASE("pods: what the plane's pod security standard does not admit is refused") {
  const auto made = [](const std::string& level, const std::string& pod, const std::string& more = gang) {
    return lower(scene_of("train", more, "", "gang = kueue\n" + level + "\npod = <<<yaml\n" + pod + "\n>>>\n"),
                 "jobset");
  };
  const std::string lock = "spec: {containers: [{name: main, securityContext: {capabilities: {add: [IPC_LOCK]}}}]}";
  const std::string host = "spec: {volumes: [{name: sys, hostPath: {path: /sys}}]}";
  const std::string bind = "spec: {containers: [{name: main, securityContext: {capabilities: {add: [CHOWN]}}}]}";
  CHECK(contains(made("security = baseline", lock).stated(),
                 "plane `pods` admits pods of level `baseline`, which excludes the capability IPC_LOCK in container"));
  CHECK(contains(made("security = baseline", host).stated(), "which excludes the hostPath volume `/sys`"));
  CHECK(contains(made("security = baseline", "spec: {hostNetwork: true}").stated(), "excludes `hostNetwork`"));
  CHECK(made("security = baseline", bind).ok());
  CHECK(contains(made("security = restricted", bind).stated(), "excludes the capability CHOWN"));
  CHECK(made("security = baseline", "spec: {priorityClassName: x}").ok());
  // Without a level nothing is refused, and the file says which namespace it needs.
  CHECK(made("", lock).has("# its namespace must admit privileged pods (the capability IPC_LOCK in container"));
  CHECK_FALSE(made("", bind).has("privileged"));
  CHECK_FALSE(made("security = privileged", lock).has("privileged"));  // the site has said it
}

TEST_CASE("pods: a file says which capability has no effect, because its container does not run as root") {
  const auto made = [](const std::string& user) {
    const std::string lock = "spec: {containers: [{name: main, securityContext: {capabilities: {add: [IPC_LOCK]}}}]}";
    Pods scene = scene_of("train", gang, "", "gang = kueue\npod = <<<yaml\n" + lock + "\n>>>\n");
    scene.site += "identity { uid = " + user + "  gid = " + user + " }\n";
    return lower(scene, "jobset");
  };
  CHECK(made("1000").has("# user 1000 cannot use the capability IPC_LOCK in container `main`: run it as root"));
  CHECK_FALSE(made("0").has("cannot use"));
}

TEST_CASE("pods: kinds that can take a workload are tried before it is refused") {
  const auto target = [](const std::string& kind, const std::string& more, const std::string& plane) {
    model::PodsShape shape = {.kind = kind == "batch" ? model::Kind::batch : model::Kind::train,
                              .trains = kind == "train",
                              .grows = more == "grows"};
    model::PodPlane pods;
    pods.training_kind = plane;
    return model::pods_targets(shape, pods);
  };
  using Names = std::vector<std::string>;
  CHECK(target("batch", "", "volcano") == Names{"kubernetes", "jobset", "trainjob", "pytorchjob", "volcano"});
  CHECK(target("batch", "", "jobset") == Names{"kubernetes", "jobset", "trainjob", "pytorchjob"});
  // The kind that can grow comes first for what starts with one node and may have more.
  CHECK(target("train", "grows", "pytorchjob") == Names{"pytorchjob", "kubernetes", "jobset", "trainjob"});
  CHECK(target("train", "grows", "jobset").front() == "kubernetes");
  CHECK(target("train", "", "pytorchjob").front() == "kubernetes");
}

TEST_CASE("pods: a sweep whose points have several nodes is refused with that reason") {
  const std::string sweep = "sweep { axes { s = 1..3 } }\n";
  const std::string said = lower(scene_of("sweep", gang + sweep), "kueue").stated();
  CHECK(contains(said, "target `kueue` cannot run a sweep whose points have 2 nodes each"));
}

// The operator's own flag decides whether it waits for a PodGroup that it makes: a site that does not say its flags, or
// names no operator, is told so in the file.
TEST_CASE("pods: the file says what flag of the training operator it does not expect") {
  const std::string run = "launch { runner = torchrun }\nimage = \"torch:2\"\n";
  const auto says = [&](const std::string& operators) {
    Pods scene = scene_of("train", gang + run);
    scene.plane = "gang = volcano\n" + operators;
    const Manifests made = lower(scene, "pytorchjob");
    REQUIRE(made.ok());
    return made.has("waits for a PodGroup of its own");
  };
  CHECK(says(""));
  CHECK(says("operator training-operator { version = \"1.9\" }"));
  CHECK_FALSE(says("operator training-operator { version = \"1.9\"  flags = [\"--gang-scheduler-name=volcano\"] }"));
}

}  // namespace pods_queue_test
