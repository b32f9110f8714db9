// Suppressions that only a change has: they accept nothing until it is merged, and are reported.
//
// A suppression is the same as one of the state before if it has the same rule and anchor: the whole file, an object,
// a block of a muster file, or a line that says the same, wherever it is now.
#pragma once

#include <string>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/model/policy.h"
#include "lint/outcome.h"
#include "lint/suppress.h"

namespace muster::lint {

// The rule of what may suppress anything, or nothing: it is not listed.
inline constexpr auto every_rule = static_cast<RuleId>(0xFFFF);

// Marks those of `now` that `before` does not have, and those without an anchor, as proposed. One that now ends later
// than before ends as before; if that day has passed at `as_of` ("": no date) it is proposed. Two that are alike need
// two before.
void mark_proposed(const std::vector<Suppression>& before, std::vector<Suppression>& now, std::string_view as_of);

// The proposed ones for the reports, in order and each once.
std::vector<Added> added_by(const std::vector<Suppression>& suppressions, const Sources& sources);

// Waivers that do not count yet.
void add_waivers(const std::vector<model::Waiver>& waivers, const Sources& sources, std::vector<Added>& out);

// "2 suppressions, 1 waiver"; "" for none.
std::string count_added(const std::vector<Added>& added);
// "a.sbatch:3: SLM019: a reason", "policy/lab.muster:7: waiver of SLM019 for `jobs/*`: a reason", "ci/known.json:
// baseline entry `SLM019|a.sbatch|…`".
std::string text_of(const Added& added);

// Sorts by file, line and rule; what several files bring stands once.
void sort_added(std::vector<Added>& added);

}  // namespace muster::lint
