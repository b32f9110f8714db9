#include "targets/kubernetes/read/kinds.h"

#include <algorithm>

namespace muster::targets::kubernetes {
namespace {

constexpr PodPlace replicated{"spec", "template", "", "replicas"};
constexpr PodPlace ray_head{"spec.headGroupSpec", "template", "head", ""};
constexpr std::string_view hosts = "replicas numOfHosts";
constexpr std::string_view replicated_job = "template.spec.template";

// From the operators' Go types: training-operator 1.9, Trainer 2.3, mpi-operator 0.8, Volcano 1.15,
// JobSet 0.12, LWS 0.10, KubeRay 1.7, KServe 0.20.
constexpr Kind kinds[] = {
    {"", "Pod", Work::batch, true, {{{".", "", "", ""}}}},
    {"", "ReplicationController", Work::service, true, {{replicated}}},
    {"apps", "Deployment", Work::service, true, {{replicated}}},
    {"apps", "ReplicaSet", Work::service, true, {{replicated}}},
    {"apps", "StatefulSet", Work::service, true, {{replicated}}},
    {"apps", "DaemonSet", Work::service, true, {{{"spec", "template", "", ""}}}},
    {"argoproj.io", "Rollout", Work::service, true, {{replicated}}},
    {"batch", "Job", Work::batch, true, {{{"spec", "template", "", "parallelism"}}}},
    {"batch", "CronJob", Work::batch, true, {{{"spec.jobTemplate.spec", "template", "", "parallelism"}}}},
    {"kubeflow.org",
     "PyTorchJob",
     Work::training,
     true,
     {{{"spec.pytorchReplicaSpecs.*", "template", "", "replicas"}}}},
    {"kubeflow.org", "TFJob", Work::training, true, {{{"spec.tfReplicaSpecs.*", "template", "", "replicas"}}}},
    {"kubeflow.org", "MPIJob", Work::training, true, {{{"spec.mpiReplicaSpecs.*", "template", "", "replicas"}}}},
    {"kubeflow.org", "XGBoostJob", Work::training, true, {{{"spec.xgbReplicaSpecs.*", "template", "", "replicas"}}}},
    {"kubeflow.org", "PaddleJob", Work::training, true, {{{"spec.paddleReplicaSpecs.*", "template", "", "replicas"}}}},
    {"kubeflow.org", "JAXJob", Work::training, true, {{{"spec.jaxReplicaSpecs.*", "template", "", "replicas"}}}},
    {"trainer.kubeflow.org",
     "TrainingRuntime",
     Work::training,
     false,
     {{{"spec.template.spec.replicatedJobs[]", replicated_job, "", "replicas"}}}},
    {"trainer.kubeflow.org",
     "ClusterTrainingRuntime",
     Work::training,
     false,
     {{{"spec.template.spec.replicatedJobs[]", replicated_job, "", "replicas"}}}},
    {"jobset.x-k8s.io",
     "JobSet",
     Work::group,
     true,
     {{{"spec.replicatedJobs[]", replicated_job, "", "replicas template.spec.parallelism"}}}},
    {"leaderworkerset.x-k8s.io",
     "LeaderWorkerSet",
     Work::group,
     true,
     {{{"spec.leaderWorkerTemplate", "leaderTemplate", "leader", ""},
       {"spec.leaderWorkerTemplate", "workerTemplate", "worker", "size"}}}},
    {"batch.volcano.sh", "Job", Work::group, true, {{{"spec.tasks[]", "template", "", "replicas"}}}},
    {"ray.io", "RayCluster", Work::ray, true, {{ray_head, {"spec.workerGroupSpecs[]", "template", "", hosts}}}},
    {"ray.io",
     "RayJob",
     Work::ray,
     true,
     {{{"spec.rayClusterSpec.headGroupSpec", "template", "head", ""},
       {"spec.rayClusterSpec.workerGroupSpecs[]", "template", "", hosts},
       {"spec", "submitterPodTemplate", "submitter", ""}}}},
    {"ray.io",
     "RayService",
     Work::ray,
     true,
     {{{"spec.rayClusterConfig.headGroupSpec", "template", "head", ""},
       {"spec.rayClusterConfig.workerGroupSpecs[]", "template", "", hosts}}}},
    {"serving.knative.dev", "Service", Work::service, true, {{{"spec", "template", "", ""}}}},
    {"serving.kserve.io",
     "InferenceService",
     Work::service,
     false,
     {{{"spec", "predictor", "predictor", "", true},
       {"spec.predictor", "workerSpec", "worker", "", true},
       {"spec", "transformer", "transformer", "", true},
       {"spec", "explainer", "explainer", "", true}}}},
    {"serving.kserve.io",
     "LLMInferenceService",
     Work::service,
     false,
     {{{"spec", "template", "", "", true},
       {"spec", "worker", "worker", "", true},
       {"spec.prefill", "template", "prefill", "", true},
       {"spec.prefill", "worker", "prefill worker", "", true}}}},
    {"serving.kserve.io",
     "ServingRuntime",
     Work::service,
     false,
     {{{"spec", "", "", "", true}, {"spec", "workerSpec", "worker", "", true}}}},
    {"serving.kserve.io",
     "ClusterServingRuntime",
     Work::service,
     false,
     {{{"spec", "", "", "", true}, {"spec", "workerSpec", "worker", "", true}}}},
};

}  // namespace

std::span<const Kind> all_kinds() { return kinds; }

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

const Kind* find_kind(std::string_view api_version, std::string_view kind) {
  const std::string_view group = group_of(api_version);
  const auto found = std::find_if(std::begin(kinds), std::end(kinds),
                                  [&](const Kind& k) { return k.name == kind && k.group == group; });
  return found == std::end(kinds) ? nullptr : found;
}

}  // namespace muster::targets::kubernetes
