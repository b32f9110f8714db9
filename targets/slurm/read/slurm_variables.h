// Variables that Slurm sets for the script, where its directives say their value plainly.
#pragma once

#include <span>
#include <string_view>

#include "targets/slurm/read/expand.h"

namespace muster::targets::slurm {

// The names that Slurm itself gives to variables, in order.
std::span<const std::string_view> slurm_variable_names();

void set_slurm_variables(const Script& script, Variables& variables);

}  // namespace muster::targets::slurm
