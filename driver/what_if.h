// `muster fit --what-if`: the fleet as it would be.
#pragma once

#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/model/fleet.h"

namespace muster::driver {

// Changes the fleet, one after the other: `add=POOL:COUNT` (nodes like the pool's, on a leaf of their own),
// `drain=LEAF` (or POOL/LEAF, where several pools have one of that name), `free=JOB` (what an `in-use` of that name
// holds). False: reported; the fleet is then not to be used.
bool apply_what_if(const std::vector<std::string>& changes, model::Fleet& fleet, Diagnostics& diagnostics);

}  // namespace muster::driver
