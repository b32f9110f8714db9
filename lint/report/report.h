// The reports: one outcome, many readers. Each is a pure function to text; no clock, no environment.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "compiler/base/source.h"
#include "lint/outcome.h"

namespace muster::lint {

// The policy in force: its waivers were applied, and muster files are decided by it unless they name another site.
struct PolicyName {
  std::string name, version, sha256;
};

struct View {
  const Outcome& outcome;
  const Sources& sources;
  std::string_view version;  // of muster
  bool colour = false;       // text only
  bool verbose = false;      // text only: with what cannot be told from the files, one by one
  bool quiet = false;        // text only: errors alone
  PolicyName policy = {};    // our own JSON and SARIF only
};

// Takes a report piece by piece.
using Write = std::function<void(std::string_view)>;

// For people: each finding with its line; the last line says how many there are.
std::string write_text(const View& view);
// A line a finding: `file:line:column: error: message [SLM001 double-launch]`.
std::string write_short(const View& view);
// docs/schemas/lint.json.
void write_json(const View& view, const Write& write);
// SARIF 2.1.0, one run; the worst 25,000 results, as GitHub takes no more.
void write_sarif(const View& view, const Write& write);
// GitHub's workflow commands: the worst 10 errors and 10 warnings, as it shows no more, and a last line
// with what was left out.
std::string write_github(const View& view);
// A table for a pull request's comment or a job's summary, below GitHub's limit of 65,536 characters.
std::string write_markdown(const View& view);
// GitLab's code quality report.
std::string write_gitlab(const View& view);
// A suite a file, a failed case a finding; errors alone fail it.
std::string write_junit(const View& view);
std::string write_checkstyle(const View& view);

// Counts a rule: docs/schemas/lint-stats.json.
std::string write_stats(const View& view);

struct Format {
  std::string_view name;
  void (*write)(const View&, const Write&);
};
std::span<const Format> all_formats();

// The report as one text.
std::string whole(void (*write)(const View&, const Write&), const View& view);

}  // namespace muster::lint
