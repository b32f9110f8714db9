// Findings that a change has brought about: `muster lint --changed-only BASE`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"
#include "driver/lint_settings.h"
#include "driver/tree.h"
#include "lint/outcome.h"

namespace muster::driver {

// What lint found before the change: the sorted keys of the findings, and what became of the files.
struct FoundBefore {
  std::vector<std::string> keys;
  std::vector<lint::Account> accounts;
};

// What lint finds in the tree as it was, asked in the same way: the same files, site and policy, each as it stood there
// (one that lies outside the current folder: as it is now). What was not there is not asked; nothing is found where the
// site or the policy could not be used. nullopt: reported.
std::optional<FoundBefore> findings_at(const Tree& tree, const LintSettings& options, Diagnostics& diagnostics);

// Takes away what was there before and does not begin on a line that changed. So what stays has its place in the
// change, or its cause: whatever it follows from, it was not there before. Faults stay. Returns how many were taken
// away.
std::size_t keep_changed(const Tree& tree, const std::vector<std::string>& before, const Sources& sources,
                         std::vector<lint::Result>& results);

}  // namespace muster::driver
