#include "cli/lint_rule_files.h"

#include "cli/rules_input.h"
#include "cli/rules_report.h"
#include "rules/verify.h"

namespace muster::cli {
namespace {

using Kind = rules::Finding::Kind;
using lint::RuleId;

RuleId rule_of(Kind kind) {
  switch (kind) {
    case Kind::gap: return RuleId::gap;
    case Kind::overlap: return RuleId::overlap;
    case Kind::dead_fact:
    case Kind::read_fact: return RuleId::dead_fact;
    case Kind::broken_invariant: return RuleId::invariant_violated;
    case Kind::no_reason: return RuleId::missing_rationale;
    case Kind::no_case: return RuleId::untested_rule;
    default: return RuleId::unreachable_row;
  }
}

}  // namespace

std::vector<lint::Finding> check_rule_file(const model::Policy& policy, const std::string& path, Session& session) {
  std::vector<lint::Finding> out;
  RulesInput input{policy, {}, false, policy.layers.size() > 1 ? policy.name : ""};
  read_cases(path, input, session);
  for (const rules::Finding& f : verification_of(input).findings) {
    const Span where = f.span.known() ? f.span : policy.span;
    if (f.kind == Kind::too_large) {
      session.diagnostics().add(Code::rules_too_large, where, f.text);
      continue;
    }
    out.push_back(lint::finding(rule_of(f.kind), where, f.text));
    out.back().subject = "rules/" + policy.name;
    out.back().path = std::string(rules::name(f.kind)) + "." + f.subject;
    if (f.witness) out.back().notes.push_back("first for " + rules::describe(policy, *f.witness));
  }
  return out;
}

}  // namespace muster::cli
