// What the verbs of `muster rules` work on: a policy by name or by file, and its named cases.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/model/policy.h"
#include "driver/session.h"
#include "rules/cases.h"
#include "rules/verify.h"

namespace muster::driver {

struct RulesInput {
  model::Policy policy;
  std::vector<model::Case> cases;
  bool has_cases = false;  // a file of cases is there
  std::string layer;       // whose rows the cases must show; "": every row's
};

// `profile`: a built-in name or a rule FILE, whose cases are beside it in `<file>.tests.muster`. One session a
// policy: it keeps the sources and what is wrong. nullopt: reported.
std::optional<RulesInput> read_rules(Session& session, const std::string& profile);

// The cases that are beside a rule file, if any do.
void read_cases(const std::string& rule_file, RulesInput& input, Session& session);

// What a session reads so that read_rules finds this policy: `inputs`, and the rule file where it is one.
Inputs rules_inputs(const Inputs& inputs, const std::string& profile);
bool is_profile(const std::string& name);

// What came of each case, in their order.
std::vector<rules::CaseResult> run_cases(const RulesInput& input, const rules::Space& space);
// The proof, with the rows that no case shows.
rules::Verification verification_of(const RulesInput& input);
// Reports what a layer has disabled or waived and what has run out before that day; "": no day, nothing is reported.
void check_expiry(const model::Policy& policy, const std::string& as_of, Diagnostics& diagnostics);

}  // namespace muster::driver
