// The checks of Kubernetes manifests.
#pragma once

#include <vector>

#include "lint/context.h"
#include "lint/finding.h"
#include "targets/kubernetes/read/manifest.h"

namespace muster::lint {

// Adds the findings of all manifest rules, in the order of the file.
void check_manifest(const targets::kubernetes::Manifest& manifest, const Context& context,
                    std::vector<Finding>& findings);

}  // namespace muster::lint
