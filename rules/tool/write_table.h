// Policies as the C++ text that rebuilds them.
#pragma once

#include <span>
#include <string>

#include "compiler/model/policy.h"

namespace muster::rules::tool {

struct Profile {
  model::Policy policy;
  std::string cases;  // text of its file of named cases
};

// A source file with one block of constant data a policy and the functions of rules/profiles.h,
// whose names are in the order of the profiles.
std::string write_table(const model::Policy& addons, std::span<const Profile> profiles);

}  // namespace muster::rules::tool
