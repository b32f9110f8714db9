#include "driver/lint_rule_files.h"

#include <algorithm>
#include <filesystem>

#include "compiler/model/module.h"
#include "driver/rules_input.h"
#include "rules/diff.h"
#include "rules/verify.h"

namespace muster::driver {
namespace {

using FindingKind = rules::Finding::Kind;

using lint::RuleId;

constexpr std::size_t largest_rules = std::size_t{4} << 20;

RuleId rule_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::gap: return RuleId::gap;
    case FindingKind::overlap: return RuleId::overlap;
    case FindingKind::dead_fact:
    case FindingKind::read_fact: return RuleId::dead_fact;
    case FindingKind::broken_invariant: return RuleId::invariant_violated;
    case FindingKind::no_reason: return RuleId::missing_rationale;
    case FindingKind::no_case: return RuleId::untested_rule;
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
    if (f.kind == FindingKind::too_large) {
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

std::optional<lint::Finding> check_step(const model::Policy& policy, const std::string& path, const Tree& before,
                                        const Session& session) {
  const std::filesystem::path file = std::filesystem::path(path).lexically_normal();
  if (path == "-" || file.is_absolute() || *file.begin() == "..") return std::nullopt;
  std::string why;
  const auto text = before.files().read(file.string(), largest_rules, why);
  if (!text || *text == session.sources().text(policy.span.file)) return std::nullopt;
  Inputs options;
  options.from = before.files();
  options.rules_file = file.string();
  options.root = before.folder().string();
  Session old(options);
  if (!old.load()) return std::nullopt;
  const auto& policies = old.module().policies;
  const auto same = std::find_if(policies.begin(), policies.end(), [&](const model::Policy& p) {
    return p.name == policy.name && old.sources().name(p.span.file) == options.rules_file;
  });
  const auto difference = same == policies.end() ? std::nullopt : rules::diff(*same, policy);
  if (!difference || (difference->taken && *difference->taken >= difference->needed)) return std::nullopt;
  lint::Finding out = lint::finding(
      RuleId::wrong_version_bump, policy.span,
      "`" + policy.name +
          (same->version == policy.version ? "` keeps version " + policy.version
                                           : "` changes from version " + same->version + " to " + policy.version) +
          ", but the change requires a " + std::string(rules::name(difference->needed)) + " step");
  out.subject = "rules/" + policy.name;
  out.path = "version";
  return out;
}

}  // namespace muster::driver
