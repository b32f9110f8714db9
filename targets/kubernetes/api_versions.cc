// API versions that are gone or never served a kind: the deprecation guide of Kubernetes, and the releases of the
// operators that dropped theirs.
#include <algorithm>
#include <array>

#include "targets/kubernetes/kinds.h"
#include "targets/kubernetes/schema.h"

namespace muster::targets::kubernetes {
namespace {

struct Replaced {
  std::string_view api_version, kind;    // `kind` "": all of them
  std::string_view instead, removed_in;  // `removed_in` "": no current release serves it
};

constexpr auto replaced = std::to_array<Replaced>({
    {"extensions/v1beta1", "Ingress", "networking.k8s.io/v1", "Kubernetes 1.22"},
    {"extensions/v1beta1", "NetworkPolicy", "networking.k8s.io/v1", "Kubernetes 1.16"},
    {"extensions/v1beta1", "Job", "batch/v1", "Kubernetes 1.6"},
    {"extensions/v1beta1", "Deployment", "apps/v1", "Kubernetes 1.16"},
    {"extensions/v1beta1", "DaemonSet", "apps/v1", "Kubernetes 1.16"},
    {"extensions/v1beta1", "ReplicaSet", "apps/v1", "Kubernetes 1.16"},
    {"apps/v1beta1", "", "apps/v1", "Kubernetes 1.16"},
    {"apps/v1beta2", "", "apps/v1", "Kubernetes 1.16"},
    {"apps/v1alpha1", "PetSet", "apps/v1 StatefulSet", "Kubernetes 1.5"},
    {"batch/v1beta1", "CronJob", "batch/v1", "Kubernetes 1.25"},
    {"batch/v2alpha1", "", "batch/v1", "Kubernetes 1.21"},
    {"autoscaling/v2beta1", "", "autoscaling/v2", "Kubernetes 1.25"},
    {"autoscaling/v2beta2", "", "autoscaling/v2", "Kubernetes 1.26"},
    {"policy/v1beta1", "PodDisruptionBudget", "policy/v1", "Kubernetes 1.25"},
    {"networking.k8s.io/v1beta1", "Ingress", "networking.k8s.io/v1", "Kubernetes 1.22"},
    {"networking.k8s.io/v1beta1", "IngressClass", "networking.k8s.io/v1", "Kubernetes 1.22"},
    {"rbac.authorization.k8s.io/v1beta1", "", "rbac.authorization.k8s.io/v1", "Kubernetes 1.22"},
    {"rbac.authorization.k8s.io/v1alpha1", "", "rbac.authorization.k8s.io/v1", "Kubernetes 1.22"},
    {"apiextensions.k8s.io/v1beta1", "", "apiextensions.k8s.io/v1", "Kubernetes 1.22"},
    {"admissionregistration.k8s.io/v1beta1", "MutatingWebhookConfiguration", "admissionregistration.k8s.io/v1",
     "Kubernetes 1.22"},
    {"admissionregistration.k8s.io/v1beta1", "ValidatingWebhookConfiguration", "admissionregistration.k8s.io/v1",
     "Kubernetes 1.22"},
    {"apiregistration.k8s.io/v1beta1", "", "apiregistration.k8s.io/v1", "Kubernetes 1.22"},
    {"scheduling.k8s.io/v1beta1", "PriorityClass", "scheduling.k8s.io/v1", "Kubernetes 1.22"},
    {"scheduling.k8s.io/v1alpha1", "PriorityClass", "scheduling.k8s.io/v1", "Kubernetes 1.22"},
    {"storage.k8s.io/v1beta1", "StorageClass", "storage.k8s.io/v1", "Kubernetes 1.22"},
    {"storage.k8s.io/v1beta1", "CSIDriver", "storage.k8s.io/v1", "Kubernetes 1.22"},
    {"node.k8s.io/v1beta1", "RuntimeClass", "node.k8s.io/v1", "Kubernetes 1.25"},
    {"node.k8s.io/v1alpha1", "RuntimeClass", "node.k8s.io/v1", "Kubernetes 1.24"},
    {"coordination.k8s.io/v1beta1", "Lease", "coordination.k8s.io/v1", "Kubernetes 1.22"},
    {"kubeflow.org/v1alpha1", "TFJob", "kubeflow.org/v1", "Training Operator 1.3"},
    {"kubeflow.org/v1alpha2", "TFJob", "kubeflow.org/v1", "Training Operator 1.3"},
    {"kubeflow.org/v1beta1", "TFJob", "kubeflow.org/v1", "Training Operator 1.3"},
    {"kubeflow.org/v1beta2", "TFJob", "kubeflow.org/v1", "Training Operator 1.3"},
    {"kubeflow.org/v1alpha1", "PyTorchJob", "kubeflow.org/v1", "Training Operator 1.3"},
    {"kubeflow.org/v1alpha2", "PyTorchJob", "kubeflow.org/v1", "Training Operator 1.3"},
    {"kubeflow.org/v1beta1", "PyTorchJob", "kubeflow.org/v1", "Training Operator 1.3"},
    {"kubeflow.org/v1beta2", "PyTorchJob", "kubeflow.org/v1", "Training Operator 1.3"},
    {"kubeflow.org/v1alpha1", "MPIJob", "kubeflow.org/v2beta1", ""},
    {"kubeflow.org/v1alpha2", "MPIJob", "kubeflow.org/v2beta1", ""},
    {"kubeflow.org/v1beta1", "MPIJob", "kubeflow.org/v2beta1", ""},
    {"kubeflow.org/v2alpha1", "TrainJob", "trainer.kubeflow.org/v1alpha1", "Trainer 2.0"},
    {"kubeflow.org/v2alpha1", "TrainingRuntime", "trainer.kubeflow.org/v1alpha1", "Trainer 2.0"},
    {"kubeflow.org/v2alpha1", "ClusterTrainingRuntime", "trainer.kubeflow.org/v1alpha1", "Trainer 2.0"},
    {"jobset.x-k8s.io/v1alpha1", "JobSet", "jobset.x-k8s.io/v1alpha2", ""},
    {"kueue.x-k8s.io/v1alpha1", "ClusterQueue", "kueue.x-k8s.io/v1beta2", "Kueue 0.3"},
    {"kueue.x-k8s.io/v1alpha1", "LocalQueue", "kueue.x-k8s.io/v1beta2", "Kueue 0.3"},
    {"kueue.x-k8s.io/v1alpha1", "ResourceFlavor", "kueue.x-k8s.io/v1beta2", "Kueue 0.3"},
    {"kueue.x-k8s.io/v1alpha2", "ClusterQueue", "kueue.x-k8s.io/v1beta2", "Kueue 0.3"},
    {"kueue.x-k8s.io/v1alpha2", "LocalQueue", "kueue.x-k8s.io/v1beta2", "Kueue 0.3"},
    {"kueue.x-k8s.io/v1alpha2", "ResourceFlavor", "kueue.x-k8s.io/v1beta2", "Kueue 0.3"},
    {"scheduling.incubator.k8s.io/v1alpha1", "", "scheduling.volcano.sh/v1beta1", ""},
    {"serving.knative.dev/v1alpha1", "Service", "serving.knative.dev/v1", ""},
    {"serving.knative.dev/v1beta1", "Service", "serving.knative.dev/v1", ""},
    {"serving.kubeflow.org/v1alpha2", "InferenceService", "serving.kserve.io/v1beta1", "KServe 0.7"},
    {"serving.kubeflow.org/v1beta1", "InferenceService", "serving.kserve.io/v1beta1", "KServe 0.7"},
});

// Where Kubernetes has its kinds.
struct Home {
  std::string_view kind, api_version;
};

constexpr auto homes = std::to_array<Home>({
    {"Pod", "v1"},
    {"Service", "v1"},
    {"ConfigMap", "v1"},
    {"Secret", "v1"},
    {"PersistentVolumeClaim", "v1"},
    {"Namespace", "v1"},
    {"Deployment", "apps/v1"},
    {"StatefulSet", "apps/v1"},
    {"DaemonSet", "apps/v1"},
    {"ReplicaSet", "apps/v1"},
    {"Job", "batch/v1"},
    {"CronJob", "batch/v1"},
});

// Groups of Kubernetes have no dot; custom resources have a domain.
constexpr std::array<std::string_view, 5> own_groups = {"", "apps", "batch", "autoscaling", "extensions"};

}  // namespace

std::optional<WrongApi> wrong_api(std::string_view api_version, std::string_view kind) {
  for (const Replaced& row : replaced)
    if (row.api_version == api_version && (row.kind.empty() || row.kind == kind))
      return WrongApi{std::string(row.instead), row.removed_in, true};
  const std::string_view group = group_of(api_version);
  if (std::find(own_groups.begin(), own_groups.end(), group) == own_groups.end()) return std::nullopt;
  for (const Home& home : homes)
    if (home.kind == kind && home.api_version != api_version) return WrongApi{std::string(home.api_version), "", false};
  return std::nullopt;
}

}  // namespace muster::targets::kubernetes
