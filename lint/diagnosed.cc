#include "lint/diagnosed.h"

namespace muster::lint {

std::optional<RuleId> rule_for(Code code) {
  switch (code) {
#define MUSTER_DIAGNOSED(code, rule) \
  case Code::code:                   \
    return RuleId::rule;
#include "lint/diagnosed.def"
#undef MUSTER_DIAGNOSED
    default: return std::nullopt;
  }
}

std::vector<Code> codes_of(RuleId rule) {
  std::vector<Code> out;
  for (std::size_t i = 0; i < all_codes().size(); ++i)
    if (rule_for(static_cast<Code>(i)) == rule) out.push_back(static_cast<Code>(i));
  return out;
}

Finding from_diagnostic(const Diagnostic& diagnostic, bool fault, std::string subject) {
  Finding out;
  out.rule = rule_for(diagnostic.code).value_or(RuleId{});
  out.code = diagnostic.code;
  out.fault = fault;
  out.severity = diagnostic.severity();
  out.message = diagnostic.message;
  out.primary = diagnostic.primary;
  out.primary_label = diagnostic.primary_label;
  out.labels = diagnostic.labels;
  out.notes = diagnostic.notes;
  out.subject = std::move(subject);
  out.path = muster::info(diagnostic.code).name;
  if (diagnostic.code == Code::fit_unknown) out.verdict = Verdict::unclear, out.severity = Severity::info;
  if (diagnostic.fixes.size() != 1) return out;  // several are a choice
  const FixIt& fix = diagnostic.fixes[0];
  out.fix = Fix{fix.why.empty() ? "write `" + fix.text + "`" : fix.why, fix.sure, {{fix.where, fix.text}}};
  return out;
}

}  // namespace muster::lint
