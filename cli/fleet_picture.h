// A fleet as a picture: pools, leaf switches, nodes and GPUs, marked by who has them.
#pragma once

#include <span>
#include <string>

#include "compiler/model/fleet.h"
#include "plan/plan.h"

namespace muster::cli {

// An SVG of the fleet with the placements of the plans. Up to 256 nodes each GPU is drawn and each node named; of
// more, nodes are squares in a row a leaf. What a workload has bears a letter and a pattern besides its colour, so that
// the picture can be read in black and white.
std::string fleet_svg(const model::Fleet& fleet, std::span<const plan::Plan* const> plans);

}  // namespace muster::cli
