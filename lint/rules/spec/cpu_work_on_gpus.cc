// SCH018 cpu-work-on-gpus, of workloads. For scripts and manifests it is beside SCH013.
#include "lint/cpu_work.h"
#include "lint/rules/spec/scene.h"

namespace muster::lint {

void check_cpu_work_on_gpus(const SpecScene& scene) {
  if (!scene.result.plan || scene.context.site == nullptr) return;
  if (plan::startable(scene.result.plan->fit) != plan::Verdict::fits) return;
  const auto found = cpu_work_on_gpus(*scene.result.plan);
  if (!found) return;
  const model::Role& role = *found->role->role;
  Finding& f = scene.wrong(RuleId::cpu_work_on_gpus, scene.field_in(role, model::Field::resources_cpus),
                           "role `" + role.name + "` " + found->text);
  if (!found->elsewhere.empty()) f.notes.push_back("nodes without GPUs: " + found->elsewhere);
}

}  // namespace muster::lint
