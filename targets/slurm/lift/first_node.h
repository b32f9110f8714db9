// A script of several nodes that starts nothing but programs of its own shell: they run on the first node only.
#pragma once

#include <span>

#include "targets/slurm/lift/lifter.h"

namespace muster::targets::slurm::lifting {

// Whether the text starts no step, and nothing else that may start processes on other nodes or is not seen.
bool runs_on_first_node_only(const Lifter& lifter);

// The text for every node, which ends on all but the first. False: nothing was changed, and `lifter.why` says what
// stands against it. `without`: parts of the text that go elsewhere.
bool lift_first_node(Lifter& lifter, std::span<const Span> without);

}  // namespace muster::targets::slurm::lifting
