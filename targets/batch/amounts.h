// CPUs and memory of a node as numbers, for a system that has no word for all of them and takes no range.
#pragma once

#include <optional>
#include <string>

#include "targets/batch/job.h"

namespace muster::targets::batch {

// Of all CPUs, or all memory, what every pool that the role may get has.
std::optional<std::int64_t> cpus_of(const plan::RolePlan& shape);
std::optional<std::int64_t> bytes_of(const plan::RolePlan& shape);

// Reports what the file, which says `as`, cannot have of the amount that was asked for. True: it has all of it, which
// the caller reports.
bool has_cpus(Job& job, const std::string& as);
bool has_memory(Job& job, const std::string& as);

}  // namespace muster::targets::batch
