// Spread of pods, and quotas.
#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "lint/manifest_scene.h"

namespace muster::lint {
namespace {

using k8s::Field;
using k8s::Object;
using k8s::PodTemplate;

void check_constraint(const ManifestScene& scene, const Object& object, const Field& constraint) {
  const Field key = constraint.get("topologyKey");
  const bool selects =
      !constraint.get("labelSelector").members().empty() || !constraint.get("matchLabelKeys").items().empty();
  const bool everything = constraint.get("labelSelector").node != nullptr;  // `{}` selects all pods of the namespace
  if (!key || k8s::is_placeholder(key.text())) return;
  if (!selects && !everything) {
    scene.wrong(RuleId::spread_for_colocation, object, key, "the spread constraint has no `labelSelector`",
                "it counts no pods and so does nothing");
  } else if (is_coupled(object) && key.text() != "kubernetes.io/hostname" &&
             constraint.get("whenUnsatisfiable").text() != "ScheduleAnyway") {
    Finding& f = scene.wrong(RuleId::spread_for_colocation, object, key,
                             "the ranks of one job are spread over `" + std::string(key.text()) + "`",
                             "as far from each other as it goes");
    f.severity = Severity::warning;
  }
}

// The comment behind a value, and the comment lines straight above it.
std::string comments_at(const Sources& sources, const Field& field) {
  const Span span = field.span();
  const std::uint32_t line = sources.position(span.file, span.begin).line;
  const std::string_view own = sources.line(span.file, line);
  std::string out(own.substr(std::min(own.find('#'), own.size())));
  for (std::uint32_t above = line - 1; above > 0 && above + 3 >= line; --above) {
    const std::string_view text = sources.line(span.file, above);
    const std::size_t sign = text.find_first_not_of(" \t");
    if (sign == std::string_view::npos || text[sign] != '#') break;
    out += text;
  }
  return lower(out);
}

bool speaks_of_time(const std::string& comment) {
  constexpr std::array<std::string_view, 8> words = {"gpu-hour",  "gpu hour", "gpuh",    "hours",
                                                     "per month", "/month",   "monthly", "per week"};
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view w) { return comment.find(w) != std::string::npos; });
}

void check_amount(const ManifestScene& scene, const Object& object, const Field& amount) {
  if (!amount.span().known() || !speaks_of_time(comments_at(scene.context.sources, amount))) return;
  scene.wrong(RuleId::quota_as_budget, object, amount,
              "a comment speaks of hours, and this is a number of things in use", "at every moment, not over a time");
}

}  // namespace

void check_spread(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects)
    for (const PodTemplate& pods : object.pods) {
      if (!object.known->complete) continue;
      for (const Field& constraint : pods.spec.get("topologySpreadConstraints").items())
        check_constraint(scene, object, constraint);
    }
}

void check_quotas(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) {
    if (object.is("kueue.x-k8s.io", "ClusterQueue") || object.is("kueue.x-k8s.io", "Cohort"))
      for (const Field& resource : matches(object.root, "spec.resourceGroups[].flavors[].resources[]"))
        check_amount(scene, object, resource.get("nominalQuota"));
    if (object.is("", "ResourceQuota"))
      for (const Field& amount : object.root.at("spec.hard").members()) check_amount(scene, object, amount);
    if (object.is("scheduling.volcano.sh", "Queue"))
      for (const Field& amount : object.root.at("spec.capability").members()) check_amount(scene, object, amount);
  }
}

}  // namespace muster::lint
