// Rule files among the files of `muster lint`: what the proof of a policy finds, as findings of lint.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/model/policy.h"
#include "driver/session.h"
#include "driver/tree.h"
#include "lint/finding.h"

namespace muster::driver {

// RUL001 to RUL006 and RUL008 of a policy that the file at `path` declares. Cases are beside it, as for `muster rules
// test`. What cannot be proven or read is reported to `session`.
std::vector<lint::Finding> check_rule_file(const model::Policy& policy, const std::string& path, Session& session);

// RUL009 of the same policy where the file is another one in `before`: its version has to say what changed. Nothing
// where it is new there, or cannot be read or compared.
std::optional<lint::Finding> check_step(const model::Policy& policy, const std::string& path, const Tree& before,
                                        const Session& session);

}  // namespace muster::driver
