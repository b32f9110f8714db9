#include "compiler/model/added_pods.h"

#include <algorithm>

#include "compiler/model/pods_target.h"

namespace muster::model {
namespace {

// The operator makes it of the template that muster writes.
constexpr AddedPod added_to_mpi[] = {
    {"launcher", AddedAs::pod, "", AddedWhen::always, 0, Size{},
     "requests of 0, so that it has a place beside a worker of any size, the tolerations and security context of the "
     "workers, and nodes like theirs; at a queue of Kueue in any zone, and without the label of their GPUs too"},
};

// ray-operator/controllers/ray/common: BuildAutoscalerContainer, DefaultWorkerPodTemplate, GetDefaultSubmitterContainer
constexpr AddedPod autoscaler = {"autoscaler",
                                 AddedAs::container,
                                 "the head",
                                 AddedWhen::grows,
                                 500,
                                 Size::of_mebibytes(512),
                                 "a head that leaves it 1 CPU and 512 MiB of its node; where the head has no more than "
                                 "that, requests of 0; where pods are `restricted`, the security context for that"};
constexpr AddedPod wait_for_head = {
    "wait-gcs-ready", AddedAs::init_container, "each worker", AddedWhen::always, 200, Size::of_mebibytes(256), ""};

constexpr AddedPod added_to_ray[] = {autoscaler, wait_for_head};

constexpr AddedPod added_to_ray_job[] = {
    autoscaler,
    wait_for_head,
    {"submitter", AddedAs::pod, "", AddedWhen::submits, 500, Size::of_mebibytes(200),
     "`submissionMode: HTTPMode`, which has none"},
    {"submitter", AddedAs::container, "the head", AddedWhen::submits_from_head, 500, Size::of_mebibytes(200),
     "`submissionMode: HTTPMode`, which has none"},
};

constexpr AddedPod added_to_pytorch[] = {
    {"init-pytorch", AddedAs::init_container, "each Worker", AddedWhen::has_master, 50, Size::of_mebibytes(10), ""},
};

struct KindRow {
  std::string_view group, kind;
  std::span<const AddedPod> added;
};

constexpr KindRow kind_rows[] = {
    {"kubeflow.org", "MPIJob", added_to_mpi}, {"kubeflow.org", "PyTorchJob", added_to_pytorch},
    {"ray.io", "RayCluster", added_to_ray},   {"ray.io", "RayJob", added_to_ray_job},
    {"ray.io", "RayService", added_to_ray},
};

}  // namespace

std::span<const AddedPod> added_pods(std::string_view group, std::string_view kind) {
  for (const KindRow& row : kind_rows)
    if (row.group == group && row.kind == kind) return row.added;
  return {};
}

std::string_view name(AddedAs as) {
  switch (as) {
    case AddedAs::pod: return "pod";
    case AddedAs::container: return "container";
    case AddedAs::init_container: return "init container";
  }
  return {};
}

std::string_view name(AddedWhen when) {
  switch (when) {
    case AddedWhen::always: return "";
    case AddedWhen::grows: return "with an autoscaler";
    case AddedWhen::submits: return "with `submissionMode: K8sJobMode`, the default";
    case AddedWhen::submits_from_head: return "with `submissionMode: SidecarMode`";
    case AddedWhen::has_master: return "with a Master";
  }
  return {};
}

bool grows(const Workload& workload) {
  return std::any_of(workload.roles.begin(), workload.roles.end(),
                     [](const Role& role) { return is_range(role.resources.nodes) || is_range(role.replicas); });
}

const AddedPod& autoscaler_row() { return autoscaler; }

HeadRoom room_for_autoscaler() { return {(autoscaler.millicpus + 999) / 1000, autoscaler.memory}; }

AddedDemand added_demand(const Workload& workload, const Plane& plane) {
  AddedDemand out;
  if (plane.pods() == nullptr || pods_target(pods_shape(workload), *plane.pods()) != "mpijob") return out;
  for (const AddedPod& added : added_pods("kubeflow.org", "MPIJob"))
    out.pods += 1, out.millicpus += added.millicpus, out.memory.bytes += added.memory.bytes;
  return out;
}

}  // namespace muster::model
