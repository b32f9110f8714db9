// What a run of lint is asked for.
#pragma once

#include <string>
#include <vector>

#include "driver/files.h"
#include "lint/select.h"

namespace muster::driver {

struct LintSettings {
  Files from;                      // where all of these are read
  std::vector<std::string> files;  // files and folders; "-" is standard input
  std::string site_file, policy_folder;
  std::string with;          // options that sbatch gets on its command line
  std::string as_of;         // the day on which suppressions expire; "": none does
  std::string changed_only;  // a folder or a git revision; "": all findings
  std::string policy_from;   // a folder or a git revision whose policy and suppressions decide; "": the files' own
  lint::Selection selection;
  bool fix = false, unsafe_fixes = false, diff = false;
  bool allow_empty = false;  // finding no file is not an error

  bool fixes() const { return fix || unsafe_fixes || diff; }
};

}  // namespace muster::driver
