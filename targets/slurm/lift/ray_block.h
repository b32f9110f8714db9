// Ray's own template of a batch script: a head on the first node, a worker on each other node, and a program beside
// the head. Runner `ray` is the same.
#pragma once

#include "targets/slurm/lift/lifter.h"

namespace muster::targets::slurm::lifting {

// Takes the template out of `lifter.statements` and sets `shape.ray`; what was there is in `lifter.taken`, a line each.
// False: there is none, or it does more than the runner, which `lifter.why` then says; nothing was changed.
bool take_ray_block(Lifter& lifter);

}  // namespace muster::targets::slurm::lifting
