// The options that verbs on files share.
#pragma once

#include <optional>
#include <string>

#include "cli/arguments.h"
#include "cli/render.h"
#include "driver/inputs.h"
#include "driver/session.h"

namespace muster::cli {

// Options that every verb on files has: what it reads, and how it reports.
struct CommonOptions : driver::Inputs, ReportOptions {};

// In place of its one `--site`: as many as are given.
void add_sites(Arguments& app, std::vector<std::string>& sites, const std::string& doc);
// Adds --diagnostics and -q to a verb.
void add_report_options(Arguments& app, ReportOptions& options);

// Adds FILE…, --site, --root, --set, --template, --matrix, --diagnostics and -q to a verb.
void add_common(Arguments& app, CommonOptions& options, bool files_required);

// What ends a verb, and where: its answer is printed to standard output, then what the session has found to standard
// error. Returns the exit code: `code`, or a higher one that an error asks for. `answer` is "" where it is printed
// already; without one nothing can be said of the input, and print_no_answer() has its place.
int finish(driver::Session& session, const ReportOptions& options, int code = 0,
           std::optional<std::string> answer = std::nullopt);

}  // namespace muster::cli
