// What identifies a policy in force: its text in one canonical form, and the digest of that.
#pragma once

#include <string>
#include <string_view>

#include "compiler/base/sha256.h"
#include "compiler/model/policy.h"

namespace muster::rules {

// All that a decision depends on and all that people read of it, one item a line, in the order of the policy; no
// places and no names of files. Thresholds are with their values.
std::string canonical_text(const model::Policy& policy);

using muster::sha256;

// sha256 of the canonical text; that of a built-in profile was computed by the build.
std::string digest(const model::Policy& policy);

}  // namespace muster::rules
