// Rule files: a checked block `rules NAME { … }` to a policy.
#pragma once

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"
#include "compiler/model/policy.h"
#include "compiler/sema/schema/reader.h"

namespace muster::sema {

// Builds the policy with its thresholds replaced by their values, and reports what is wrong with it:
// conditions that are no conjunction of single-fact terms, names and words that nothing declares,
// values of a wrong type. What was reported is left out, so that the policy is to be used only if
// nothing was. That tables are complete and do not overlap is the proof's business, not this one's.
model::Policy build_policy(const Node& node, const Sources& sources, Diagnostics& diagnostics);

}  // namespace muster::sema
