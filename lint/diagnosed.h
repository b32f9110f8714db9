// What the front end, the planner and the rules engine report by themselves, as findings: the codes of muster's own
// inputs and the rules of the catalogue meet here, and nowhere else.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "lint/finding.h"

namespace muster::lint {

// The rule that stands for a code; nullopt: none does, and reports call it by the code.
std::optional<RuleId> rule_for(Code code);
// The codes that a rule stands for, in the order of codes.def.
std::vector<Code> codes_of(RuleId rule);

// `fault`: it makes the file unusable. `subject`: the thing of the file that it is about. That a fit is not known
// cannot be told from the files.
Finding from_diagnostic(const Diagnostic& diagnostic, bool fault, std::string subject);

}  // namespace muster::lint
