// The program of a spec in its own words, so that a changed argument is shown and not a line of what is emitted.
#pragma once

#include <string_view>

#include "compiler/model/workload.h"
#include "review/tree.h"

namespace muster::review {

// The kind of such an object.
inline constexpr std::string_view program_kind = "program";

// Command, arguments and variables of all roles are its fields, an option with its value; scripts are its lines.
Object program_of(const model::Workload& workload);

}  // namespace muster::review
