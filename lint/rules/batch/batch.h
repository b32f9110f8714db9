// The checks of job scripts of PBS and LSF.
#pragma once

#include <vector>

#include "lint/context.h"
#include "lint/finding.h"
#include "targets/batch/read/job_script.h"

namespace muster::lint {

// Every finding of a job script of `system`, which is one that muster reads.
std::vector<Finding> check_batch_script(const Context& context, std::uint32_t file, targets::batch::System system);

}  // namespace muster::lint
