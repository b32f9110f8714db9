// What becomes of the fields that belong to the workload and not to a role, where it is the same for every kind.
#pragma once

#include "targets/kubernetes/draft.h"

namespace muster::targets::kubernetes {

// Segments are given with the domain that holds all of them, and not every provider of gangs has them.
inline bool is_segment(model::Field field) {
  return field == model::Field::topology_segment || field == model::Field::topology_segment_within;
}

// Entries for kind, title, account, labels, facts, checkpoint, logs, notify, gang, any-of, preemptible and the words
// of other targets; refusals of those blocks that no kind took (scale, serve, sweep, dev, depends-on).
// Called once, after the kind's own function: a field that has an entry keeps it.
// `refused`: the kind did not take the workload, and what it did not say is not a finding of its own.
void report_workload(Draft& draft, bool refused);

}  // namespace muster::targets::kubernetes
