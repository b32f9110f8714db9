// Whether a command does the same wherever it runs: on every node, in every task.
#pragma once

#include "targets/slurm/read/body.h"

namespace muster::targets::slurm::lifting {

// All tasks may run it at once: it has one result and writes no file.
bool is_alike_in_tasks(const Body& body, const Command& command);

// It changes the shell itself, which the lines behind it may see, or starts what Slurm has to know.
bool changes_shell(const Body& body, const Command& command);

}  // namespace muster::targets::slurm::lifting
