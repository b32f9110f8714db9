#include "lint/finding.h"

namespace muster::lint {

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
  f.verdict = Verdict::unclear;
  f.severity = Severity::info;
  return f;
}

}  // namespace muster::lint
