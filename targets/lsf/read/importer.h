// The import of an LSF script under way. Inside targets/lsf/read only.
#pragma once

#include "targets/batch/read/draft.h"
#include "targets/lsf/read/script.h"

namespace muster::targets::lsf {

// layout.cc: slots, hosts, GPUs, memory.
void import_layout(batch::Draft& draft);
// options.cc: all others; each part that decides its option.
void import_options(batch::Draft& draft);

}  // namespace muster::targets::lsf
