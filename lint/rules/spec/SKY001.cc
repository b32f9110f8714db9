// SKY001 limit-not-kept: the workload has a time limit, but nothing ends it there.
#include "lint/rules/spec/scene.h"
#include "targets/services/skypilot/skypilot.h"

namespace muster::lint {

void check_limit_not_kept(const SpecScene& scene) {
  const model::Plane* plane = scene.plane();
  if (plane == nullptr || plane->service() == nullptr || plane->traits().target.empty()) return;
  if (!scene.workload.time_limit || targets::skypilot::keeps_time_limit(*plane)) return;
  Finding& f = scene.wrong(RuleId::limit_not_kept, model::Field::time_limit,
                           "plane `" + plane->name + "` does not end a job at its time limit");
  f.labels.push_back({plane->span, "the plane"});
  f.notes.push_back("start the program with `timeout`, or use a plane that is Slurm alone");
}

}  // namespace muster::lint
