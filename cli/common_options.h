// The options that verbs on files share.
#pragma once

#include "cli/arguments.h"
#include "cli/render.h"
#include "driver/inputs.h"
#include "driver/session.h"

namespace muster::cli {

// Options that every verb on files has: what it reads, and how it reports.
struct CommonOptions : driver::Inputs, ReportOptions {};

// Adds --diagnostics and -q to a verb.
// In place of its one `--site`: as many as are given.
void add_sites(Arguments& app, std::vector<std::string>& sites, const std::string& doc);
void add_report_options(Arguments& app, ReportOptions& options);

// Adds FILE…, --site, --root, --set, --template, --matrix, --diagnostics and -q to a verb.
void add_common(Arguments& app, CommonOptions& options, bool files_required);

// Prints what a session has found to standard error and returns the exit code: `code`, or a higher one that an error
// asks for.
int finish(const driver::Session& session, const ReportOptions& options, int code = 0);

}  // namespace muster::cli
