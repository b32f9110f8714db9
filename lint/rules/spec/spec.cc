#include "lint/rules/spec/spec.h"

#include <algorithm>
#include <iterator>

#include "lint/target_block/target_block.h"

namespace muster::lint {

Finding& SpecScene::wrong_at(RuleId rule, Span where, const model::FieldRef& field, std::string message,
                             std::string label) const {
  return report.wrong(rule, {where.known() ? where : workload.span, workload.id, to_string(field)}, std::move(message),
                      std::move(label));
}

Finding& SpecScene::wrong(RuleId rule, const model::FieldRef& field, std::string message, std::string label) const {
  return wrong_at(rule, key(field), field, std::move(message), std::move(label));
}

Finding& SpecScene::cannot_tell(RuleId rule, const model::FieldRef& field, std::string message,
                                std::string label) const {
  Finding& f = wrong(rule, field, std::move(message), std::move(label));
  mark_unclear(f);
  return f;
}

void SpecScene::of_site(std::optional<Finding> found, const model::FieldRef& field) const {
  if (!found) return;
  found->shown_by = key(field).known() ? key(field) : workload.span;
  report.add(std::move(*found), workload.id, to_string(field));
}

Span SpecScene::key(const model::FieldRef& field) const {
  for (const model::WrittenField& written : workload.written)
    if (written.field == field) return written.span;
  return {};
}

model::FieldRef SpecScene::field_in(const model::Role& role, const model::FieldRef& field) const {
  model::FieldRef own{field.field, field.detail, role.name};
  return role.span.known() && key(own).known() ? own : field;
}

std::vector<std::string> check_workload(const SpecScene& scene) {
  std::vector<Finding> found;
  const SpecScene own{scene.context, scene.workload, scene.request, scene.result, scene.policy, {found}};
  for (const auto check :
       {check_decision, check_spec_gang, check_slurm_limits, check_parallel, check_checkpoints, check_transport,
        check_pods, check_service, check_policy, check_cpu_work_on_gpus, check_limit_not_kept})
    check(own);
  TargetBlockFindings block_findings = check_target_blocks(own);
  std::erase_if(found, [&](const Finding& f) { return block_findings.fixed.contains(f.rule); });
  std::move(block_findings.caused.begin(), block_findings.caused.end(), std::back_inserter(found));
  append_in_order(std::move(found), scene.report.findings);
  if (!scene.result.plan) block_findings.unchecked = {""};
  return std::move(block_findings.unchecked);
}

}  // namespace muster::lint
