// What makes the software of a site usable, as lines of bash.
#pragma once

#include <string>

#include "compiler/model/workload.h"

namespace muster::targets {

// Loads its modules, then activates its conda and its virtual environment. Its prelude and its image are not in it.
std::string software_lines(const model::SoftwareSpec& software);

}  // namespace muster::targets
