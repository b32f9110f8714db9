// What Slurm's partitions and limits say to a workload.
#include "lint/spec_scene.h"

namespace muster::lint {
namespace {

// SLM008. Slurm alone has limits that a job gets without asking.
void check_missing_time(const SpecScene& scene) {
  const model::Plane* plane = scene.plane();
  if (scene.workload.time_limit || plane == nullptr || plane->kind.value != model::PlaneKind::slurm) return;
  if (scene.context.site == nullptr) {
    scene.cannot_tell(RuleId::walltime_missing, "time-limit",
                      "without `time-limit` the job gets the partition's default, which takes a site to tell");
    return;
  }
  const model::Queue* queue = scene.result.plan->queue;
  if (queue != nullptr && queue->default_time) return;
  Finding& f = scene.wrong(RuleId::walltime_missing, "time-limit",
                           queue == nullptr
                               ? "without `time-limit` the job gets the default of a partition that the site does "
                                 "not declare"
                               : "without `time-limit` the job has no time limit that the site declares: its queue `" +
                                     queue->name + "` has no `default-time`");
  if (queue == nullptr) return;
  f.severity = Severity::error;
  f.labels.push_back({queue->span, "the queue"});
}

}  // namespace

void check_slurm_limits(const SpecScene& scene) { check_missing_time(scene); }

}  // namespace muster::lint
