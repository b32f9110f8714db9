// What an earlier import left in a folder: its site, to which a later one adds, and the workloads that use it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/model/site.h"
#include "driver/output.h"

namespace muster::driver {

struct EarlierImport {
  model::Site site;
  std::string text;                   // of the site
  std::vector<OutputFile> workloads;  // the other files of the language in the folder
};

// nullopt: the folder has no site, or one that cannot be added to, which is reported.
std::optional<EarlierImport> earlier_import(const std::string& folder, Diagnostics& diagnostics);

// Whether each earlier workload that is not among `written` becomes the same files with the new site; else reported
// with both lines.
bool keeps_workloads(const EarlierImport& earlier, const std::string& site, const std::vector<OutputFile>& written,
                     Diagnostics& diagnostics);

}  // namespace muster::driver
