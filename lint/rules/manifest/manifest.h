// The checks of Kubernetes manifests.
#pragma once

#include <vector>

#include "lint/context.h"
#include "lint/finding.h"
#include "targets/kubernetes/read/manifest.h"
#include "targets/purpose.h"

namespace muster::lint {

// Adds the findings of all manifest rules, in the order of the file.
void check_manifest(const targets::kubernetes::Manifest& manifest, const Context& context,
                    std::vector<Finding>& findings);

// Whether a file's objects are complete, by the other files of the run and by its own text.
targets::Purpose manifest_purpose(const targets::kubernetes::Manifest& manifest, const Context& context,
                                  std::uint32_t file);

// Test data or an archived file: whole manifests, and not for any cluster of today.
bool is_kept(const targets::Purpose& purpose);

// Of a file that is not: secrets, and that nothing else is checked.
void check_incomplete_manifest(const targets::Purpose& purpose, const targets::kubernetes::Manifest& manifest,
                               const Context& context, std::uint32_t file, std::vector<Finding>& findings);

}  // namespace muster::lint
