// Which files a verb on existing files reads.
#pragma once

#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"

namespace muster::cli {

struct FoundFile {
  std::string path;    // as given, or below the folder that was given; "-" is standard input
  bool named = false;  // given itself, not found in a folder
};

// Files as they are given; folders with all below them, sorted by name. Hidden files and folders, and
// symbolic links in a folder, are left out. What is not there is reported.
std::vector<FoundFile> discover(const std::vector<std::string>& arguments, Diagnostics& diagnostics);

}  // namespace muster::cli
