// The command line of `muster lint`.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/render.h"
#include "cli/report_files.h"
#include "compiler/base/diagnostic.h"
#include "driver/lint_settings.h"

namespace muster::cli {

struct LintOptions : driver::LintSettings, ReportOptions {
  std::string baseline;
  std::vector<Report> reports;  // empty: text
  Severity fail_level = Severity::error;
  std::vector<std::string> fail_on;
  bool update_baseline = false, exit_zero = false, verbose = false;

  bool fails_on(std::string_view what) const {
    return std::find(fail_on.begin(), fail_on.end(), what) != fail_on.end();
  }
};

// Parses argv. An exit code: --help or --rules was answered, or the arguments cannot be used.
std::optional<int> read_lint_options(const CommandLine& line, LintOptions& options);

}  // namespace muster::cli
