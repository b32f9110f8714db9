// The checks of job scripts of PBS and LSF.
#pragma once

#include <vector>

#include "lint/context.h"
#include "lint/finding.h"
#include "lint/rules/slurm/slurm.h"

namespace muster::lint {

// Every finding of a job script of PBS or LSF as it is written.
std::vector<Finding> check_batch_script(const Context& context, std::uint32_t file, std::uint32_t command_line,
                                        AboutScript& about);

// The same of a system whose directives are not read: of its text alone.
std::vector<Finding> check_unread_script(const Context& context, std::uint32_t file, std::uint32_t command_line,
                                         AboutScript& about);

}  // namespace muster::lint
