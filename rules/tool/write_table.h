// Policies as the C++ text that rebuilds them.
#pragma once

#include <span>
#include <string>

#include "compiler/model/policy.h"

namespace muster::rules::tool {

// A source file with one block of constant data a policy and the functions of rules/profiles.h,
// whose names stand in the order of the policies.
std::string write_table(std::span<const model::Policy> policies);

}  // namespace muster::rules::tool
