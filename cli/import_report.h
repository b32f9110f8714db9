// What `muster import` says of each file: one line a directive, field or statement.
#pragma once

#include <string>
#include <vector>

#include "cli/emit.h"
#include "targets/imported.h"

namespace muster::cli {

// One file that was read: what came of it, or that nothing could.
struct ImportedFile {
  std::string path;
  std::string written;  // the file's name in the output folder; "" if it was not imported
  targets::Imported imported;
};

// Counts and every directive that is not simply mapped; with `all` those too.
std::string import_text(const std::vector<ImportedFile>& scripts, const Sources& sources, bool all);
Json import_json(const std::vector<ImportedFile>& scripts, const Sources& sources);

}  // namespace muster::cli
