// K8S008 field-not-in-release, SCH015 kueue-kind-off: what an object asks of a release that the site does not run.
// Where the site declares no release, nothing is known to be missing.
#include <algorithm>

#include "lint/rules/manifest/scene.h"
#include "targets/kubernetes/gates.h"

namespace muster::lint {
namespace {

constexpr std::size_t most_of_an_object = 20;

// Pods are of the plane itself, not of an operator.
std::string declared_place(const k8s::Lacking& part) {
  const bool of_plane = part.component == k8s::component_of("v1", "Pod");
  return of_plane ? "`version` of the plane" : "`operator " + std::string(part.component) + "`";
}

void check_object(const ManifestScene& scene, const model::Plane& plane, const k8s::Object& object) {
  std::vector<k8s::Lacking> parts = k8s::lacking(plane, object.root);
  if (parts.size() > most_of_an_object) parts.resize(most_of_an_object);
  for (const k8s::Lacking& part : parts)
    scene
        .wrong(RuleId::field_not_in_release, object, part.where, sentence(plane, part),
               "see " + declared_place(part) + " of the site")
        .notes.push_back(way_out(part));
}

void check_admission(const ManifestScene& scene, const model::Plane& plane, const k8s::Object& object) {
  const k8s::Field queue = object.label("kueue.x-k8s.io/queue-name");
  if (!queue || object.known == nullptr || object.known->kueue.empty()) return;
  const std::string integration(object.known->kueue);
  if (k8s::kueue_admits(plane, integration)) return;
  scene
      .wrong(RuleId::kueue_kind_off, object, queue,
             "the Kueue of plane `" + plane.name + "` does not admit a " + std::string(object.kind) + " by default",
             "the label has no effect, and the pods start outside of the queue")
      .notes.push_back("if it is configured to, declare `flags = [\"" + integration + "\"]` of `operator kueue`");
}

}  // namespace

void check_releases(const ManifestScene& scene) {
  const model::Plane* plane = kubernetes_plane(scene.context);
  if (plane == nullptr) return;
  for (const k8s::Object& object : scene.manifest.objects) {
    check_object(scene, *plane, object);
    check_admission(scene, *plane, object);
  }
}

}  // namespace muster::lint
