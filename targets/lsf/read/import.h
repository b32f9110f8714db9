// A job script of LSF as a workload and a draft of its site: what `muster import` writes.
#pragma once

#include <string>

#include "compiler/base/diagnostic.h"
#include "targets/batch/read/asked.h"
#include "targets/imported.h"
#include "targets/lsf/read/script.h"

namespace muster::targets::lsf {

// `name` is the workload's. Where `plane` is given, the text becomes keys as far as they say the same. What cannot be
// imported at all is reported, and the result is not to be used. `script` is told which of its lines are no text of the
// program.
Imported import_script(const Sources& sources, batch::JobScript& script, const std::string& name,
                       const std::optional<PlaneWords>& plane, Diagnostics& diagnostics);

// The name of the job, without the indices of an array: "fit" of `-J "fit[1-10]"`.
std::string job_name(std::string_view value);

// What the job asks for and starts, as muster lint asks: Known::by is an index into the parts of the script.
batch::Asked asked_by(const Sources& sources, batch::JobScript& script);

}  // namespace muster::targets::lsf
