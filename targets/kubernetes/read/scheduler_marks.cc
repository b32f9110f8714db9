// Labels, annotations and names by which schedulers and queueing systems are chosen.
#include "compiler/base/blank.h"
#include "targets/kubernetes/read/manifest.h"

namespace muster::targets::kubernetes {
namespace {

// KubeRay's own label: it selects the scheduler that the operator uses for the gang.
constexpr std::string_view ray_gang = "ray.io/gang-scheduling-enabled";

void add_marks(const Field& metadata, std::vector<SchedulerMark>& out) {
  for (const char* part : {"labels", "annotations"})
    for (const Field& f : metadata.get(part).members()) {
      for (const GangProviderRow& row : gang_providers())
        for (const ProviderMark& mark : row.marks)
          if (f.key == mark.key) out.push_back({&row, mark.gang, false, f});
      if (f.key == ray_gang && f.is_true_text()) out.push_back({nullptr, true, false, f});
    }
}

void add_name(const Field& field, std::vector<SchedulerMark>& out) {
  if (!field || blank_in(field.text(), In::yaml)) return;
  out.push_back({provider_of_scheduler(field.text()), false, true, field});
}

void add_native(const Field& field, std::vector<SchedulerMark>& out) {
  if (field) out.push_back({&gang_provider(model::GangProvider::kube_scheduler), true, false, field});
}

// Gangs of Kubernetes itself: a Job that is one, a child of a JobSet whose group a Workload describes, and pods that
// name their group. (Kubernetes 1.35 had `workloadRef`.)
void add_native_marks(const Object& object, std::vector<SchedulerMark>& out) {
  if (object.is("batch", "Job")) add_native(object.root.at("spec.scheduling.schedulingPolicy.gang"), out);
  if (object.is("batch", "CronJob"))
    add_native(object.root.at("spec.jobTemplate.spec.scheduling.schedulingPolicy.gang"), out);
  if (object.is("jobset.x-k8s.io", "JobSet"))
    for (const Field& job : object.root.at("spec.replicatedJobs").items())
      add_native(job.at("template.metadata.annotations").get("scheduling.k8s.io/group-template-name"), out);
  for (const PodTemplate& pods : object.pods) {
    add_native(pods.spec.get("schedulingGroup").get("podGroupName"), out);
    add_native(pods.spec.get("workloadRef").get("name"), out);
  }
}

}  // namespace

std::vector<SchedulerMark> scheduler_marks(const Object& object) {
  std::vector<SchedulerMark> out;
  add_marks(object.root.get("metadata"), out);
  for (const PodTemplate& pods : object.pods) {
    if (object.kind != "Pod") add_marks(pods.metadata, out);
    add_name(pods.spec.get("schedulerName"), out);
  }
  add_native_marks(object, out);
  if (!object.is("batch.volcano.sh", "Job")) return out;
  const Field name = object.root.at("spec.schedulerName");
  add_name(name, out);
  out.push_back({&gang_provider(model::GangProvider::volcano), true, false, object.root.get("kind")});
  return out;
}

}  // namespace muster::targets::kubernetes
