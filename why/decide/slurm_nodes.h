// Which nodes of Slurm can hold a job, empty and as they are now.
#pragma once

#include "why/decide/case.h"
#include "why/facts.h"

namespace muster::why {

// Reads `ask.*` and sets `cap.*`, `now.*` and `down.*`. Of what is printed twice with other numbers nothing is known.
void add_slurm_nodes(const Facts& facts, Case& out);

}  // namespace muster::why
