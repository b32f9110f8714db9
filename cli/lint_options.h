// The command line of `muster lint`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/report_files.h"
#include "compiler/base/diagnostic.h"
#include "lint/select.h"

namespace muster::cli {

struct LintOptions {
  std::vector<std::string> files;
  std::string site_file, policy_folder, baseline, with, as_of;
  std::string changed_only;  // a folder or a git revision; "": all findings
  std::string diagnostics = "human";
  std::vector<Report> reports;  // empty: text
  Severity fail_level = Severity::error;
  lint::Selection selection;
  bool fix = false, unsafe_fixes = false, diff = false;
  bool update_baseline = false, allow_empty = false, exit_zero = false, quiet = false, verbose = false;

  bool fixes() const { return fix || unsafe_fixes || diff; }
};

// Parses argv. An exit code: --help or --rules was answered, or the arguments cannot be used.
std::optional<int> read_lint_options(const CommandLine& line, LintOptions& options);

}  // namespace muster::cli
