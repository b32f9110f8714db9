// The words by which a launcher is started on a node, over the variables of the contract.
#pragma once

#include <string_view>

#include "compiler/model/workload.h"

namespace muster::targets::contract {

// In front of the launcher's own flags and the program; "" for runners without a launcher in front of the command.
std::string_view launcher_command(model::Runner runner);

}  // namespace muster::targets::contract
