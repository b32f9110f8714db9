// `muster fit --demo deadlock`: two gangs bound pod by pod, and admitted as gangs.
#pragma once

#include <string>

namespace muster::cli {

std::string deadlock_demo();

}  // namespace muster::cli
