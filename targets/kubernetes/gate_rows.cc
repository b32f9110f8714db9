// The rows of gates.h. Fields and values are those by which the CRDs of consecutive releases differ
// (tests/unit/gates_crds_test.cc compares); flags, defaults and clashes are from the source at the tags of the
// releases.
#include <array>

#include "targets/kubernetes/gates.h"

namespace muster::targets::kubernetes {
namespace {

constexpr std::string_view trainer = "trainer.kubeflow.org", jobset_group = "jobset.x-k8s.io", ray = "ray.io",
                           lws_group = "leaderworkerset.x-k8s.io", groups_of_lws = "disaggregatedset.x-k8s.io";

constexpr Releases since(std::int32_t major, std::int32_t minor) { return {{major, minor}, {}}; }
constexpr Releases until(std::int32_t major, std::int32_t minor) { return {{}, {major, minor}}; }

constexpr Gate of_trainjob(std::string_view path, Releases in, std::string_view forms = "") {
  return {.component = "trainer", .group = trainer, .kind = "TrainJob", .path = path, .in = in, .forms = forms};
}
// Of ClusterTrainingRuntime and TrainingRuntime.
constexpr Gate of_runtime(std::string_view path, Releases in, std::string_view value = "") {
  return {.component = "trainer",
          .group = trainer,
          .kind = "ClusterTrainingRuntime",
          .path = path,
          .in = in,
          .value = value};
}
constexpr Gate of_jobset(std::string_view path, Releases in, std::string_view value = "") {
  return {.component = "jobset", .group = jobset_group, .kind = "JobSet", .path = path, .in = in, .value = value};
}
constexpr Gate of_ray(std::string_view kind, std::string_view path, Releases in, std::string_view forms = "") {
  return {.component = "kuberay", .group = ray, .kind = kind, .path = path, .in = in, .forms = forms};
}
// Of a RayCluster, and of the cluster of a RayJob or RayService.
constexpr Gate of_cluster(std::string_view path, Releases in) { return of_ray("RayCluster", path, in); }
constexpr Gate of_lws(std::string_view path, Releases in, std::string_view value = "") {
  return {.component = "lws", .group = lws_group, .kind = "LeaderWorkerSet", .path = path, .in = in, .value = value};
}
constexpr Gate of_groups(std::string_view path, Releases in) {
  return {.component = "lws", .group = groups_of_lws, .kind = "DisaggregatedSet", .path = path, .in = in};
}
constexpr Gate of_volcano(std::string_view group, std::string_view kind, std::string_view path, Releases in) {
  return {.component = "volcano", .group = group, .kind = kind, .path = path, .in = in};
}
constexpr Gate of_api(std::string_view component, std::string_view api_version, std::string_view kind, Releases in) {
  return {.component = component, .group = api_version, .kind = kind, .path = "", .in = in};
}
constexpr Gate of_mark(std::string_view component, std::string_view group, std::string_view path, std::string_view mark,
                       Releases in) {
  return {.component = component, .group = group, .kind = "", .path = path, .in = in, .mark = mark};
}

// Of the first version of KubeRay's API, which later releases serve without these fields.
constexpr Gate of_first_ray(std::string_view kind, std::string_view path) {
  return {.component = "kuberay", .group = "ray.io/v1alpha1", .kind = kind, .path = path, .in = until(1, 0)};
}

constexpr std::string_view overrides = "podSpecOverrides podTemplateOverrides runtimePatches";
constexpr std::string_view deletion = "deletionPolicy deletionStrategy";

constexpr Gate gates[] = {
    of_trainjob("spec.podSpecOverrides", until(2, 1), overrides),
    of_trainjob("spec.podTemplateOverrides", {{2, 1}, {2, 2}}, overrides),
    of_trainjob("spec.runtimePatches", since(2, 2), overrides),
    of_trainjob("spec.runtimePatches[].trainingRuntimeSpec.template.spec.replicatedJobs[].template.spec.template.spec."
                "terminationGracePeriodSeconds",
                since(2, 3)),
    of_trainjob("spec.activeDeadlineSeconds", since(2, 2)),
    of_trainjob("spec.labels", until(2, 2)),
    of_trainjob("spec.annotations", until(2, 2)),
    of_trainjob("spec.trainer.env[].valueFrom.fileKeyRef", since(2, 1)),
    of_trainjob("spec.initializer.dataset.env[].valueFrom.fileKeyRef", since(2, 1)),
    of_trainjob("spec.initializer.model.env[].valueFrom.fileKeyRef", since(2, 1)),

    of_runtime("spec.podGroupPolicy.volcano", since(2, 1)),
    of_runtime("spec.mlPolicy.flux", since(2, 2)),
    of_runtime("spec.mlPolicy.jax", since(2, 2)),
    of_runtime("spec.mlPolicy.xgboost", since(2, 2)),
    of_runtime("spec.mlPolicy.torch.elasticPolicy", until(2, 2)),
    of_runtime("spec.mlPolicy.torch.numProcPerNode", until(2, 2)),
    of_runtime("spec.mlPolicy.torch.envInjection", since(2, 3)),
    of_runtime("spec.template.spec.replicatedJobs[].groupName", since(2, 1)),
    of_runtime("spec.template.spec.failurePolicy.rules[].onJobFailureMessagePatterns", since(2, 1)),
    of_runtime("spec.template.spec.failurePolicy.rules[].action", since(2, 3), "RestartJob"),
    of_runtime("spec.template.spec.failurePolicy.rules[].action", since(2, 3), "RestartJobAndIgnoreMaxRestarts"),
    of_runtime("spec.template.spec.failurePolicy.restartStrategy", since(2, 2), "InPlaceRestart"),
    of_runtime("spec.template.spec.volumeClaimPolicies", since(2, 2)),

    of_jobset("spec.failurePolicy.rules", since(0, 6)),
    of_jobset("spec.coordinator", since(0, 6)),
    of_jobset("spec.failurePolicy.restartStrategy", since(0, 7)),
    of_jobset("spec.replicatedJobs[].dependsOn", since(0, 8)),
    of_jobset("spec.replicatedJobs[].groupName", since(0, 9)),
    of_jobset("spec.failurePolicy.rules[].onJobFailureMessagePatterns", since(0, 10)),
    of_jobset("spec.failurePolicy.restartStrategy", since(0, 11), "InPlaceRestart"),
    of_jobset("spec.volumeClaimPolicies", since(0, 11)),
    of_jobset("spec.failurePolicy.rules[].action", since(0, 12), "RestartJob"),
    of_jobset("spec.failurePolicy.rules[].action", since(0, 12), "RestartJobAndIgnoreMaxRestarts"),

    of_cluster("spec.gcsFaultToleranceOptions.redisPassword.valueFrom.fileKeyRef", since(1, 5)),
    of_cluster("spec.gcsFaultToleranceOptions.redisUsername.valueFrom.fileKeyRef", since(1, 5)),
    of_cluster("spec.autoscalerOptions.env[].valueFrom.fileKeyRef", since(1, 5)),
    of_cluster("spec.headGroupSpec.labels", since(1, 5)),
    of_cluster("spec.headGroupSpec.resources", since(1, 5)),
    of_cluster("spec.workerGroupSpecs[].labels", since(1, 5)),
    of_cluster("spec.workerGroupSpecs[].resources", since(1, 5)),
    of_cluster("spec.authOptions", since(1, 6)),
    of_cluster("spec.upgradeStrategy", since(1, 6)),
    of_cluster("spec.autoscalerOptions.args", since(1, 7)),
    of_cluster("spec.autoscalerOptions.command", since(1, 7)),
    of_cluster("spec.gcsFaultToleranceOptions.backend", since(1, 7)),
    of_cluster("spec.gcsFaultToleranceOptions.storage", since(1, 7)),
    of_cluster("spec.headGroupSpec.ingressOptions", since(1, 7)),
    of_cluster("spec.historyServerOptions", since(1, 7)),
    of_cluster("spec.networkPolicy", since(1, 7)),
    of_cluster("spec.tlsOptions", since(1, 7)),
    of_cluster("spec.workerGroupSpecs[].priority", since(1, 7)),
    of_first_ray("RayCluster", "spec.headGroupSpec.replicas"),
    of_first_ray("RayJob", "spec.runtimeEnv"),
    of_first_ray("RayService", "spec.serveConfig"),
    of_ray("RayJob", "spec.deletionPolicy", until(1, 5), deletion),
    of_ray("RayJob", "spec.deletionStrategy", since(1, 5), deletion),
    of_ray("RayJob", "spec.deletionStrategy.deletionRules[].condition.jobDeploymentStatus", since(1, 6)),
    of_ray("RayJob", "spec.preRunningDeadlineSeconds", since(1, 6)),
    of_ray("RayService", "spec.rayClusterDeletionDelaySeconds", since(1, 5)),
    of_ray("RayService", "spec.upgradeStrategy.clusterUpgradeOptions", since(1, 5)),
    of_ray("RayService", "spec.managedBy", since(1, 6)),
    of_ray("RayService", "spec.suspend", since(1, 7)),
    of_api("kuberay", ray, "RayCronJob", since(1, 6)),
    // Before, KubeRay hands no topology on to Volcano.
    of_mark("kuberay", ray, "metadata.labels", "volcano.sh/network-topology-mode", since(1, 5)),
    of_mark("kuberay", ray, "metadata.labels", "volcano.sh/network-topology-highest-tier-allowed", since(1, 5)),

    of_volcano("batch.volcano.sh", "Job", "spec.networkTopology", since(1, 12)),
    of_volcano("batch.volcano.sh", "Job", "spec.networkTopology.highestTierName", since(1, 14)),
    of_volcano("batch.volcano.sh", "Job", "spec.tasks[].partitionPolicy", since(1, 14)),
    of_volcano("scheduling.volcano.sh", "PodGroup", "spec.networkTopology", since(1, 12)),
    of_volcano("scheduling.volcano.sh", "PodGroup", "spec.networkTopology.highestTierName", since(1, 14)),
    of_volcano("scheduling.volcano.sh", "PodGroup", "spec.subGroupPolicy", since(1, 14)),
    of_volcano("scheduling.volcano.sh", "Queue", "spec.dequeueStrategy", since(1, 14)),

    of_lws("spec.leaderWorkerTemplate.subGroupPolicy.subGroupPolicyType", since(0, 6)),
    of_lws("spec.rolloutStrategy.rollingUpdateConfiguration.partition", since(0, 7)),
    of_lws("spec.leaderWorkerTemplate.persistentVolumeClaimRetentionPolicy", since(0, 8)),
    of_lws("spec.leaderWorkerTemplate.volumeClaimTemplates", since(0, 8)),
    of_lws("spec.leaderWorkerTemplate.restartPolicy", since(0, 9), "RecreateGroupAfterStart"),
    of_api("lws", groups_of_lws, "DisaggregatedSet", since(0, 9)),
    of_groups("spec.placementPolicy", since(0, 10)),
    of_groups("spec.roles[].scaling", since(0, 10)),
    of_groups("spec.slices", since(0, 10)),

    {.component = "mpi-operator",
     .group = "kubeflow.org/v2beta1",
     .kind = "MPIJob",
     .path = "spec.runPolicy.managedBy",
     .in = since(0, 6)},

    of_mark("kai", "", "metadata.annotations", "kai.scheduler/batch-min-member", since(0, 15)),
    of_api("kueue", "kueue.x-k8s.io/v1beta2", "", since(0, 15)),

    of_api("kubernetes", "resource.k8s.io/v1", "", since(1, 34)),
    of_api("kubernetes", "scheduling.k8s.io/v1alpha1", "Workload", {{1, 35}, {1, 36}}),
    of_api("kubernetes", "scheduling.k8s.io/v1alpha2", "", {{1, 36}, {1, 37}}),
    of_api("kubernetes", "scheduling.k8s.io/v1alpha3", "", since(1, 37)),
    of_api("kubernetes", "scheduling.k8s.io/v1beta1", "", since(1, 37)),
    {.component = "kubernetes", .group = "batch", .kind = "Job", .path = "spec.scheduling", .in = since(1, 37)},
};

constexpr PodGate of_pods[] = {
    {"securityContext.appArmorProfile", since(1, 30)},
    {"containers[].securityContext.appArmorProfile", since(1, 30)},
    {"containers[].volumeMounts[].recursiveReadOnly", since(1, 30)},
    {"containers[].resources.claims[].request", since(1, 31)},
    {"resourceClaims[].resourceClaimName", since(1, 31)},
    {"resourceClaims[].resourceClaimTemplateName", since(1, 31)},
    {"resourceClaims[].source", until(1, 31)},
    {"securityContext.supplementalGroupsPolicy", since(1, 31)},
    {"volumes[].image", since(1, 31)},
    {"resources", since(1, 32)},
    {"securityContext.seLinuxChangePolicy", since(1, 32)},
    {"containers[].lifecycle.stopSignal", since(1, 33)},
    {"containers[].env[].valueFrom.fileKeyRef", since(1, 34)},
    {"containers[].restartPolicyRules", since(1, 34)},
    {"hostnameOverride", since(1, 34)},
    {"volumes[].projected.sources[].podCertificate", since(1, 34)},
    {"volumes[].projected.sources[].podCertificate.userAnnotations", since(1, 35)},
    {"workloadRef", {{1, 35}, {1, 36}}},
    {"schedulingGroup", since(1, 36)},
};

constexpr PodSchema schemas[] = {
    {"jobset", {0, 8}, {1, 32}},       {"jobset", {0, 9}, {1, 33}},       {"jobset", {0, 10}, {1, 34}},
    {"jobset", {0, 11}, {1, 35}},      {"jobset", {0, 12}, {1, 36}},      {"kuberay", {1, 4}, {1, 33}},
    {"kuberay", {1, 5}, {1, 34}},      {"kuberay", {1, 6}, {1, 35}},      {"kuberay", {1, 7}, {1, 36}},
    {"lws", {0, 5}, {1, 31}},          {"lws", {0, 6}, {1, 32}},          {"lws", {0, 7}, {1, 33}},
    {"lws", {0, 8}, {1, 34}},          {"lws", {0, 9}, {1, 36}},          {"mpi-operator", {0, 5}, {1, 29}},
    {"mpi-operator", {0, 6}, {1, 31}}, {"mpi-operator", {0, 7}, {1, 34}}, {"mpi-operator", {0, 8}, {1, 35}},
    {"trainer", {2, 0}, {1, 32}},      {"trainer", {2, 1}, {1, 34}},      {"trainer", {2, 2}, {1, 35}},
    {"trainer", {2, 3}, {1, 36}},      {"volcano", {1, 10}, {1, 30}},     {"volcano", {1, 11}, {1, 31}},
    {"volcano", {1, 12}, {1, 32}},     {"volcano", {1, 13}, {1, 33}},     {"volcano", {1, 14}, {1, 34}},
    {"volcano", {1, 15}, {1, 35}},
};

constexpr std::string_view was = "--batch-scheduler=kubernetes-was-v1alpha2";

constexpr Feature all_features[] = {
    // A hook that sleeps is on by default.
    {"kubernetes", "preStop.sleep", since(1, 30)},
    {"kubernetes", "sidecar containers", since(1, 29)},

    // kueue: config/components/manager/controller_manager_config.yaml and apis/config/v1beta2/defaults.go
    {"kueue", "waitForPodsReady", since(0, 19)},
    {"kueue", "kueue.x-k8s.io/podset-group-name", since(0, 13)},
    {"kueue", "kueue.x-k8s.io/podset-slice-size", since(0, 13)},  // kueue#5353, and alone kueue#5683
    {"kueue", "trainer.kubeflow.org/trainjob", since(0, 14)},
    {"kueue", "pod", since(0, 16)},
    {"kueue", "deployment", since(0, 16)},
    {"kueue", "statefulset", since(0, 16)},
    {"kueue", "leaderworkerset.x-k8s.io/leaderworkerset", since(0, 16)},
    {"kueue", "ray.io/rayservice", since(0, 17)},
    {"kueue", "kubeflow.org/jaxjob", until(0, 19)},
    {"kueue", "kubeflow.org/paddlejob", until(0, 19)},
    {"kueue", "kubeflow.org/pytorchjob", until(0, 19)},
    {"kueue", "kubeflow.org/tfjob", until(0, 19)},
    {"kueue", "kubeflow.org/xgboostjob", until(0, 19)},

    // kai: pkg/podgrouper/podgrouper/plugins; 0.12 is seen to start single pods
    {"kai", "gang of a JobSet", since(0, 13)},
    {"kai", "gang of a TrainJob", since(0, 13)},
    {"kai", "gang of a Job", since(0, 15)},

    // kuberay: ray-operator/main.go, ray-operator/controllers/ray/batchscheduler. (1.2 has the flag from 1.2.1 on.)
    {"kuberay", "--batch-scheduler=volcano", since(1, 2)},
    {"kuberay", "--batch-scheduler=yunikorn", since(1, 2)},
    {"kuberay", "--batch-scheduler=scheduler-plugins", since(1, 4)},
    {"kuberay", "--batch-scheduler=kai-scheduler", since(1, 5)},
    {"kuberay", was, since(1, 7)},

    // lws: api/config/v1alpha1, gangSchedulingManagement
    {"lws", "schedulerProvider: volcano", since(0, 7)},
    // trainer: manifests/base/runtimes
    {"trainer", "jax-distributed", since(2, 2)},
};

// kueue: pkg/controller/jobs/trainjob; it writes the fields of one release and updates the whole object.
constexpr Clash all_clashes[] = {
    {"trainer", until(2, 2), "kueue", since(0, 17),
     "Kueue waits for `runtimePatches`, which this Trainer drops, and admits no TrainJob"},
    {"trainer",
     since(2, 2),
     "kueue",
     {{0, 15}, {0, 17}},
     "Kueue places TrainJobs by `podTemplateOverrides`, which this Trainer does not have"},
    {"trainer",
     until(2, 1),
     "kueue",
     {{0, 15}, {0, 17}},
     "Kueue places TrainJobs by `podTemplateOverrides`, which this Trainer does not have"},
    {"trainer",
     since(2, 1),
     "kueue",
     {{0, 14}, {0, 15}},
     "Kueue places TrainJobs by `podSpecOverrides`, which this Trainer does not have"},
    {"kuberay", since(1, 7), "kubernetes", since(1, 37),
     "KubeRay writes gangs as scheduling.k8s.io/v1alpha2, which this Kubernetes does not serve", was},
    {"kuberay", since(1, 7), "kubernetes", until(1, 36),
     "KubeRay writes gangs as scheduling.k8s.io/v1alpha2, which this Kubernetes does not serve", was},
};

}  // namespace

std::span<const Gate> object_gates() { return gates; }
std::span<const PodGate> pod_gates() { return of_pods; }
std::span<const PodSchema> pod_schemas() { return schemas; }
std::span<const Feature> features() { return all_features; }
std::span<const Clash> clashes() { return all_clashes; }

}  // namespace muster::targets::kubernetes
