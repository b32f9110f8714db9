// SCH013 does-not-fit: an object whose pods have no place at the site, however long it waits. SCH018 cpu-work-on-gpus.
#include <algorithm>

#include "lint/cpu_work.h"
#include "lint/fit_as_read.h"
#include "lint/rules/manifest/scene.h"
#include "targets/kubernetes/read/as_read.h"

namespace muster::lint {
namespace {

// Taints have a rule of their own, with a fix.
bool is_reported(const ManifestScene& scene, const k8s::Object& object) {
  const auto& found = scene.report.findings;
  return std::any_of(found.begin(), found.end(), [&](const Finding& f) {
    return f.rule == RuleId::taint_not_tolerated && f.verdict == Verdict::wrong && f.subject == object.subject();
  });
}

k8s::Field place_of(const k8s::Object& object) {
  if (const k8s::Field nodes = trainer_field(object).get("numNodes")) return nodes;
  return object.pods.empty() ? object.root.get("kind") : counted_at(object);
}

// SCH018.
void check_cpu_work(const ManifestScene& scene, const k8s::Object& object, const targets::AsRead& read,
                    const Planned& planned) {
  if (!planned.result.plan || plan::startable(planned.fit) != plan::Verdict::fits) return;
  const auto found = cpu_work_on_gpus(*planned.result.plan);
  if (!found) return;
  Finding& f =
      scene.wrong(RuleId::cpu_work_on_gpus, object, place_of(object), "`" + read.workload.name + "` " + found->text);
  if (!found->elsewhere.empty()) f.notes.push_back("nodes without GPUs: " + found->elsewhere);
}

}  // namespace

void check_fit(const ManifestScene& scene) {
  const Context& at = scene.context;
  if (at.site == nullptr || at.fleet == nullptr || k8s::pods_plane(*at.site) == nullptr) return;
  for (const auto& [object, read] : k8s::as_read(scene.manifest, *at.site, at.fleet)) {
    const Planned planned = planned_as_read(read, *at.site, *at.fleet, at.state);
    const plan::Fit& fit = planned.fit;
    check_cpu_work(scene, *object, read, planned);
    if (plan::startable(fit) != plan::Verdict::does_not_fit || is_reported(scene, *object)) continue;
    const plan::Level& level = fit.policy.verdict == plan::Verdict::does_not_fit ? fit.policy : fit.capacity;
    if (!level.certificate) continue;
    scene.wrong(RuleId::does_not_fit, *object, place_of(*object),
                "`" + read.workload.name + "` does not fit: " + level.certificate->text);
  }
}

}  // namespace muster::lint
