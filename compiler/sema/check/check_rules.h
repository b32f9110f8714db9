// Rule files: checked blocks `rules NAME { … }` to policies.
#pragma once

#include <span>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"
#include "compiler/model/policy.h"
#include "compiler/sema/schema/reader.h"

namespace muster::sema {

// The policy in force for each block, in their order: what it extends (another block, or one of `built_in`) with its
// own edits on top, thresholds replaced by their values. Reports what is wrong: conditions that are no conjunction of
// single-fact terms or that nothing meets, names and words that nothing declares, values of a wrong type, edits of
// locked items, circles of `extends`. What was reported is left out, so that a policy is to be used only if nothing
// was. That tables are complete and do not overlap is the proof's business (rules/verify.h), not this one's.
std::vector<model::Policy> build_policies(std::span<const Node> nodes, std::span<const model::Policy> built_in,
                                          const Sources& sources, Diagnostics& diagnostics);

// The edits of one block, made to `below` (empty for a policy of its own).
model::Policy apply_rules(const Node& node, model::Policy below, const Sources& sources, Diagnostics& diagnostics);

// A block `case TEXT { facts { … } expect { … } }`.
model::Case build_case(const Node& node, Diagnostics& diagnostics);

// Replaces thresholds by their values everywhere, and reports conditions that no value of a fact meets; `where` is
// the place for those that no file of this run holds.
void settle(model::Policy& policy, Span where, Diagnostics& diagnostics);

}  // namespace muster::sema
