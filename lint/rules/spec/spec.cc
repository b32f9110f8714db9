#include "lint/rules/spec/spec.h"

#include <algorithm>
#include <iterator>

#include "lint/target_block/target_block.h"

namespace muster::lint {

Finding& SpecScene::wrong_at(RuleId rule, Span where, std::string_view path, std::string message,
                             std::string label) const {
  return report.wrong(rule, {where.known() ? where : workload.span, workload.id, std::string(path)}, std::move(message),
                      std::move(label));
}

Finding& SpecScene::wrong(RuleId rule, std::string_view path, std::string message, std::string label) const {
  return wrong_at(rule, key(path), path, std::move(message), std::move(label));
}

Finding& SpecScene::cannot_tell(RuleId rule, std::string_view path, std::string message, std::string label) const {
  Finding& f = wrong(rule, path, std::move(message), std::move(label));
  mark_unclear(f);
  return f;
}

void SpecScene::of_site(std::optional<Finding> found, std::string_view path) const {
  if (!found) return;
  found->shown_by = key(path).known() ? key(path) : workload.span;
  report.add(std::move(*found), workload.id, std::string(path));
}

Span SpecScene::key(std::string_view path) const {
  for (const model::WrittenField& field : workload.written)
    if (field.path == path) return field.span;
  return {};
}

std::string SpecScene::path_in(const model::Role& role, std::string_view key_of_role) const {
  const std::string own = "role." + role.name + "." + std::string(key_of_role);
  return role.span.known() && key(own).known() ? own : std::string(key_of_role);
}

std::vector<std::string> check_workload(const SpecScene& scene) {
  std::vector<Finding> found;
  const SpecScene own{scene.context, scene.workload, scene.request, scene.result, scene.policy, {found}};
  for (const auto check : {check_decision, check_spec_gang, check_slurm_limits, check_parallel, check_checkpoints,
                           check_transport, check_pods, check_service, check_policy})
    check(own);
  HatchFindings hatches = check_hatches(own);
  std::erase_if(found, [&](const Finding& f) { return hatches.mended.contains(f.rule); });
  std::move(hatches.brought.begin(), hatches.brought.end(), std::back_inserter(found));
  append_in_order(std::move(found), scene.report.findings);
  if (!scene.result.plan) hatches.unjudged = {""};
  return std::move(hatches.unjudged);
}

}  // namespace muster::lint
