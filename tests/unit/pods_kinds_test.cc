// Targets of pods: which objects a workload becomes, and what their own words say.
#include "compiler/data/write.h"
#include "tests/unit/pods_scene.h"

namespace pods_kinds_test {

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

TEST_CASE("pods: those that use the network of the host, or a fabric, are kept on nodes of their own") {
  const auto made = [](const std::string& target, const std::string& pod, targets::LowerOptions options = {}) {
    Pods scene = scene_of("train", "nodes = 4\ngpu = H100:2\nlaunch { runner = torchrun }\ncommand = [\"t.py\"]\n",
                          "gang = kueue\n" + pod);
    scene.options = options;
    if (pod.empty()) scene.site += "fabric infiniband { env { NCCL_IB_HCA = \"mlx5\" } }\n";
    return lower(scene, target);
  };
  CHECK(made("jobset", "pod = \"spec: {hostNetwork: true}\"").has("podAntiAffinity"));
  CHECK_FALSE(made("jobset", "pod = \"spec: {priorityClassName: x}\"").has("podAntiAffinity"));
  // A pod that exchanges data with no other uses no fabric.
  Pods service = scene_of("serve", "replicas = 2\ngpu = H100:1\nport http { number = 80 }\n" + run);
  service.site += "fabric infiniband { env { NCCL_IB_HCA = \"mlx5\" } }\n";
  CHECK(lower(service).ok());
  CHECK_FALSE(lower(service).has("podAntiAffinity"));
  CHECK(made("trainjob", "").has("jobset.sigs.k8s.io/jobset-name: w-"));
  CHECK(made("trainjob", "", {.source = {}, .run = {}, .names = targets::Names::generate})
            .stated()
            .find("may share a node") != std::string::npos);
}

TEST_CASE("objects that have ended are deleted after the time of the plane") {
  const std::string run = "image = \"a:1\"\ncommand = [\"x\"]\n";
  const auto lowered = [&](const std::string& target, const std::string& workload, const std::string& keep) {
    return lower(Pods{.plane = "gang = " + std::string(target == "volcano" ? "volcano" : "kueue") + "\n" + keep,
                      .workload = workload + run},
                 target);
  };
  const auto time_of = [&](const std::string& target, const std::string& workload, const std::string& path,
                           const std::string& keep = "") {
    const Manifests made = lowered(target, workload, keep);
    INFO(made.stated());
    REQUIRE(made.ok());
    const data::Node* found = made.objects.back().at(path + ".ttlSecondsAfterFinished");
    for (const data::Node& object : made.objects)
      if (found == nullptr) found = object.at(path + ".ttlSecondsAfterFinished");
    return found == nullptr ? std::string("none") : found->text;
  };
  const std::string train = "kind = train\nnodes = 2\ngpu = H100:8\n";
  const std::string torch = train + "launch { runner = torchrun }\n";
  CHECK(time_of("kubernetes", "kind = batch\n", "spec") == "604800");
  CHECK(time_of("jobset", train, "spec") == "604800");
  CHECK(time_of("volcano", train, "spec") == "604800");
  CHECK(time_of("pytorchjob", torch, "spec.runPolicy") == "604800");
  CHECK(time_of("jobset", train, "spec", "keep-finished = 90m") == "5400");
  CHECK(time_of("jobset", train, "spec", "keep-finished = 1500ms") == "2");
  CHECK(time_of("jobset", train, "spec", "keep-finished = forever") == "none");
  // That of an MPIJob is its launcher's, and that of a RayJob the time for which its cluster keeps its nodes.
  CHECK(time_of("mpijob", "kind = mpi\nnodes = 2\ngpu = H100:8\nlaunch { runner = mpi }\n", "spec.runPolicy") ==
        "none");
  const Manifests ray =
      lowered("kuberay", "kind = rl\nnodes = 2\ngpu = H100:8\nlaunch { runner = ray  version = \"2.49\" }\n", "");
  CHECK_FALSE(ray.has("ttlSecondsAfterFinished"));
  CHECK(ray.has("# to delete it after its end: kubectl delete rayjob.ray.io w-"));
  CHECK(lowered("trainjob", torch, "")
            .has("# to delete it after its end: kubectl delete trainjob.trainer.kubeflow.org w-"));
  CHECK_FALSE(lowered("trainjob", torch, "keep-finished = forever").has("to delete it"));
  // Of a name that the API server makes up nothing else is deleted.
  Pods generated{.workload = torch + run, .options = {.source = {}, .run = {}, .names = targets::Names::generate}};
  CHECK(
      lower(generated, "trainjob").has("delete trainjob.trainer.kubeflow.org NAME  # which `kubectl create` prints\n"));
  CHECK(lowered("jobset", train, "")
            .has("# the job is deleted 7d after its end; applied after that, this file runs it again"));
  // Another time is the same run, under the same name.
  CHECK(lowered("jobset", train, "").lowered.object.name ==
        lowered("jobset", train, "keep-finished = 1h").lowered.object.name);
  const Manifests service = lowered("kubernetes", "kind = serve\nport http { number = 80 }\n", "");
  CHECK_FALSE(service.has("ttlSecondsAfterFinished"));
  CHECK_FALSE(service.has("to delete it"));
}

TEST_CASE("kueue: each kind that it admits, with its queue on the object") {
  const std::string_view queue = "kueue.x-k8s.io/queue-name";
  const auto admitted = [&](const Pods& scene, std::string_view kind) {
    const Manifests out = lower(scene, "kueue");
    INFO(out.stated());
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
    admitted(scene_of("dev", "nodes = 2\ngpus = 8\ndev { interface = shell }\n" + ray, plane), "RayCluster");
    admitted(scene_of("serve", ray + "gpus = 1\nserve { config = <<<yaml\n applications: []\n>>>\n}\n", plane),
             "RayService");
    admitted(scene_of("batch", run, plane), "Job");
    admitted(scene_of("batch", gang, plane), "JobSet");
    admitted(scene_of("sweep", run + "sweep { axes { s = 1..3 } }\n", plane), "Job");
    admitted(scene_of("dev", run + "gpus = 1\n", plane), "Pod");
    admitted(scene_of("serve", run + "gpus = 1\nport http { number = 80 }\n", plane), "Deployment");
    admitted(scene_of("serve", gang + "port http { number = 80 }\n", plane), "LeaderWorkerSet");
  }
}

TEST_CASE("kueue: the operator of the kind has to be there") {
  const std::string plane = "gang = kueue\noperator jobset {}\n";
  CHECK(lower(scene_of("train", gang, plane), "kueue").ok());
  CHECK(lower(scene_of("rl", gang + ray, plane), "kueue").stated().find("operator `kuberay`") != std::string::npos);
  CHECK(lower(scene_of("batch", run, plane), "kueue").ok());
}

TEST_CASE("kueue: more kinds of pods than a Workload of Kueue's has") {
  std::string roles;
  for (int i = 0; i < 19; ++i) roles += "role r" + std::to_string(i) + " {\n cpus = 1\n" + run + "}\n";
  CHECK(lower(scene_of("rl", roles), "kueue").stated().find("Kueue admits at most 18 roles together") !=
        std::string::npos);
}

TEST_CASE("mpijob: a launcher without GPUs runs mpirun over the workers' slots") {
  const std::string mpi = "nodes = 4\ngpu = H100:8\nlaunch { runner = mpi  args = [\"-x\", \"A=$(B)\"] }\n" + run;
  for (const std::string target : {"mpijob", "kueue"}) {
    const Manifests out = lower(scene_of("mpi", mpi), target);
    INFO(out.stated());
    const data::Node* job = out.object("MPIJob");
    REQUIRE(job != nullptr);
    CHECK(text_at(job, "apiVersion") == "kubeflow.org/v2beta1");
    CHECK(text_at(job, "spec.slotsPerWorker") == "8");
    CHECK(text_at(job, "spec.launcherCreationPolicy") == "WaitForWorkersReady");
    CHECK(text_at(job, "spec.runPolicy.cleanPodPolicy") == "Running");
    CHECK(text_at(job, "spec.runPolicy.backoffLimit") == "0");
    CHECK(text_at(job, "spec.mpiReplicaSpecs.Worker.replicas") == "4");
    CHECK(job->at("spec.sshAuthMountPath") == nullptr);
    const data::Node& launcher = job->at("spec.mpiReplicaSpecs.Launcher.template.spec.containers")->items.at(0);
    const std::vector<data::Node>& command = launcher.get("command")->items;
    REQUIRE(command.size() > 10);
    // Kueue resumes the launcher and the workers at once, so the launcher waits for them itself.
    CHECK(command[2].text.find("until ssh -p 2222") != std::string::npos);
    CHECK(command[4].text == "mpirun");
    CHECK(command[6].text == "32");
    CHECK(out.has("- A=$$(B)"));
    CHECK(text_at(&launcher, "resources.requests.cpu") == "0");
    CHECK(launcher.at("resources.limits")->members.size() == 2);
    CHECK(label_of(job, "kueue.x-k8s.io/queue-name") == "main");
  }
}

TEST_CASE("mpijob: a launcher that starts with the workers or again waits for them") {
  const std::string mpi = "nodes = 4\ngpus = 8\nlaunch { runner = mpi }\n" + run;
  const Manifests once = lower(scene_of("mpi", mpi, "gang = volcano"), "mpijob");
  CHECK_FALSE(once.has("until ssh"));
  CHECK(text_at(once.object("MPIJob"), "spec.mpiReplicaSpecs.Worker.restartPolicy") == "Never");
  const Manifests again = lower(scene_of("mpi", mpi + "retry { limit = 2 }\n", "gang = volcano"), "mpijob");
  INFO(again.stated());
  CHECK(again.has("until ssh"));
  CHECK(text_at(again.object("MPIJob"), "spec.runPolicy.backoffLimit") == "2");
  CHECK(text_at(again.object("MPIJob"), "spec.mpiReplicaSpecs.Launcher.restartPolicy") == "Never");
  CHECK(text_at(again.object("MPIJob"), "spec.mpiReplicaSpecs.Worker.restartPolicy") == "OnFailure");
}

TEST_CASE("mpijob: as the site's user the keys lie where another user may read them") {
  Pods scene = scene_of("mpi", "nodes = 2\ngpus = 8\nlaunch { runner = mpi }\n" + run);
  scene.site += "identity { uid = 1000 }\n";
  const Manifests out = lower(scene, "mpijob");
  INFO(out.stated());
  CHECK(text_at(out.object("MPIJob"), "spec.sshAuthMountPath") == "/job-ssh");
  CHECK_FALSE(out.has("--allow-run-as-root"));
  CHECK(out.has("-i /job-ssh/id_rsa"));
  CHECK(out.has("AuthorizedKeysFile=/job-ssh/authorized_keys"));
  CHECK(out.has("and a user 1000 in its /etc/passwd"));
}

TEST_CASE("mpijob: the gang is the workers, and an operator that counts the launcher is refused") {
  const std::string mpi = "nodes = 4\ngpus = 8\nlaunch { runner = mpi }\n" + run;
  const Manifests out = lower(scene_of("mpi", mpi, "gang = volcano"), "mpijob");
  CHECK(text_at(out.object("PodGroup"), "spec.minMember") == "4");
  const std::string flags = "gang = volcano\noperator mpi-operator { flags = [\"--gang-scheduling=volcano\"] }\n";
  CHECK(lower(scene_of("mpi", mpi, flags), "mpijob").stated().find("waits for the launcher") != std::string::npos);
  CHECK(lower(scene_of("train", gang), "mpijob").stated().find("starts its program with mpirun") != std::string::npos);
  CHECK(lower(scene_of("mpi", mpi, "gang = kueue\noperator jobset {}\n"), "mpijob")
            .stated()
            .find("operator `mpi-operator`") != std::string::npos);
}

TEST_CASE("kuberay: each role is a group of workers, the one with the program has the head") {
  const std::string roles = ray +
                            "role generate {\n gpus = 4\n cpus = 8\n replicas = 2..4\n}\n"
                            "role train {\n nodes = 3\n gpus = 8\n" +
                            run + "}\nrole judge {\n nodes = 2\n replicas = 2\n gpus = 1\n}\n";
  const Manifests out = lower(scene_of("rl", roles), "kuberay");
  INFO(out.stated());
  const data::Node* cluster =
      out.object("RayJob") == nullptr ? nullptr : out.object("RayJob")->at("spec.rayClusterSpec");
  REQUIRE(cluster != nullptr);
  CHECK(cluster->at("headGroupSpec.rayStartParams.resources")->text == "\"{\\\"train\\\": 1}\"");
  CHECK(cluster->get("enableInTreeAutoscaling")->text == "true");
  const auto& groups = cluster->get("workerGroupSpecs")->items;
  REQUIRE(groups.size() == 3);
  const auto group = [&](std::size_t i) {
    std::string stated;
    for (const char* key : {"groupName", "replicas", "minReplicas", "maxReplicas", "numOfHosts"})
      stated += groups[i].get(key) == nullptr ? "-" : groups[i].get(key)->text + " ";
    return stated;
  };
  CHECK(group(0) == "generate 2 2 4 -");
  CHECK(group(1) == "train 2 2 2 -");
  CHECK(group(2) == "judge 2 2 2 2 ");
  CHECK(groups[0].at("template.spec.containers")->items[0].at("resources.limits")->get("nvidia.com/gpu")->text == "4");
  CHECK(out.object("RayJob")->at("spec.entrypoint")->text == "run");
  CHECK(out.object("ConfigMap") == nullptr);
  CHECK(label_of(out.object("RayJob"), "kueue.x-k8s.io/queue-name") == "main");
  CHECK(out.has("kueue.x-k8s.io/elastic-job: \"true\""));
}

TEST_CASE("kuberay: the machines of all roles have what one of them names") {
  const std::string roles =
      "role learner { gpus = 8  primary = true  command = [\"learn\", \"\\$MUSTER_NAME\"] }\n"
      "role actor { gpus = 1 }\n";
  const Manifests out = lower(scene_of("rl", roles + ray), "kuberay");
  INFO(out.stated());
  REQUIRE(out.ok());
  std::size_t count = 0;
  const std::string text = out.text();
  for (std::size_t at = 0; (at = text.find("- name: MUSTER_NAME\n", at)) != std::string::npos; ++at) ++count;
  CHECK(count == 2);
  CHECK(text.find("MUSTER_RAY_RANK") == std::string::npos);  // nothing asks for the rank
}

TEST_CASE("kuberay: the head leaves the autoscaler what it has of it, else the autoscaler requests nothing") {
  const auto amounts = [](const std::string& of_head, const std::string& plane = "gang = kueue") {
    const Manifests out = lower(scene_of("rl", "nodes = 1..2\n" + of_head + run + ray, plane), "kuberay");
    INFO(out.stated());
    const data::Node* cluster = out.object("RayJob")->at("spec.rayClusterSpec");
    const std::string head = "headGroupSpec.";
    const data::Node& container = cluster->at(head + "template.spec")->get("containers")->items.at(0);
    const auto at = [&](const data::Node* from, std::string_view path) { return text_at(from, path) + " "; };
    return at(&container, "resources.limits.cpu") + at(&container, "resources.limits.memory") + "| " +
           at(cluster, "autoscalerOptions.resources.requests.cpu") +
           at(cluster, "autoscalerOptions.resources.requests.memory") +
           at(cluster, "autoscalerOptions.securityContext.allowPrivilegeEscalation");
  };
  CHECK(amounts("cpus = 8\nmemory = 8GiB\n") == "7 7680Mi |    ");
  CHECK(amounts("cpus = 1\nmemory = 8GiB\n") == "1 7680Mi | 0 512Mi  ");
  CHECK(amounts("cpus = 2\nmemory = 512MiB\n") == "1 512Mi | 500m 0  ");
  CHECK(amounts("cpus = 8\nmemory = 8GiB\n", "gang = kueue\nsecurity = restricted") == "7 7680Mi |   false ");
}

TEST_CASE("pytorchjob: the operator's init container is not admitted where pods must be restricted") {
  const std::string restricted = "gang = kueue\nsecurity = restricted\n";
  const auto said = [&](const std::string& plane, const std::string& more = gang) {
    return lower(scene_of("train", more, plane), "pytorchjob").stated();
  };
  CHECK(said(restricted).find("init container that the training operator adds") != std::string::npos);
  CHECK(said(restricted + "operator training-operator { flags = [\"--pytorch-init-container-template-file=/a.yaml\"] }")
            .empty());
  CHECK(said("gang = kueue\n").empty());
  CHECK(said(restricted, "gpus = 8\n" + run).empty());  // a Master alone
  CHECK(lower(scene_of("train", gang, restricted), "jobset").ok());
}

TEST_CASE("gangs that are coupled over nodes prefer the plane's level, in the words of its scheduler") {
  const std::string leaves = "leaf l1 { nodes = \"a[1-4]\" }\nleaf l2 { nodes = \"a[5-8]\" }\n";
  const auto lowered = [&](const std::string& plane, const std::string& target, const std::string& more = gang) {
    Pods scene = scene_of("train", more, plane);
    scene.pool += leaves;
    return lower(scene, target);
  };
  const std::string kueue = "kueue.x-k8s.io/podset-preferred-topology: example.com/leaf";
  const std::string label = "level leaf { label = \"example.com/leaf\" }\n", tier = "level leaf { tier = 1 }\n";
  for (const std::string target : {"jobset", "pytorchjob", "trainjob", "kubernetes"})
    CHECK(lowered("gang = kueue\n" + label, target).has(kueue));
  CHECK(lowered("gang = kueue\n" + label, "jobset").has("flavors need a Topology with example.com/leaf"));
  CHECK(lowered("gang = kueue\nlevel block { label = \"example.com/block\" }", "jobset")
            .has("podset-preferred-topology: example.com/block"));
  CHECK(lowered("gang = volcano\n" + tier, "jobset").has("mode: soft"));
  CHECK(lowered("gang = volcano\n" + tier, "volcano").has("highestTierAllowed: 1"));
  CHECK(lowered("gang = kai\n" + label, "jobset").has("kai.scheduler/topology-preferred-placement: example.com/leaf"));
  // A preference is not worth a refusal: a release that has no such field gets none.
  CHECK(lowered("gang = volcano\n" + tier + "operator volcano { version = \"1.11\" }\noperator jobset {}", "jobset")
            .has("does not place by topology"));
  // What the workload names itself wins, a single node has no neighbour, and what grows gets no nodes of Kueue.
  CHECK(lowered("gang = kueue\n" + label, "jobset", gang + "topology { within = leaf  required = true }\n")
            .has("podset-required-topology"));
  CHECK_FALSE(lowered("gang = kueue\n" + label, "jobset", gang + "topology { within = fleet }\n").has("topology:"));
  CHECK_FALSE(lowered("gang = kueue\n" + label, "kubernetes", "gpu = H100:8\n" + run).has("topology:"));
  CHECK_FALSE(
      lowered("gang = kueue\n" + label, "kuberay", "nodes = 2..4\ngpu = H100:8\n" + run + ray).has("topology:"));
  // Where the plane has no word for it, the file says so.
  const std::string any = "so the scheduler may use any leaf switch";
  for (const std::string& plane :
       {std::string("gang = kueue\n"), "gang = volcano\n" + label, "gang = coscheduling\n" + label})
    CHECK(lowered(plane, "jobset").has(any));
  CHECK_FALSE(lowered("gang = kueue\n" + label, "jobset").has(any));
}

TEST_CASE("kuberay: two programs, and an order that nobody sees") {
  const std::string two = ray + "role a {\n cpus = 1\n" + run + "}\nrole b {\n cpus = 1\n";
  CHECK(lower(scene_of("rl", two + run + "}\n"), "kuberay").stated().find("which is that of role `a`") !=
        std::string::npos);
  const std::string ready = "port p { number = 80 }\nprobe readiness { tcp = true  port = p }\n}\n";
  const std::string waits =
      ray + "role a {\n cpus = 1\n" + run + "depends-on b { on = ready }\n}\nrole b {\n cpus = 1\n";
  CHECK(lower(scene_of("rl", waits + ready), "kuberay").stated().find("on = started") == std::string::npos);
  CHECK_FALSE(lower(scene_of("rl", waits + ready), "kuberay").ok());
  const std::string started =
      ray + "role a {\n cpus = 1\n" + run + "depends-on b { on = started }\n}\nrole b {\n cpus = 1\n}\n";
  CHECK(lower(scene_of("rl", started), "kuberay").ok());
}

TEST_CASE("kuberay: the gang's words of each provider, for each of its kinds") {
  struct Words {
    const char *plane, *stated;
  };
  const Words providers[] = {{"volcano", "volcano.sh/queue-name: main"},
                             {"yunikorn", "yunikorn.apache.org/queue: main"},
                             {"kai-scheduler", "kai.scheduler/queue: main"},
                             {"scheduler-plugins", "ray.io/gang-scheduling-enabled: \"true\""}};
  const std::pair<const char*, std::string> kinds[] = {
      {"RayJob", "rl"}, {"RayCluster", "dev"}, {"RayService", "serve"}};
  for (const Words& words : providers)
    for (const auto& [object, kind] : kinds) {
      const std::string flag = words.plane;
      const std::string provider = flag == "kai-scheduler"       ? "kai"
                                   : flag == "scheduler-plugins" ? "coscheduling"
                                                                 : flag;
      const std::string plane =
          "gang = " + provider + "\noperator kuberay { flags = [\"--batch-scheduler=" + flag + "\"] }\n";
      std::string more = ray + "nodes = 2\ngpus = 8\n";
      if (kind == "rl") more += run;
      if (kind == "dev") more += "dev { interface = shell }\n";
      if (kind == "serve") more += "serve { config = <<<yaml\n applications: []\n>>>\n}\n";
      const Manifests out = lower(scene_of(kind, more, plane), "kuberay");
      INFO(provider << " " << object << " " << out.stated());
      CHECK(out.object(object) != nullptr);
      CHECK(out.has(words.stated));
    }
}

TEST_CASE("pytorchjob: a range of nodes under torchrun is an elastic job") {
  const std::string range =
      "nodes = 2..6\ngpu = H100:8\nlaunch { runner = torchrun }\n" + run + "retry { limit = 3 }\n";
  const auto spec = [](const Manifests& out, std::string_view path) {
    return text_at(out.object("PyTorchJob"), "spec." + std::string(path));
  };
  const Manifests volcano = lower(scene_of("train", range, "gang = volcano"), "pytorchjob");
  INFO(volcano.stated());
  CHECK(spec(volcano, "elasticPolicy.minReplicas") == "2");
  CHECK(spec(volcano, "elasticPolicy.maxReplicas") == "6");
  CHECK(spec(volcano, "elasticPolicy.nProcPerNode") == "8");
  CHECK(spec(volcano, "elasticPolicy.maxRestarts") == "3");
  CHECK(spec(volcano, "nprocPerNode").empty());
  CHECK(spec(volcano, "pytorchReplicaSpecs.Worker.replicas") == "6");
  CHECK(spec(volcano, "pytorchReplicaSpecs.Master.replicas").empty());
  CHECK(text_at(volcano.object("PodGroup"), "spec.minMember") == "2");
  // Kueue admits all that is asked for.
  const Manifests kueue = lower(scene_of("train", range), "pytorchjob");
  CHECK(spec(kueue, "pytorchReplicaSpecs.Worker.replicas") == "2");
  // Another launcher does not go on with fewer: the range is its lower end, and that is said.
  const std::string plain = "nodes = 2..6\ngpu = H100:8\n" + run;
  const Manifests fixed = lower(scene_of("train", plain), "pytorchjob");
  CHECK(spec(fixed, "elasticPolicy.minReplicas").empty());
  CHECK(spec(fixed, "pytorchReplicaSpecs.Worker.replicas") == "1");
  for (const targets::LossEntry& entry : fixed.lowered.loss.entries())
    if (entry.field == model::Field::resources_nodes) CHECK(entry.status == targets::LossEntry::Status::approximated);
}

TEST_CASE("trainjob: Trainer's policy for JAX where the program starts by itself") {
  const Manifests jax = lower(scene_of("train", gang), "trainjob");
  CHECK(label_of(jax.object("TrainingRuntime"), "trainer.kubeflow.org/framework") == "jax");
  CHECK(jax.object("TrainingRuntime")->at("spec.mlPolicy.jax") != nullptr);
  CHECK(text_at(jax.object("TrainJob"), "spec.trainer.numNodes") == "4");
  CHECK(text_at(jax.object("TrainJob"), "spec.trainer.numProcPerNode").empty());
  const Manifests torch = lower(scene_of("train", gang + "launch { runner = torchrun }\n"), "trainjob");
  CHECK(label_of(torch.object("TrainingRuntime"), "trainer.kubeflow.org/framework") == "torch");
  const Manifests own = lower(scene_of("train", gang + "env { JAX_PROCESS_ID = \"1\" }\n"), "trainjob");
  CHECK(own.stated().find("`JAX_PROCESS_ID` is set by Kubeflow Trainer") != std::string::npos);
  const Manifests rank = lower(scene_of("train", gang + "env { RANK = \"1\" }\n"), "pytorchjob");
  CHECK(rank.stated().find("`RANK` is set by the training operator") != std::string::npos);
}

TEST_CASE("pods: one process of a node knows its rank") {
  const std::string one = gang + "launch { runner = processes  processes = 1 }\n";
  const auto sets = [&](const char* target, const char* kind, const char* name) {
    const Manifests out = lower(scene_of("train", one), target);
    INFO(out.stated());
    REQUIRE(out.object(kind) != nullptr);
    return data::to_json(*out.object(kind)).find("\"name\": \"" + std::string(name) + "\"") != std::string::npos;
  };
  CHECK(sets("trainjob", "TrainJob", "RANK"));
  CHECK(sets("trainjob", "TrainJob", "LOCAL_RANK"));
  CHECK(sets("jobset", "JobSet", "RANK"));
  CHECK_FALSE(sets("pytorchjob", "PyTorchJob", "RANK"));  // the operator's
  CHECK(sets("pytorchjob", "PyTorchJob", "LOCAL_RANK"));
}

TEST_CASE("pods: in their node's network the runs have ports of their own") {
  const std::string host = "pod = <<<yaml\nspec: {hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet}\n>>>\n";
  const std::string shelled = gang + "launch { contract = full }\nsetup = <<<bash\ntrue\n>>>\n";
  const auto port = [](const Manifests& out) {
    INFO(out.stated());
    REQUIRE(out.ok());
    const std::string start = out.object("ConfigMap")->get("data")->get("start")->text;
    const std::size_t at = start.find("MUSTER_PORT=");
    return start.substr(at, start.find('\n', at) - at);
  };
  CHECK(port(lower(scene_of("train", shelled), "jobset")).starts_with("MUSTER_PORT=29500"));
  CHECK(port(lower(scene_of("train", shelled, "gang = kueue\n" + host), "jobset")).find("cksum") != std::string::npos);
  CHECK(
      port(lower(scene_of("train", shelled + "target kubernetes { pod = \"spec: {hostNetwork: true}\" }\n"), "jobset"))
          .find("cksum") != std::string::npos);
  Pods scene = scene_of("train", shelled);
  scene.site += "fabric infiniband {\n" + host + "}\n";
  CHECK(port(lower(scene, "jobset")).find("cksum") != std::string::npos);
}

TEST_CASE("kuberay: a sweep is Ray Tune's") {
  const std::string sweep = ray + run + "gpus = 1\nsweep { axes { s = 1..3 } }\n";
  CHECK(lower(scene_of("sweep", sweep), "kuberay").stated().find("would be a separate Ray cluster") !=
        std::string::npos);
}

TEST_CASE("lws: a group of pods a replica, the leader alone has the endpoint") {
  const std::string service = "replicas = 2\nnodes = 2\ngpus = 8\n" + run +
                              "port http { number = 8000 }\nserve { port = http }\n"
                              "probe readiness { http = \"/health\"  port = http }\n";
  const Manifests out = lower(scene_of("serve", service), "lws");
  INFO(out.stated());
  const data::Node* set = out.object("LeaderWorkerSet");
  CHECK(text_at(set, "metadata.name") == "w");
  CHECK(text_at(set, "spec.replicas") == "2");
  CHECK(text_at(set, "spec.leaderWorkerTemplate.size") == "2");
  CHECK(label_of(set, "kueue.x-k8s.io/queue-name") == "main");
  REQUIRE(set != nullptr);
  const auto& leader = set->at("spec.leaderWorkerTemplate.leaderTemplate.spec.containers")->items[0];
  const auto& worker = set->at("spec.leaderWorkerTemplate.workerTemplate.spec.containers")->items[0];
  CHECK(leader.get("readinessProbe") != nullptr);
  CHECK(leader.get("ports") != nullptr);
  CHECK(worker.get("readinessProbe") == nullptr);
  CHECK(worker.get("ports") == nullptr);
  CHECK(text_at(out.object("Service"), "metadata.name") == "w-leader");
  CHECK(out.object("Service")->at("spec.selector")->get("leaderworkerset.sigs.k8s.io/worker-index")->text == "0");
  CHECK(lower(scene_of("serve", service + ray), "lws").has("ray start --address="));
  CHECK(lower(scene_of("serve", service, "gang = none"), "lws").stated().find("has no gang scheduler") !=
        std::string::npos);
  CHECK(lower(scene_of("serve", service, "gang = yunikorn"), "lws").stated().find("does not support") !=
        std::string::npos);
  CHECK(lower(scene_of("serve", service, "gang = kai"), "lws").has("schedulerName: kai-scheduler"));
  CHECK(lower(scene_of("train", gang), "lws").stated().find("this workload runs to completion") != std::string::npos);
}

TEST_CASE("a variable with a value of a point in it is set behind the table of points") {
  const auto job = lower(scene_of("sweep", run + "env { RUN = \"exp-${s}\"  P = \"p${run.point}\"  ALONE = $s }\n"
                                                 "sweep { axes { s = [\"a b\", \"c\"] } }\n"),
                         "kubernetes");
  REQUIRE(job.ok());
  const std::string text = job.text();
  const std::size_t table = text.find("esac");
  REQUIRE(table != std::string::npos);
  const std::size_t line = text.find("export RUN=\"exp-$ALONE\" P=\"p$MUSTER_POINT\"\n");
  CHECK(line != std::string::npos);
  CHECK(line > table);
}

}  // namespace pods_kinds_test
