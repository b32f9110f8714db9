// Which files a verb on existing files reads.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "driver/files.h"
#include "lint/rule.h"
#include "targets/batch/read/job_script.h"

namespace muster::driver {

struct FoundFile {
  std::string path;       // as given, or below the folder that was given; "-" is standard input
  bool named = false;     // given itself, not found in a folder
  std::size_t given = 0;  // bytes of `path` that are the folder that was given
};

// The files that are given, and all below the folders that are given, sorted by their paths: the order of the arguments
// makes no difference. Hidden files and folders, and symbolic links in a folder, are left out; the links go to `links`.
// What is not there is reported.
std::vector<FoundFile> discover(const std::vector<std::string>& arguments, const Files& files, Diagnostics& diagnostics,
                                std::vector<std::string>* links = nullptr);

// What an existing file is, nullopt where it is nothing of ours. One that was found in a folder must look like it
// besides: a page of documentation quotes manifests, a program writes scripts, and neither is one. So a manifest there
// ends in .yaml, .yml or .json, and a batch script has an `#SBATCH` line before its first command or is a shell's.
std::optional<lint::Input> kind_of(const FoundFile& file, std::string_view text);

// The batch system other than Slurm that a job script is for. One that was found in a folder must have its directives
// above its first command, or be a shell's, and be one that muster reads.
std::optional<targets::batch::System> other_system(const FoundFile& file, std::string_view text);

}  // namespace muster::driver
