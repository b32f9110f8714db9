#include "driver/rules_input.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/sema/check/check.h"
#include "compiler/syntax/parse.h"
#include "rules/profiles.h"

namespace muster::driver {
namespace {

// `lab.muster` has its cases in `lab.tests.muster`.
std::string cases_file(const std::string& file) {
  const std::string ending = ".muster";
  const bool ends =
      file.size() > ending.size() && file.compare(file.size() - ending.size(), ending.size(), ending) == 0;
  return (ends ? file.substr(0, file.size() - ending.size()) : file) + ".tests.muster";
}

std::vector<model::Case> parse_cases(Session& session, const std::string& name, std::string text) {
  const std::uint32_t file = session.sources().add(name, std::move(text));
  const auto tree = syntax::parse(session.sources(), file, session.diagnostics());
  if (!tree) return {};
  return sema::check({*tree}, session.sources(), {}, session.diagnostics()).cases;
}

// The rows that no case shows, as findings.
void add_missing(const model::Policy& policy, const std::vector<std::string>& missing,
                 std::vector<rules::Finding>& findings) {
  for (const model::Table& table : policy.tables)
    for (const model::Row& row : table.rows)
      for (const std::string& id : missing)
        if (id == row.id)
          findings.push_back({rules::Finding::Kind::no_case,
                              id,
                              {id},
                              0,
                              std::nullopt,
                              "no named case covers row `" + id + "`",
                              row.span});
}

}  // namespace

bool is_profile(const std::string& name) {
  const auto names = rules::profile_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

void read_cases(const std::string& rule_file, RulesInput& input, Session& session) {
  const std::string file = cases_file(rule_file);
  const Files& from = session.inputs().from;
  if (!from.exists(file)) return;
  std::string why;
  auto text = from.read(file, std::size_t{1} << 20, why);
  if (!text) session.diagnostics().add(Code::cannot_read, {}, "cannot read `" + file + "`: " + why);
  else input.cases = parse_cases(session, file, std::move(*text));
  input.has_cases = true;
}

Inputs rules_inputs(const Inputs& inputs, const std::string& profile) {
  Inputs out = inputs;
  if (!is_profile(profile)) out.rules_file = profile;
  return out;
}

std::optional<RulesInput> read_rules(Session& session, const std::string& profile) {
  RulesInput out;
  if (is_profile(profile)) {
    out.policy = rules::profile(profile);
    out.has_cases = true;
    out.cases = parse_cases(session, "<" + profile + ".tests>", std::string(rules::profile_cases(profile)));
    if (session.diagnostics().has_errors()) return std::nullopt;
    return out;
  }
  if (!session.load()) return std::nullopt;
  const model::Policy* policy = session.policy(nullptr);
  if (policy == nullptr) return std::nullopt;
  out.policy = *policy;
  if (policy->layers.size() > 1) out.layer = policy->name;
  read_cases(profile, out, session);
  if (session.diagnostics().has_errors()) return std::nullopt;
  return out;
}

std::vector<rules::CaseResult> run_cases(const RulesInput& input, const rules::Space& space) {
  std::vector<rules::CaseResult> out;
  for (const model::Case& test : input.cases) out.push_back(rules::run(input.policy, space, test));
  return out;
}

void check_expiry(const model::Policy& policy, const std::string& as_of, Diagnostics& diagnostics) {
  if (as_of.empty()) return;
  if (!is_date(as_of)) {
    diagnostics.add(Code::bad_date, {}, "invalid date `" + printable(as_of) + "` in `--as-of`; expected YYYY-MM-DD");
    return;
  }
  const auto check = [&](const std::string& what, const auto& item) {
    if (item.expires < as_of)
      diagnostics.add(Code::expired, item.span,
                      what + " expired on " + item.expires + "; " + item.owner + " must renew or remove it");
  };
  for (const model::Disabled& item : policy.disabled) check("disabling `" + item.id + "`", item);
  for (const model::Waiver& item : policy.waivers) check("waiving `" + item.code + "`", item);
}

rules::Verification verification_of(const RulesInput& input) {
  const model::Policy& policy = input.policy;
  rules::Verification result = rules::verify(policy);
  const rules::Space space(policy);
  add_missing(policy, rules::coverage(policy, space, run_cases(input, space), input.layer).missing, result.findings);
  return result;
}

}  // namespace muster::driver
