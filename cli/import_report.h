// What `muster import` says of each script: one line a directive.
#pragma once

#include <string>
#include <vector>

#include "cli/emit.h"
#include "targets/slurm/read/import.h"

namespace muster::cli {

// One script that was read: what came of it, or that nothing could.
struct ImportedScript {
  std::string path;
  std::string written;  // the file's name in the output folder; "" if it was not imported
  targets::slurm::Script script;
  targets::slurm::Imported imported;
};

// Counts and every directive that is not simply mapped; with `all` those too.
std::string import_text(const std::vector<ImportedScript>& scripts, const Sources& sources, bool all);
Json import_json(const std::vector<ImportedScript>& scripts, const Sources& sources);

}  // namespace muster::cli
