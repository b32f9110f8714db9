// A job script as bsub of LSF reads it. Source of the rules: the manual of IBM Spectrum LSF 10.1 (bsub, resource
// requirement strings). Nothing is run or expanded.
#pragma once

#include "targets/batch/read/job_script.h"

namespace muster::targets::lsf {

// Linear in the size of the file. Directives count wherever they are in the file.
batch::JobScript read_script(const Sources& sources, std::uint32_t file);

// A run limit: minutes or HOURS:MINUTES, with a host name or model behind `/`; nullopt for all else.
std::optional<std::int64_t> run_limit_seconds(std::string_view text);

}  // namespace muster::targets::lsf
