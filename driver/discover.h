// Which files a verb on existing files reads.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "driver/files.h"
#include "lint/account.h"
#include "lint/rule.h"
#include "targets/batch/read/job_script.h"

namespace muster::driver {

struct FoundFile {
  std::string path;       // as given, or below the folder that was given; "-" is standard input
  bool named = false;     // given itself, not found in a folder
  std::size_t given = 0;  // bytes of `path` that are the folder that was given
  std::string link{};     // where a symbolic link leads, as the run shows it; "": it is none
  bool resource = false;  // a kustomization takes it as an object, whatever it is called
};

// What is in the folders that were given besides the files that are read.
struct Beside {
  std::vector<std::string> links;       // symbolic ones
  std::vector<lint::Account> not_read;  // what could start something and is not a file that is read
};

// The files that are given, and all below the folders that are given, sorted by their paths: the order of the arguments
// makes no difference. What is not there is reported. Without `beside` what is hidden and symbolic links are left out.
// With it they are read: links where they lead to a file or folder that the run may read, and hidden files but for
// muster files and what is git's own.
std::vector<FoundFile> discover(const std::vector<std::string>& arguments, const Files& files, Diagnostics& diagnostics,
                                Beside* beside = nullptr);

// The folders below which a run of these files and folders may read what links and kustomizations name: the current
// folder where they are in it, else they themselves or the folder that they are in. Whole paths without links.
std::vector<std::string> roots_of(const std::vector<std::string>& arguments, const Files& files);

// What an existing file is, nullopt where it is nothing of ours. One that was found in a folder must look like it
// besides: a page of documentation quotes manifests, a program writes scripts, and neither is one. So a manifest there
// ends in .yaml, .yml or .json or is named by a kustomization, and a batch script has an `#SBATCH` line before its
// first command or is a shell's.
std::optional<lint::Input> kind_of(const FoundFile& file, std::string_view text);

// The batch system other than Slurm that a job script is for. One that was found in a folder must have its directives
// above its first command, or be a shell's, and be one that muster reads.
std::optional<targets::batch::System> other_system(const FoundFile& file, std::string_view text);

// What a file is for lint and review.
struct Recognized {
  std::optional<lint::Input> kind;         // what it is judged as; nullopt: it is not
  std::optional<lint::Account> account{};  // then: what it is, if it could start something
};
Recognized recognize(const FoundFile& file, std::string_view text);
// What one over the limit of lint is: data where no byte of it can be part of a key `apiVersion`, else not read.
lint::Account account_of_large(const FoundFile& file, const Files& files);

}  // namespace muster::driver
