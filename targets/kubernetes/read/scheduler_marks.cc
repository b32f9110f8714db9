// Labels, annotations and names by which schedulers and queueing systems are chosen.
#include <array>

#include "targets/kubernetes/read/manifest.h"

namespace muster::targets::kubernetes {
namespace {

struct Mark {
  std::string_view key;  // of a label or an annotation
  Scheduler scheduler;
  bool gang;
};

// Kueue reserves quota for a workload as a whole. Volcano's queue annotations put a job's pods in a
// PodGroup; KAI groups by the owner of the pods. YuniKorn's queue labels alone are no gang.
constexpr Mark marks[] = {
    {"kueue.x-k8s.io/queue-name", Scheduler::kueue, true},
    {"kueue.x-k8s.io/pod-group-name", Scheduler::kueue, true},
    {"scheduling.volcano.sh/queue-name", Scheduler::volcano, true},
    {"volcano.sh/queue-name", Scheduler::volcano, true},
    {"scheduling.k8s.io/group-name", Scheduler::volcano, true},
    {"scheduling.volcano.sh/group-min-member", Scheduler::volcano, true},
    {"kai.scheduler/queue", Scheduler::kai, true},
    {"runai/queue", Scheduler::kai, true},
    {"kai.scheduler/batch-min-member", Scheduler::kai, true},
    {"yunikorn.apache.org/task-groups", Scheduler::yunikorn, true},
    {"yunikorn.apache.org/task-group-name", Scheduler::yunikorn, true},
    {"yunikorn.apache.org/queue", Scheduler::yunikorn, false},
    {"yunikorn.apache.org/app-id", Scheduler::yunikorn, false},
    {"scheduling.x-k8s.io/pod-group", Scheduler::coscheduling, true},
    {"pod-group.scheduling.sigs.k8s.io", Scheduler::coscheduling, true},
    {"pod-group.scheduling.sigs.k8s.io/name", Scheduler::coscheduling, true},
};

// KubeRay's own label: its operator is told which scheduler to use, and this asks it for the gang.
constexpr std::string_view ray_gang = "ray.io/gang-scheduling-enabled";

void add_marks(const Field& metadata, std::vector<SchedulerMark>& out) {
  for (const char* part : {"labels", "annotations"})
    for (const Field& f : metadata.get(part).members()) {
      for (const Mark& mark : marks)
        if (f.key == mark.key) out.push_back({mark.scheduler, mark.gang, false, f});
      if (f.key == ray_gang && f.text() == "true") out.push_back({Scheduler::other, true, false, f});
    }
}

void add_name(const Field& field, std::vector<SchedulerMark>& out) {
  if (!field || is_placeholder(field.text())) return;
  const std::string_view name = field.text();
  const Scheduler who = name == "volcano"                                      ? Scheduler::volcano
                        : name == "kai-scheduler" || name == "runai-scheduler" ? Scheduler::kai
                        : name == "yunikorn"                                   ? Scheduler::yunikorn
                        : name == "scheduler-plugins-scheduler"                ? Scheduler::coscheduling
                        : name == "default-scheduler"                          ? Scheduler::stock
                                                                               : Scheduler::other;
  out.push_back({who, false, true, field});
}

}  // namespace

std::vector<SchedulerMark> scheduler_marks(const Object& object) {
  std::vector<SchedulerMark> out;
  add_marks(object.root.get("metadata"), out);
  for (const PodTemplate& pods : object.pods) {
    if (object.kind != "Pod") add_marks(pods.metadata, out);
    add_name(pods.spec.get("schedulerName"), out);
  }
  if (!object.is("batch.volcano.sh", "Job")) return out;
  const Field name = object.root.at("spec.schedulerName");
  add_name(name, out);
  out.push_back({Scheduler::volcano, true, false, object.root.get("kind")});
  return out;
}

std::string_view name(Scheduler scheduler) {
  constexpr std::array<std::string_view, 7> names = {
      "Kueue", "Volcano", "KAI", "YuniKorn", "coscheduling", "the stock scheduler", "another scheduler"};
  return names[static_cast<std::size_t>(scheduler)];
}

}  // namespace muster::targets::kubernetes
