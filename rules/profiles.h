// The built-in profiles, turned into tables at build time from rules/profiles/*.muster.
#pragma once

#include <span>
#include <string_view>

#include "compiler/model/policy.h"

namespace muster::rules {

// Names in the order of `--help`: default, greenfield, seed.
std::span<const std::string_view> profile_names();

// Builds the policy; name must be one of profile_names().
model::Policy profile(std::string_view name);

// What satisfies the requirements that they name (rules/addons.muster): rules without a table, to be extended.
model::Policy addons();

// The text of its named cases, rules/profiles/NAME.tests.muster.
std::string_view profile_cases(std::string_view name);

}  // namespace muster::rules
