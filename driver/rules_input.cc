#include "driver/rules_input.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "compiler/base/text.h"
#include "compiler/sema/check/check.h"
#include "compiler/syntax/parse.h"
#include "rules/profiles.h"

namespace muster::cli {
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

}  // namespace

bool is_profile(const std::string& name) {
  const auto names = rules::profile_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool may_be_rules(const std::string& verb, const std::string& name) {
  std::error_code error;
  const bool a_word = name.find_first_of("./") == std::string::npos;
  if (!a_word || is_profile(name) || std::filesystem::exists(name, error)) return true;
  const std::string near = closest(name, rules::profile_names());
  std::fprintf(stderr, "muster %s: there is no profile `%s`; %s\n", verb.c_str(), printable(name).c_str(),
               near.empty() ? ("there are " + quoted_list(rules::profile_names()) + ", or a rule FILE").c_str()
                            : ("did you mean `" + near + "`?").c_str());
  return false;
}

void read_cases(const std::string& rule_file, RulesInput& input, Session& session) {
  const std::string file = cases_file(rule_file);
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return;
  std::string why;
  auto text = read_file(file, std::size_t{1} << 20, why);
  if (!text) session.diagnostics().add(Code::cannot_read, {}, "cannot read `" + file + "`: " + why);
  else input.cases = parse_cases(session, file, std::move(*text));
  input.has_cases = true;
}

CommonOptions rules_options(const CommonOptions& common, const std::string& profile) {
  CommonOptions out = common;
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

}  // namespace muster::cli
