// What `muster import` says of each file: one line a directive, field or statement.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/emit.h"
#include "driver/importer.h"
#include "driver/pair.h"

namespace muster::cli {

// Counts and every directive that is not simply mapped; with `all` those too.
// `pair`: what became of the two by `--pair`; nullptr without it.
std::string import_text(const std::vector<driver::ImportedFile>& scripts, const driver::Pair* pair,
                        const Sources& sources, bool all);
// `found`: what was found in all files, with why one was not imported.
Json import_json(const std::vector<driver::ImportedFile>& scripts, const driver::Pair* pair,
                 std::span<const Diagnostic> found, const Sources& sources);

}  // namespace muster::cli
