// What a manifest says exactly of pods, GPUs, hours and money, and where it says nothing.
#include "compiler/data/read.h"
#include "review/describe.h"
#include "tests/catch.h"

namespace review_manifest_test {

using namespace muster;
using namespace muster::review;

namespace {

using Number = std::optional<std::int64_t>;

const std::string pods_of_8 = "{containers: [{name: c, resources: {limits: {nvidia.com/gpu: 8}}}]}";

// Pools of so many GPUs a node at a price each, for one plane of pods.
struct Cluster {
  explicit Cluster(const std::vector<std::pair<std::int64_t, std::string>>& pools) {
    fleet.name = "f";
    for (const auto& [gpus, price] : pools) {
      model::Pool& pool = fleet.pools.emplace_back();
      pool.name = "p" + std::to_string(fleet.pools.size());
      pool.node_count = 4;
      pool.gpu.emplace().count = gpus;
      pool.cost_per_gpu_hour = price;
    }
    model::Plane& plane = site.planes.emplace_back();
    plane.name = "k";
    plane.set_kind(model::PlaneKind::kubernetes);
  }
  model::Fleet fleet;
  model::Site site;
};

std::vector<Workload> read(const std::string& yaml, const Cluster* cluster = nullptr) {
  Sources sources;
  Diagnostics diagnostics;
  const auto file = sources.add("a.yaml", yaml);
  auto out = read_manifests(sources, file, cluster != nullptr ? &cluster->site : nullptr,
                            cluster != nullptr ? &cluster->fleet : nullptr, diagnostics);
  REQUIRE(diagnostics.empty());
  REQUIRE(out);
  return *out;
}

Workload one(const std::string& api, const std::string& kind, const std::string& spec,
             const Cluster* cluster = nullptr) {
  return read("apiVersion: " + api + "\nkind: " + kind + "\nmetadata: {name: x}\nspec: " + spec + "\n", cluster).at(0);
}

std::string templ(const std::string& pods = pods_of_8) { return "template: {spec: " + pods + "}"; }

}  // namespace

TEST_CASE("review manifests: pods that a cluster printed ask for nothing", "[review]") {
  const auto pod = [](const std::string& uid) {
    return read("apiVersion: v1\nkind: Pod\nmetadata: {name: x" + uid + "}\nspec: " + pods_of_8 +
                "\nstatus: {phase: Running}\n")
        .at(0);
  };
  CHECK(pod("").runs);
  CHECK(pod("").resources.gpus == 8);
  CHECK_FALSE(pod(", uid: 0b8e").runs);
  CHECK_FALSE(pod(", uid: 0b8e").resources.gpus.has_value());
}

TEST_CASE("review manifests: what operators add is counted", "[review]") {
  const std::string amounts = "{containers: [{name: c, resources: {requests: {cpu: 10, memory: 10Gi}}}]}";
  const auto ray = [&](const std::string& job, const std::string& cluster) {
    return one("ray.io/v1", "RayJob",
               "{" + job + "rayClusterSpec: {" + cluster + "headGroupSpec: {" + templ(amounts) +
                   "}, workerGroupSpecs: [{groupName: w, replicas: 2, minReplicas: 2, maxReplicas: 2, " +
                   templ(amounts) + "}]}}")
        .resources;
  };
  const auto all = [](const Resources& r) {
    return std::to_string(r.pods.value_or(-1)) + " pods, " + std::to_string(r.cpus.value_or(-1)) + " CPUs, " +
           std::to_string(r.memory.value_or(-1) >> 20) + " MiB";
  };
  CHECK(all(ray("", "")) == "4 pods, 31 CPUs, 30920 MiB");  // a submitter of 500m and 200Mi
  CHECK(all(ray("submissionMode: HTTPMode, ", "")) == "3 pods, 30 CPUs, 30720 MiB");
  CHECK(all(ray("submissionMode: SidecarMode, ", "")) == "3 pods, 31 CPUs, 30920 MiB");
  CHECK(all(ray("submissionMode: HTTPMode, ", "enableInTreeAutoscaling: true, ")) == "3 pods, 31 CPUs, 31232 MiB");
  CHECK(
      all(ray("submissionMode: HTTPMode, ",
              "enableInTreeAutoscaling: true, autoscalerOptions: {resources: {requests: {cpu: 2, memory: 1Gi}}}, ")) ==
      "3 pods, 32 CPUs, 31744 MiB");
  // Its own template is what the file says; other modes make no pod of it.
  const std::string own =
      "submitterPodTemplate: {spec: {containers: [{name: s, resources: {requests: {cpu: 3, memory: "
      "1Gi}}}]}}, ";
  CHECK(all(ray(own, "")) == "4 pods, 33 CPUs, 31744 MiB");
  CHECK(all(ray(own + "submissionMode: HTTPMode, ", "")) == "3 pods, 30 CPUs, 30720 MiB");
}

TEST_CASE("review manifests: as many pods of a Job as are up at a time", "[review]") {
  const auto pods = [](const std::string& words) {
    return one("batch/v1", "Job", "{" + words + templ() + "}").resources.pods;
  };
  CHECK(pods("") == 1);
  CHECK(pods("parallelism: 4, ") == 4);
  CHECK(pods("parallelism: 4, completions: 3, ") == 3);
  CHECK(pods("completions: 9, ") == 1);
  CHECK(pods("parallelism: \"{{ n }}\", ") == std::nullopt);
  CHECK(pods("parallelism: \"{{ n }}\", completions: 3, ") == std::nullopt);
  CHECK(pods("parallelism: 4, completions: \"{{ n }}\", ") == std::nullopt);
}

TEST_CASE("review manifests: the deadline of each kind bounds its GPU-hours", "[review]") {
  const auto seconds = [](const std::string& api, const std::string& kind, const std::string& spec) {
    return one(api, kind, spec).cost.gpu_seconds;
  };
  CHECK(seconds("batch/v1", "Job", "{parallelism: 2, activeDeadlineSeconds: 60, " + templ() + "}") == 960);
  CHECK(seconds("batch/v1", "Job", "{parallelism: 2, " + templ() + "}") == std::nullopt);
  CHECK(seconds("batch/v1", "CronJob", "{jobTemplate: {spec: {activeDeadlineSeconds: 60, " + templ() + "}}}") == 480);
  CHECK(seconds("kubeflow.org/v1", "PyTorchJob",
                "{runPolicy: {activeDeadlineSeconds: 60}, pytorchReplicaSpecs: {Worker: {replicas: 3, " + templ() +
                    "}}}") == 1440);
  CHECK(seconds("trainer.kubeflow.org/v1alpha1", "TrainJob",
                "{activeDeadlineSeconds: 60, trainer: {numNodes: 2, resourcesPerNode: {limits: {nvidia.com/gpu: "
                "4}}}}") == 480);
  CHECK(seconds("trainer.kubeflow.org/v1alpha1", "TrainJob", "{activeDeadlineSeconds: 60, trainer: {numNodes: 2}}") ==
        std::nullopt);
  const std::string ray = "rayClusterSpec: {workerGroupSpecs: [{groupName: w, replicas: 2, " + templ() + "}]}}";
  CHECK(seconds("ray.io/v1", "RayJob", "{activeDeadlineSeconds: 60, " + ray) == 960);
  CHECK(seconds("ray.io/v1", "RayJob", "{backoffLimit: 1, activeDeadlineSeconds: 60, " + ray) == std::nullopt);
  CHECK(seconds("batch/v1", "Job", "{activeDeadlineSeconds: 0, " + templ() + "}") == 0);
  CHECK(seconds("apps/v1", "Deployment", "{activeDeadlineSeconds: 60, " + templ() + "}") == std::nullopt);
}

TEST_CASE("review manifests: a JobSet ends where all of its jobs end alike and none is tried anew", "[review]") {
  const auto set = [](const std::string& words, const std::string& deadline) {
    const std::string job = "{activeDeadlineSeconds: 60, parallelism: 2, " + templ() + "}";
    const std::string other = "{" + deadline + templ() + "}";
    return one("jobset.x-k8s.io/v1alpha2", "JobSet",
               "{" + words + "replicatedJobs: [{name: a, replicas: 3, template: {spec: " + job +
                   "}}, {name: b, template: {spec: " + other + "}}]}");
  };
  const Workload all = set("", "activeDeadlineSeconds: 60, ");
  CHECK(all.resources.pods == 7);
  CHECK(all.resources.gpus == 56);
  CHECK(all.cost.gpu_seconds == 3360);
  CHECK(set("", "activeDeadlineSeconds: 61, ").cost.gpu_seconds == std::nullopt);
  CHECK(set("", "").cost.gpu_seconds == std::nullopt);
  CHECK(set("failurePolicy: {maxRestarts: 1}, ", "activeDeadlineSeconds: 60, ").cost.gpu_seconds == std::nullopt);
}

TEST_CASE("review manifests: groups, hosts and bounds of groups count", "[review]") {
  const auto lws =
      one("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
          "{replicas: 3, leaderWorkerTemplate: {size: 4, leaderTemplate: {spec: {containers: [{name: c}]}}, "
          "workerTemplate: {spec: " +
              pods_of_8 + "}}}");
  CHECK(lws.resources.pods == 12);
  CHECK(lws.resources.gpus == 72);
  const auto ray = [](const std::string& cluster, const std::string& group) {
    return one("ray.io/v1", "RayCluster",
               "{" + cluster + "headGroupSpec: {template: {spec: {containers: [{name: h}]}}}, workerGroupSpecs: [{" +
                   group + templ() + "}]}")
        .resources.gpus;
  };
  CHECK(ray("", "replicas: 2, numOfHosts: 3, ") == 48);
  CHECK(ray("", "replicas: 9, maxReplicas: 4, ") == 32);
  CHECK(ray("", "minReplicas: 2, ") == 16);
  CHECK(ray("", "") == 0);
  for (const char* unknown : {"replicas", "minReplicas", "maxReplicas"})
    CHECK(ray("", std::string(unknown) + ": \"{{ n }}\", ") == std::nullopt);
  CHECK(one("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
            "{leaderWorkerTemplate: {size: 4, workerTemplate: {spec: " + pods_of_8 + "}}}")
            .resources.pods == 4);
  // A group without a pod is none, and the ones after it keep their own numbers.
  const auto groups =
      one("ray.io/v1", "RayCluster",
          "{workerGroupSpecs: [{groupName: a, replicas: 5}, {groupName: b, replicas: 2, " + templ() + "}]}");
  CHECK(groups.resources.gpus == 16);
  const auto jobs =
      one("jobset.x-k8s.io/v1alpha2", "JobSet",
          "{replicatedJobs: [{name: a, replicas: 5}, {name: b, replicas: 2, template: {spec: {" + templ() + "}}}]}");
  CHECK(jobs.resources.gpus == 16);
  CHECK(ray("enableInTreeAutoscaling: true, ", "replicas: 2, minReplicas: 2, maxReplicas: 4, ") == std::nullopt);
  CHECK(ray("enableInTreeAutoscaling: true, ", "replicas: 2, minReplicas: 2, maxReplicas: 2, ") == 16);
}

TEST_CASE("review manifests: what somebody else decides is not known", "[review]") {
  const auto found = read("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {" + templ() +
                          "}\n---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: "
                          "web}\nspec: {scaleTargetRef: {kind: Deployment, name: web}, maxReplicas: 3}\n");
  CHECK(found.at(0).resources.pods == std::nullopt);
  CHECK(found.at(0).resources.gpus == std::nullopt);
  CHECK(found.at(0).runs);
  CHECK_FALSE(found.at(1).runs);
  CHECK(one("apps/v1", "Deployment", "{" + templ() + "}").resources.gpus == 8);
  CHECK(one("apps/v1", "DaemonSet", "{" + templ() + "}").resources.gpus == std::nullopt);
  CHECK(one("serving.knative.dev/v1", "Service", "{" + templ() + "}").resources.pods == std::nullopt);
  CHECK(one("kubeflow.org/v1", "PyTorchJob",
            "{elasticPolicy: {minReplicas: 1, maxReplicas: 3}, pytorchReplicaSpecs: {Worker: {replicas: 2, " + templ() +
                "}}}")
            .resources.pods == std::nullopt);
  const auto gpus = [](const std::string& limits, const std::string& more = "") {
    return one("v1", "Pod", "{" + more + "containers: [{name: c, resources: {limits: {" + limits + "}}}]}")
        .resources.gpus;
  };
  CHECK(gpus("cpu: 1") == 0);
  CHECK(gpus("nvidia.com/gpu: -8") == std::nullopt);
  // A sum has a number where each part has one.
  const auto trainer = one("kubeflow.org/v1", "PyTorchJob",
                           "{pytorchReplicaSpecs: {Master: {replicas: 1, " + templ() +
                               "}, Worker: {replicas: \"{{ n }}\", " + templ() + "}}}");
  CHECK(trainer.resources.pods == std::nullopt);
  CHECK(trainer.resources.gpus == std::nullopt);
  // What runs before the others holds its GPUs at another time.
  const auto before = [&](int first) {
    return one("v1", "Pod",
               "{initContainers: [{name: i, resources: {limits: {nvidia.com/gpu: " + std::to_string(first) +
                   "}}}], containers: " + pods_of_8.substr(pods_of_8.find('[')))
        .resources.gpus;
  };
  CHECK(before(4) == 8);
  CHECK(before(16) == 16);
  CHECK(one("v1", "Pod", "{containers: [{name: c, resources: {requests: {cpu: 1m}}}]}").resources.cpus == 1);
  CHECK(one("v1", "Pod", "{containers: [{name: c, resources: {requests: {cpu: 1000m}}}]}").resources.cpus == 1);
  CHECK(gpus("nvidia.com/mig-1g.10gb: 1") == std::nullopt);
  CHECK(gpus("nvidia.com/gpu: \"{{ n }}\"") == std::nullopt);
  CHECK(gpus("cpu: 1", "resourceClaims: [{name: g}], ") == std::nullopt);
}

TEST_CASE("review manifests: nodes and money where every pool says the same", "[review]") {
  const std::string spec = "{parallelism: 2, activeDeadlineSeconds: 3600, " + templ() + "}";
  const auto on = [&](const std::vector<std::pair<std::int64_t, std::string>>& pools) {
    const Cluster cluster(pools);
    return one("batch/v1", "Job", spec, &cluster);
  };
  CHECK(on({{8, "2.50"}}).resources.nodes == 2);
  CHECK(on({{8, "2.50"}}).cost.micros == 40'000'000);
  CHECK(on({{8, "2.50"}, {4, "1"}}).cost.micros == 40'000'000);  // the smaller nodes cannot take them
  CHECK(on({{8, "2.50"}, {16, "2.50"}}).resources.nodes == std::nullopt);
  CHECK(on({{8, "2.50"}, {16, "2.50"}}).cost.micros == 40'000'000);
  CHECK(on({{8, "2.50"}, {8, "3"}}).cost.micros == std::nullopt);
  CHECK(on({{8, "2.50"}, {8, ""}}).cost.micros == std::nullopt);
  CHECK(on({{4, "2.50"}}).cost.micros == std::nullopt);
  // Pods without GPUs say nothing of the pools of those that have some.
  const Cluster two({{8, "2.50"}, {4, "1"}});
  const auto mixed = one("jobset.x-k8s.io/v1alpha2", "JobSet",
                         "{replicatedJobs: [{name: a, template: {spec: {activeDeadlineSeconds: 3600, template: {spec: "
                         "{containers: [{name: c}]}}}}}, "
                         "{name: b, template: {spec: {activeDeadlineSeconds: 3600, " +
                             templ() + "}}}]}",
                         &two);
  CHECK(mixed.cost.micros == 20'000'000);
  Cluster hybrid({{8, "2.50"}});
  hybrid.site.planes.push_back(hybrid.site.planes[0]);
  CHECK(one("batch/v1", "Job", spec, &hybrid).cost.micros == std::nullopt);
}

TEST_CASE("review: of an array as many tasks run at once as the fleet takes, like those of a spec", "[review]") {
  Cluster cluster({{8, "2.50"}, {4, "2.50"}});
  cluster.site.planes.front().set_kind(model::PlaneKind::slurm);
  const auto at_once = [&](const std::string& directives, bool given = true) {
    Sources sources;
    const auto file = sources.add("a.sbatch", "#!/bin/bash\n" + directives + "srun a\n");
    return read_script(sources, file, given ? &cluster.site : nullptr, given ? &cluster.fleet : nullptr)
        .resources.at_once;
  };
  const std::string array = "#SBATCH --nodes=1\n#SBATCH --gpus-per-node=2\n#SBATCH --array=0-999";
  CHECK(at_once(array + "\n") == Number(24));
  CHECK(at_once(array + "%7\n") == Number(7));
  CHECK(at_once(array + "\n", false) == std::nullopt);
  CHECK(at_once("#SBATCH --nodes=1\n#SBATCH --gpus-per-node=2\n#SBATCH --array=0-9\n") == Number(10));
  CHECK(at_once("#SBATCH --nodes=3\n#SBATCH --gpus-per-node=8\n#SBATCH --array=0-9\n") == Number(1));
  cluster.fleet.pools.front().drained = {0, 1};
  CHECK(at_once(array + "\n") == Number(16));
}

TEST_CASE("review: what a script costs is known where one queue takes it whose pools cost the same", "[review]") {
  Cluster cluster({{8, "2.50"}, {8, "2.50"}, {8, "4"}});
  cluster.site.planes.front().set_kind(model::PlaneKind::slurm);
  for (const char* name : {"cheap", "mixed"}) {
    model::Queue& queue = cluster.site.queues.emplace_back();
    queue.name = name;
    queue.pools = {{"p1", {}}, {"p2", {}}};
  }
  cluster.site.queues.back().pools.push_back({"p3", {}});
  const auto money = [&](const std::string& more, bool given = true) {
    Sources sources;
    const auto file =
        sources.add("a.sbatch", "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gpus-per-node=8\n" + more + "srun a\n");
    return read_script(sources, file, given ? &cluster.site : nullptr, given ? &cluster.fleet : nullptr).cost.micros;
  };
  const std::string hour = "#SBATCH --time=1:00:00\n";
  CHECK(money(hour + "#SBATCH -p cheap\n") == Number(40'000'000));
  CHECK(money(hour + "#SBATCH -p cheap\n#SBATCH --array=0-9\n") == Number(400'000'000));
  CHECK_FALSE(money(hour + "#SBATCH -p cheap\n", false));
  CHECK_FALSE(money(hour + "#SBATCH -p mixed\n"));
  CHECK_FALSE(money(hour + "#SBATCH -p other\n"));
  CHECK_FALSE(money(hour + "#SBATCH -p cheap,mixed\n"));
  CHECK_FALSE(money(hour));
  CHECK_FALSE(money("#SBATCH -p cheap\n"));
  cluster.site.queues.front().is_default = true;
  CHECK(money(hour) == Number(40'000'000));
}

}  // namespace review_manifest_test
