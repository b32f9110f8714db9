// A run of lint over one file or folder, all rules on, for tests that look at what it found.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/lint_run.h"
#include "tests/catch.h"
#include "tests/temp_folder.h"

namespace muster::tests {

inline driver::LintSettings all_rules_on(const std::filesystem::path& file) {
  driver::LintSettings out;
  out.files = {file.string()};
  std::string unknown;
  out.selection = lint::select_rules({}, {}, true, unknown, lint::Profile::strict);
  return out;
}

inline std::filesystem::path written(const TempFolder& folder, const std::string& name, const std::string& text) {
  const std::filesystem::path file = folder.path() / name;
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

struct Linted {
  driver::LintSettings options;
  driver::LintRun run;

  explicit Linted(const std::filesystem::path& path) : Linted(all_rules_on(path)) {}
  explicit Linted(driver::LintSettings given) : options(std::move(given)), run(options) {
    if (run.prepare()) run.lint({});
  }

  const std::vector<lint::Result>& results() { return run.outcome().results; }
  const Sources& sources() { return run.session().sources(); }
  std::size_t count(std::string_view id, lint::State state = lint::State::open) {
    return static_cast<std::size_t>(std::count_if(results().begin(), results().end(), [&](const lint::Result& r) {
      return lint::about(r.finding).id == id && r.state == state;
    }));
  }
  bool usable() { return !run.session().diagnostics().has_errors(); }
};

}  // namespace muster::tests
