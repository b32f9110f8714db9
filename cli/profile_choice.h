// Options that name a policy or state facts, as several verbs spell them.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace muster::cli {

// Whether a name is a built-in profile or may be a rule file. False: said on standard error, with the nearest profile.
bool may_be_rules(const std::string& verb, const std::string& name);

// Whether the profile is decided from facts alone: it says what should be built, and nothing is lowered or fitted.
bool is_of_rules_alone(const std::string& profile);

// `--fact` values as NAME=VALUE. False: one has no `=`, which is reported on standard error.
bool split_facts(const std::vector<std::string>& values, std::vector<std::pair<std::string, std::string>>& out);

}  // namespace muster::cli
