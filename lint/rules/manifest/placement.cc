// Spread of pods, and quotas.
#include <algorithm>
#include <array>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "lint/rules/manifest/scene.h"

namespace muster::lint {
namespace {

void check_constraint(const ManifestScene& scene, const Object& object, bool coupled, const Field& constraint) {
  const Field key = constraint.get("topologyKey");
  const bool selects =
      !constraint.get("labelSelector").members().empty() || !constraint.get("matchLabelKeys").items().empty();
  const bool everything = constraint.get("labelSelector").node != nullptr;  // `{}` selects all pods of the namespace
  if (!key || blank_in(key.text(), In::yaml)) return;
  if (!selects && !everything) {
    scene.wrong(RuleId::spread_for_colocation, object, key, "the spread constraint has no `labelSelector`",
                "it matches no pods and has no effect");
  } else if (constraint.get("minDomains")) {
    return;  // so many domains are wanted
  } else if (coupled && key.text() != "kubernetes.io/hostname" &&
             constraint.get("whenUnsatisfiable").text() != "ScheduleAnyway") {
    Finding& f = scene.wrong(RuleId::spread_for_colocation, object, key,
                             "the ranks of one job are spread over `" + std::string(key.text()) + "`",
                             "as far apart as possible");
    f.severity = Severity::warning;
  }
}

// The comment behind a value, and the comment lines straight above it. Lines longer than a page are data.
std::string comments_at(const Sources& sources, const Field& field) {
  constexpr std::size_t page = 500;
  const Span span = field.span();
  const std::string_view text = sources.text(span.file);
  std::string_view behind = text.substr(span.end, page);
  behind = behind.substr(0, behind.find('\n'));
  std::string out(behind.substr(std::min(behind.find('#'), behind.size())));
  const std::size_t from = span.begin > page ? span.begin - page : 0;
  std::string_view before = text.substr(from, span.begin - from);
  before = before.substr(0, std::min(before.rfind('\n'), before.size()));
  while (!before.empty()) {
    const std::size_t newline = before.rfind('\n');
    const std::string_view line = before.substr(newline == std::string_view::npos ? 0 : newline + 1);
    const std::size_t sign = line.find_first_not_of(" \t");
    if (newline == std::string_view::npos || sign == std::string_view::npos || line[sign] != '#') break;
    out += line;
    before = before.substr(0, newline);
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
  scene.wrong(RuleId::quota_as_budget, object, amount, "a comment mentions hours, but this value limits concurrent use",
              "a quota applies at every moment, not over a period");
}

}  // namespace

void check_spread(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) {
    const bool coupled = is_coupled(object);
    for (const PodTemplate& pods : object.pods) {
      if (!object.known->complete) continue;
      for (const Field& constraint : pods.spec.get("topologySpreadConstraints").items())
        check_constraint(scene, object, coupled, constraint);
    }
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
