// What a cluster makes of a manifest: its pods, what they hold, whether they start together, what its operator adds.
#pragma once

#include <string>

#include "cli/emit.h"
#include "compiler/base/source.h"
#include "targets/kubernetes/read/manifest.h"

namespace muster::cli {

std::string explain_manifest_text(const targets::kubernetes::Manifest& manifest, const Sources& sources);
// A list with an object for each object of the file.
Json explain_manifest_json(const targets::kubernetes::Manifest& manifest, const Sources& sources);

}  // namespace muster::cli
