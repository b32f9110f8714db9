// The answer of profile `seed`, as the program prints it whose answers that profile gives.
#pragma once

#include <string>

#include "rules/engine.h"

namespace muster::cli {

// The outputs as Python's json.dumps prints a dictionary of them: `{"primary": "slurm", …}`.
std::string seed_json(const rules::Outcome& outcome);

}  // namespace muster::cli
