// What the verbs of `muster rules` work on: a policy by name or by file, and its named cases.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/model/policy.h"
#include "driver/session.h"

namespace muster::cli {

struct RulesInput {
  model::Policy policy;
  std::vector<model::Case> cases;
  bool has_cases = false;  // a file of cases is there
  std::string layer;       // whose rows the cases must show; "": every row's
};

// `profile`: a built-in name or a rule FILE, whose cases stand beside it in `<file>.tests.muster`. One session a
// policy: it keeps the sources and prints what is wrong. nullopt: reported.
std::optional<RulesInput> read_rules(Session& session, const std::string& profile);

// The cases that stand beside a rule file, if any do.
void read_cases(const std::string& rule_file, RulesInput& input, Session& session);

// Options of a session that reads this policy.
CommonOptions rules_options(const CommonOptions& common, const std::string& profile);
bool is_profile(const std::string& name);
// Whether it is a profile or may be a file. False: said on stderr, with the nearest profile.
bool may_be_rules(const std::string& verb, const std::string& name);

}  // namespace muster::cli
