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

// Notes on the findings of each document that `helm template` wrote which file of the chart it is from.
void note_charts(const targets::kubernetes::Manifest& manifest, const Sources& sources, std::vector<Finding>& findings);

// What is only kept has no users that wait: its warnings are for the profile `strict`.
void keep_warnings_for_strict(std::vector<Finding>& findings);

// Drops from the findings of a file that is something else in part what depends on that.
void leave_what_holds(const targets::Purpose& purpose, const targets::kubernetes::Manifest& manifest,
                      const Context& context, std::uint32_t file, std::vector<Finding>& findings);

// Of a file that is not complete: secrets, and what is not checked.
void check_incomplete_manifest(const targets::Purpose& purpose, const targets::kubernetes::Manifest& manifest,
                               const Context& context, std::uint32_t file, std::vector<Finding>& findings);

}  // namespace muster::lint
