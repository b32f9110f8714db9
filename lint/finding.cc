#include "lint/finding.h"

#include "lint/diagnosed.h"

namespace muster::lint {

Named about(const Finding& finding) {
  if (finding.code && !rule_for(*finding.code)) {
    const CodeInfo& code = muster::info(*finding.code);
    return {code.id, code.name, code.severity, code.summary, code.explanation};
  }
  const Rule& rule = info(finding.rule);
  return {rule.id, rule.name, rule.severity, rule.summary, rule.explanation};
}

bool is_of(const Finding& finding, RuleId rule) {
  return !finding.fault && finding.rule == rule && (!finding.code || rule_for(*finding.code));
}

Finding finding(RuleId rule, Span where, std::string message, std::string label) {
  Finding f;
  f.rule = rule;
  f.severity = info(rule).severity;
  f.message = std::move(message);
  f.primary = where;
  f.primary_label = std::move(label);
  return f;
}

Finding unclear(RuleId rule, Span where, std::string message, std::string label) {
  Finding f = finding(rule, where, std::move(message), std::move(label));
  mark_unclear(f);
  return f;
}

void mark_unclear(Finding& finding) {
  finding.verdict = Verdict::unclear;
  finding.severity = Severity::info;
}

}  // namespace muster::lint
