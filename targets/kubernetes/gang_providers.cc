#include "targets/kubernetes/gang_providers.h"

#include <algorithm>
#include <array>

namespace muster::targets::kubernetes {
namespace {

using model::GangProvider;

constexpr ProviderMark kueue_marks[] = {
    {"kueue.x-k8s.io/queue-name", true},
    {"kueue.x-k8s.io/pod-group-name", true},
};

// The queue annotations put a job's pods in a PodGroup.
constexpr ProviderMark volcano_marks[] = {
    {"scheduling.volcano.sh/queue-name", true},
    {"volcano.sh/queue-name", true},
    {"scheduling.k8s.io/group-name", true},
    {"scheduling.volcano.sh/group-min-member", true},
};

constexpr ProviderMark kai_marks[] = {
    {"kai.scheduler/queue", true},
    {"runai/queue", true},
    {"kai.scheduler/batch-min-member", true},
};

// Its queue labels alone make no gang.
constexpr ProviderMark yunikorn_marks[] = {
    {"yunikorn.apache.org/task-groups", true},
    {"yunikorn.apache.org/task-group-name", true},
    {"yunikorn.apache.org/queue", false},
    {"yunikorn.apache.org/app-id", false},
};

constexpr ProviderMark coscheduling_marks[] = {
    {"scheduling.x-k8s.io/pod-group", true},
    {"pod-group.scheduling.sigs.k8s.io", true},
    {"pod-group.scheduling.sigs.k8s.io/name", true},
};

constexpr std::array provider_rows = std::to_array<GangProviderRow>({
    {.provider = GangProvider::none, .title = "no gang scheduler"},
    {.provider = GangProvider::kueue,
     .title = "Kueue",
     .groups_by_owner = true,
     .places = false,
     .needs_queue = true,
     .takes_what_is_marked = true,
     .marks = kueue_marks,
     .queue_key = "kueue.x-k8s.io/queue-name",
     .queue_priority_key = "kueue.x-k8s.io/priority-class",
     .fewer_pods_key = "kueue.x-k8s.io/job-min-parallelism",
     .growing_key = "kueue.x-k8s.io/elastic-job"},
    {.provider = GangProvider::volcano,
     .title = "Volcano",
     .scheduler = "volcano",
     .waits_for_all = true,
     .marks = volcano_marks,
     .group = {"scheduling.volcano.sh/v1beta1", "scheduling.k8s.io/group-name", true},
     .kuberay = "volcano",
     .ray_labels = {.queue = "volcano.sh/queue-name",
                    .priority = "ray.io/priority-class-name",
                    .topology = "volcano.sh/network-topology-"},
     .training_operator = "volcano",
     // ray-project/kuberay#1752: without a task of its own each pod is taken for a copy of the first
     .ray_fault = RayGangFault{"kuberay",
                               {1, 1},
                               2,
                               "with KubeRay before 1.1 Volcano treats the pods of all worker groups as one "
                               "shape"}},
    {.provider = GangProvider::kai,
     .title = "KAI",
     .scheduler = "kai-scheduler",
     .fork = "runai-scheduler",
     .groups_by_owner = true,
     .waits_for_all = true,
     .needs_queue = true,
     .marks = kai_marks,
     .queue_key = "kai.scheduler/queue",
     .gpu_share_key = "gpu-fraction",
     .kuberay = "kai-scheduler",
     .ray_labels = {.queue = "kai.scheduler/queue"},
     // kai-scheduler/KAI-Scheduler#500; ray-project/ray#58161: corrected in 0.9.3, not in 0.9.4, for good in 0.10.
     .ray_fault = RayGangFault{"kai", {0, 10}, 1, "KAI before 0.10 may start only a part of a Ray cluster"}},
    {.provider = GangProvider::yunikorn,
     .title = "YuniKorn",
     .scheduler = "yunikorn",
     .marks = yunikorn_marks,
     .queue_key = "queue",
     .kuberay = "yunikorn",
     .ray_labels = {.application = "yunikorn.apache.org/app-id", .queue = "yunikorn.apache.org/queue", .enables = true},
     // apache/yunikorn-site#489
     .ray_fault = RayGangFault{"kuberay", {1, 2}, 1, "KubeRay before 1.2 does not create a gang for YuniKorn"}},
    // The second scheduler's name is that of its chart.
    {.provider = GangProvider::coscheduling,
     .title = "coscheduling",
     .scheduler = "scheduler-plugins-scheduler",
     .renamed_often = true,
     .waits_for_all = true,
     .has_queues = false,
     .marks = coscheduling_marks,
     .group = {"scheduling.x-k8s.io/v1alpha1", "scheduling.x-k8s.io/pod-group"},
     .kuberay = "scheduler-plugins",
     .ray_labels = {.enables = true},
     .training_operator = "scheduler-plugins",
     // ray-project/ray#53846
     .ray_fault =
         RayGangFault{"kuberay", {1, 4}, 1, "KubeRay before 1.4 does not create a gang for the coscheduling plugin"}},
    // Kubernetes itself: pods name no other scheduler, and their group is a field of theirs.
    {.provider = GangProvider::kube_scheduler,
     .title = "kube-scheduler",
     .has_queues = false,
     .fixed_size = true,
     .group = {"scheduling.k8s.io/v1beta1", ""}},
});

constexpr bool in_order() {
  for (std::size_t i = 0; i < provider_rows.size(); ++i)
    if (provider_rows[i].provider != static_cast<GangProvider>(i)) return false;
  return true;
}
static_assert(in_order(), "a provider's row is found by its number");

}  // namespace

const GangProviderRow& gang_provider(model::GangProvider provider) {
  return provider_rows.at(static_cast<std::size_t>(provider));
}

const GangProviderRow* provider_of_scheduler(std::string_view scheduler_name) {
  if (scheduler_name.empty()) return nullptr;
  const auto found = std::find_if(provider_rows.begin(), provider_rows.end(), [&](const GangProviderRow& row) {
    return row.scheduler == scheduler_name || row.fork == scheduler_name;
  });
  return found == provider_rows.end() ? nullptr : found;
}

std::span<const GangProviderRow> gang_providers() { return provider_rows; }

}  // namespace muster::targets::kubernetes
