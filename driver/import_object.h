// An object of a manifest as a workload: lifted, compiled again in memory, and held against what it was.
#pragma once

#include <string>

#include "compiler/base/diagnostic.h"
#include "targets/imported.h"
#include "targets/kubernetes/read/manifest.h"

namespace muster::driver {

// `name` is the workload's. What cannot be imported is reported, and the result is not to be used.
targets::Imported import_object(const Sources& sources, const targets::kubernetes::Manifest& manifest,
                                const targets::kubernetes::Object& object, const std::string& name,
                                Diagnostics& diagnostics);

}  // namespace muster::driver
