// What one value of a workload says of another: conflicts and needs. Inside compiler/sema only.
#pragma once

#include "compiler/base/diagnostic.h"
#include "compiler/model/workload.h"

namespace muster::sema {

void validate_workload(const model::Workload& workload, Diagnostics& diagnostics);

// A path that is absolute, without `..` and without control characters. Reports otherwise.
bool check_absolute(const model::Located<std::string>& path, std::string_view what, Diagnostics& diagnostics);
// The same for a relative path that stays below its folder.
bool check_relative(const model::Located<std::string>& path, std::string_view what, Diagnostics& diagnostics);

}  // namespace muster::sema
