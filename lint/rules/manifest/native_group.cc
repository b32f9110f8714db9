// SCH016 native-group: the PodGroups of Kubernetes itself, and the pods that name them.
#include <map>
#include <optional>

#include "lint/rules/manifest/scene.h"

namespace muster::lint {
namespace {

constexpr std::string_view group_api = "scheduling.k8s.io";

bool is_native_group(const k8s::Object& object) { return object.is(group_api, "PodGroup"); }

k8s::Field group_named_by(const k8s::PodTemplate& pods) { return pods.spec.get("schedulingGroup").get("podGroupName"); }

// The pods of the file that name each group; nullopt where it does not say how many there are.
std::map<std::string, std::optional<std::int64_t>> pods_of_groups(const ManifestScene& scene) {
  std::map<std::string, std::optional<std::int64_t>> out;
  for (const k8s::Object& object : scene.manifest.objects)
    for (const k8s::PodTemplate& pods : object.pods)
      if (const k8s::Field group = group_named_by(pods)) {
        auto& sum = out.try_emplace(k8s::reference(object.name_space, "PodGroup", group.text()), 0).first->second;
        sum = sum && pods.count ? std::optional(*sum + *pods.count) : std::nullopt;
      }
  return out;
}

void check_size(const ManifestScene& scene, const k8s::Object& group, std::optional<std::int64_t> pods) {
  const k8s::Field minimum = group.root.at("spec.schedulingPolicy.gang.minCount");
  if (!pods || minimum.whole().value_or(0) <= *pods) return;
  scene.wrong(RuleId::native_group, group, minimum,
              "the gang waits for " + std::to_string(*minimum.whole()) + " pods, but only " + std::to_string(*pods) +
                  " name it",
              "none of them ever starts");
}

// What the API server of 1.37 refuses of a group that is written as in 1.36.
void check_spelling(const ManifestScene& scene, const k8s::Object& group) {
  if (group.api_version != "scheduling.k8s.io/v1beta1") return;
  if (const k8s::Field old = group.root.at("spec.podGroupTemplateRef"))
    scene.wrong(RuleId::native_group, group, old, "`podGroupTemplateRef` is a field of `v1alpha2`",
                "`v1beta1` has `workloadRef { workloadName, templateName }`");
  if (const k8s::Field mode = group.root.at("spec.disruptionMode"); mode && !mode.node->is_map())
    scene.wrong(RuleId::native_group, group, mode, "`disruptionMode` is a map in `v1beta1`",
                "write `{all: {}}` or `{single: {}}`");
}

void check_missing(const ManifestScene& scene, const k8s::Object& object) {
  for (const k8s::PodTemplate& pods : object.pods) {
    const k8s::Field group = group_named_by(pods);
    if (!group || scene.manifest.by_name.contains(k8s::reference(object.name_space, "PodGroup", group.text())))
      continue;
    scene.cannot_tell(
        RuleId::native_group, object, group,
        "the pods wait until PodGroup `" + std::string(group.text()) + "` exists, which is not in this file",
        "the file that has it");
    return;
  }
}

}  // namespace

void check_native_group(const ManifestScene& scene) {
  const auto pods = pods_of_groups(scene);
  for (const k8s::Object& object : scene.manifest.objects) {
    check_missing(scene, object);
    if (!is_native_group(object)) continue;
    check_spelling(scene, object);
    if (const auto found = pods.find(k8s::reference(object.name_space, "PodGroup", object.name)); found != pods.end())
      check_size(scene, object, found->second);
  }
}

}  // namespace muster::lint
