// Variables that Slurm sets for the script, where its directives say their value plainly.
#pragma once

#include "targets/slurm/read/expand.h"

namespace muster::targets::slurm {

void set_slurm_variables(const Script& script, Variables& variables);

}  // namespace muster::targets::slurm
