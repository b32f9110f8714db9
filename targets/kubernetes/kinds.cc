#include "targets/kubernetes/kinds.h"

#include <algorithm>

#include "compiler/base/text.h"

namespace muster::targets::kubernetes {
namespace rows {

using enum model::GangProvider;

constexpr PodPlace replicated{"spec", "template", "", "replicas"};
constexpr PodPlace runtime_jobs{"spec.template.spec.replicatedJobs[]", "template.spec.template", "", "replicas"};
constexpr std::string_view hosts = "replicas numOfHosts";

// Conditions that hold, one after the other.
constexpr std::string_view conditions = "{.status.conditions[?(@.status==\"True\")].type}";
constexpr Deadline own_deadline{"spec.activeDeadlineSeconds", ""};
constexpr Deadline run_policy_deadline{"spec.runPolicy.activeDeadlineSeconds", ""};
constexpr Ending by_condition{conditions, "*' Complete '*", "*' Failed '*"};
constexpr Ending trained{conditions, "*' Succeeded '*", "*' Failed '*"};

// One of the kinds of Kubeflow v1: a map of roles, each with its pods.
constexpr Kind of_training_operator(std::string_view name, std::string_view roles, std::string_view kueue) {
  return {.group = "kubeflow.org",
          .name = name,
          .work = Work::training,
          .places = {{{roles, "template", "", "replicas"}}},
          .policy = "spec.runPolicy",
          .ttl_deletes = name != "MPIJob",  // of v2 it is that of the launcher
          .deadline = run_policy_deadline,
          .ending = trained,
          .pod_label = "training.kubeflow.org/job-name",
          .kueue = kueue};
}

constexpr Kind with_replicas(std::string_view group, std::string_view name, std::string_view kueue) {
  return {.group = group, .name = name, .work = Work::service, .places = {{replicated}}, .kueue = kueue};
}

constexpr Kind of_kserve(std::string_view name, std::array<PodPlace, 4> places) {
  return {.group = "serving.kserve.io", .name = name, .work = Work::service, .complete = false, .places = places};
}

constexpr Kind written(Kind kind, std::string_view target, std::string_view version, std::string_view operator_name,
                       Providers gangs) {
  kind.target = target;
  kind.version = version;
  kind.operator_name = operator_name;
  kind.gangs = gangs;
  return kind;
}

// Gangs that labels and annotations make, on any pods. Of Kubernetes itself they need a field of the pods, which an
// operator has to know, and pods that are all there before the first one starts.
constexpr Providers by_label = {kueue, volcano, kai, yunikorn, coscheduling};
constexpr Providers any = {kueue, volcano, kai, yunikorn, coscheduling, kube_scheduler};

constexpr Kind pod{.group = "",
                   .name = "Pod",
                   .work = Work::batch,
                   .places = {{{".", "", "", ""}}},
                   .deadline = own_deadline,
                   .ending = {"{.status.phase}", "' Succeeded '", "' Failed '"},
                   .state = "{.status.phase}",
                   .kueue = "pod"};

constexpr Kind job{.group = "batch",
                   .name = "Job",
                   .work = Work::batch,
                   .places = {{{"spec", "template", "", "parallelism"}}},
                   .policy = "spec",
                   .deadline = own_deadline,
                   .ending = by_condition,
                   .pod_label = "batch.kubernetes.io/job-name",
                   .kueue = "batch/job"};

constexpr Kind jobset{
    .group = "jobset.x-k8s.io",
    .name = "JobSet",
    .work = Work::group,
    .places = {{{"spec.replicatedJobs[]", "template.spec.template", "", "replicas template.spec.parallelism"}}},
    .policy = "spec",
    .deadline = {"spec.replicatedJobs[].template.spec.activeDeadlineSeconds", "spec.failurePolicy.maxRestarts"},
    .ending = {conditions, "*' Completed '*", "*' Failed '*"},
    .pod_label = "jobset.sigs.k8s.io/jobset-name",
    .kueue = "jobset.x-k8s.io/jobset"};

constexpr Kind trainjob{.group = "trainer.kubeflow.org",
                        .name = "TrainJob",
                        .work = Work::training,
                        .complete = false,
                        .trainer = "spec.trainer",
                        .deadline = own_deadline,
                        .ending = by_condition,
                        .pod_label = jobset.pod_label,  // it makes a JobSet of its name
                        .kueue = "trainer.kubeflow.org/trainjob"};

constexpr Kind lws{.group = "leaderworkerset.x-k8s.io",
                   .name = "LeaderWorkerSet",
                   .work = Work::group,
                   .places = {{{"spec.leaderWorkerTemplate", "leaderTemplate", "leader", ""},
                               {"spec.leaderWorkerTemplate", "workerTemplate", "worker", "size"}}},
                   .groups = "spec.replicas",
                   .pod_label = "leaderworkerset.sigs.k8s.io/name",
                   .kueue = "leaderworkerset.x-k8s.io/leaderworkerset"};

constexpr Kind volcano_job{
    .group = "batch.volcano.sh",
    .name = "Job",
    .work = Work::group,
    .places = {{{"spec.tasks[]", "template", "", "replicas"}}},
    .policy = "spec",
    .ending = {"{.status.state.phase}", "' Completed '", "' Failed '|' Aborted '|' Terminated '"},
    .pod_label = "volcano.sh/job-name"};

constexpr Kind ray_cluster{
    .group = "ray.io",
    .name = "RayCluster",
    .work = Work::ray,
    .places = {{{"spec.headGroupSpec", "template", "head", ""}, {"spec.workerGroupSpecs[]", "template", "", hosts}}},
    .state = "{.status.state}",
    .kueue = "ray.io/raycluster"};

constexpr Kind ray_job{.group = "ray.io",
                       .name = "RayJob",
                       .work = Work::ray,
                       .places = {{{"spec.rayClusterSpec.headGroupSpec", "template", "head", ""},
                                   {"spec.rayClusterSpec.workerGroupSpecs[]", "template", "", hosts},
                                   {"spec", "submitterPodTemplate", "submitter", ""}}},
                       .policy = "spec",
                       .ttl_deletes = false,  // until then the cluster keeps its nodes
                       .deadline = {"spec.activeDeadlineSeconds", "spec.backoffLimit"},
                       .ending = {"{.status.jobDeploymentStatus} {.status.jobStatus}", "' Complete SUCCEEDED '",
                                  "' Failed '*|' Complete '*"},
                       .state = "{.status.jobDeploymentStatus}",
                       .kueue = "ray.io/rayjob"};

constexpr Kind ray_service{.group = "ray.io",
                           .name = "RayService",
                           .work = Work::ray,
                           .places = {{{"spec.rayClusterConfig.headGroupSpec", "template", "head", ""},
                                       {"spec.rayClusterConfig.workerGroupSpecs[]", "template", "", hosts}}},
                           .state = "{.status.serviceStatus}",
                           .kueue = "ray.io/rayservice"};

constexpr Kind runtime(std::string_view name) {
  return {.group = "trainer.kubeflow.org",
          .name = name,
          .work = Work::training,
          .complete = false,
          .places = {{runtime_jobs}}};
}

// From the operators' Go types: training-operator 1.9, Trainer 2.3, mpi-operator 0.8, Volcano 1.15,
// JobSet 0.12, LWS 0.10, KubeRay 1.7, KServe 0.20. (A plane need not list Volcano: its Jobs are asked for by name.)
constexpr Kind kinds[] = {
    written(pod, "kubernetes", "v1", "", any),
    with_replicas("", "ReplicationController", ""),
    written(with_replicas("apps", "Deployment", "deployment"), "kubernetes", "v1", "", by_label),
    with_replicas("apps", "ReplicaSet", ""),
    with_replicas("apps", "StatefulSet", "statefulset"),
    {.group = "apps",
     .name = "DaemonSet",
     .work = Work::service,
     .places = {{{"spec", "template", "", ""}}},
     .counted_elsewhere = true},
    with_replicas("argoproj.io", "Rollout", ""),
    written(job, "kubernetes", "v1", "", any),
    {.group = "batch",
     .name = "CronJob",
     .work = Work::batch,
     .places = {{{"spec.jobTemplate.spec", "template", "", "parallelism"}}},
     .deadline = {"spec.jobTemplate.spec.activeDeadlineSeconds", ""}},
    written(of_training_operator("PyTorchJob", "spec.pytorchReplicaSpecs.*", "kubeflow.org/pytorchjob"), "pytorchjob",
            "v1", "training-operator", by_label),
    of_training_operator("TFJob", "spec.tfReplicaSpecs.*", "kubeflow.org/tfjob"),
    written(of_training_operator("MPIJob", "spec.mpiReplicaSpecs.*", "kubeflow.org/mpijob"), "mpijob", "v2beta1",
            "mpi-operator", by_label),
    of_training_operator("XGBoostJob", "spec.xgbReplicaSpecs.*", "kubeflow.org/xgboostjob"),
    of_training_operator("PaddleJob", "spec.paddleReplicaSpecs.*", "kubeflow.org/paddlejob"),
    of_training_operator("JAXJob", "spec.jaxReplicaSpecs.*", "kubeflow.org/jaxjob"),
    runtime("TrainingRuntime"),
    runtime("ClusterTrainingRuntime"),
    // Volcano and coscheduling start what the runtime's `podGroupPolicy` says.
    written(trainjob, "trainjob", "v1alpha1", "trainer", {kueue, kai, yunikorn}),
    written(jobset, "jobset", "v1alpha2", "jobset", any),
    // Each group is a gang, and YuniKorn and coscheduling name gangs one by one; kube-scheduler takes a single group.
    written(lws, "lws", "v1", "lws", {kueue, volcano, kai, kube_scheduler}),
    written(volcano_job, "volcano", "v1alpha1", "", {volcano}),
    written(ray_cluster, "kuberay", "v1", "kuberay", any),
    written(ray_job, "kuberay", "v1", "kuberay", any),
    // An upgrade makes a second cluster, whose pods would be of the first one's group.
    written(ray_service, "kuberay", "v1", "kuberay", by_label),
    {.group = "serving.knative.dev",
     .name = "Service",
     .work = Work::service,
     .places = {{{"spec", "template", "", ""}}},
     .counted_elsewhere = true},
    of_kserve("InferenceService", {{{"spec", "predictor", "predictor", "", true},
                                    {"spec.predictor", "workerSpec", "worker", "", true},
                                    {"spec", "transformer", "transformer", "", true},
                                    {"spec", "explainer", "explainer", "", true}}}),
    of_kserve("LLMInferenceService", {{{"spec", "template", "", "", true},
                                       {"spec", "worker", "worker", "", true},
                                       {"spec.prefill", "template", "prefill", "", true},
                                       {"spec.prefill", "worker", "prefill worker", "", true}}}),
    of_kserve("ServingRuntime", {{{"spec", "", "", "", true}, {"spec", "workerSpec", "worker", "", true}}}),
    of_kserve("ClusterServingRuntime", {{{"spec", "", "", "", true}, {"spec", "workerSpec", "worker", "", true}}}),
};

// Not among the kinds: nothing is known of them but their pods.
constexpr Kind other_complete{.group = "", .name = "", .work = Work::service};
constexpr Kind other_partial{.group = "", .name = "", .work = Work::service, .complete = false};

}  // namespace rows

namespace {

template <class Test>
const Kind* first(const Test& test) {
  const auto found = std::find_if(std::begin(rows::kinds), std::end(rows::kinds), test);
  return found == std::end(rows::kinds) ? nullptr : found;
}

}  // namespace

std::string Kind::api_version() const {
  return (group.empty() ? std::string() : std::string(group) + "/") + std::string(version);
}

std::string Kind::kubectl_name() const {
  return muster::lower(name) + (group.empty() ? std::string() : "." + std::string(group));
}

std::string added_sentence(const model::AddedPod& row) {
  const std::string as = std::string(model::name(row.as)) + " `" + std::string(row.name) + "`";
  const std::string beside = row.beside.empty() ? "" : " beside " + std::string(row.beside);
  const std::string_view when = model::name(row.when);
  const bool nothing = row.millicpus == 0 && row.memory == Size{};
  return as + beside + (when.empty() ? "" : " " + std::string(when)) + ", requests " +
         (nothing ? "nothing" : std::to_string(row.millicpus) + "m CPU and " + to_string(row.memory) + " of memory");
}

std::span<const Kind> all_kinds() { return rows::kinds; }

const Kind& other_kind(bool complete) { return complete ? rows::other_complete : rows::other_partial; }

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

const Kind* find_kind(std::string_view api_version, std::string_view kind) {
  const std::string_view group = group_of(api_version);
  return first([&](const Kind& k) { return k.is(group, kind); });
}

const Kind& kind_row(std::string_view group, std::string_view kind) {
  return *first([&](const Kind& k) { return k.is(group, kind); });
}

const Kind* find_kubectl_name(std::string_view name) {
  return first([&](const Kind& k) { return k.kubectl_name() == name; });
}

const Kind* kind_of_target(std::string_view target) {
  return target.empty() ? nullptr : first([&](const Kind& k) { return k.target == target; });
}

}  // namespace muster::targets::kubernetes
