#include "cli/lint_options.h"

#include <algorithm>
#include <cstdio>

#include "cli/arguments.h"
#include "cli/rule_choice.h"
#include "cli/standard_output.h"
#include "compiler/base/text.h"
#include "driver/session.h"
#include "lint/report/report.h"

namespace muster::cli {
namespace {

// Options as they are spelt, before they mean anything.
struct LintArguments {
  std::vector<std::string> outputs;
  RuleChoice choice;
  std::string level = "error", stats;
  bool rules = false;
};

int refuse(const std::string& message) {
  print_error("muster lint: " + message + "\n`muster lint --help` lists the options.\n");
  return 2;
}

void add_inputs(Arguments& app, LintOptions& options) {
  app.add_option("FILE", options.files, "files or folders (default: the current folder); - reads standard input");
  app.add_option("--site", options.site_file, "file with the site that the files are for, and its fleet")
      .type_name("FILE");
  app.add_option("--policy", options.policy_folder, "folder with shared sites, rules and waivers (*.muster)")
      .type_name("DIR");
  app.add_option("--with", options.with, "options of the sbatch command line").type_name("OPTIONS");
  app.add_option("--changed-only", options.changed_only,
                 "report only findings that BASE, a folder or a git revision, does not have, and findings on "
                 "changed lines")
      .type_name("BASE");
  app.add_option("--policy-from", options.policy_from,
                 "folder or git revision whose rules, waivers, baseline and suppressions decide; the report lists what "
                 "the files add to them")
      .type_name("BASE");
  app.add_flag("--allow-empty", options.allow_empty, "do not fail if no file is found");
  app.add_option("--diagnostics", options.diagnostics, "format of diagnostics about inputs: human, json or short")
      .one_of({"human", "json", "short"})
      .type_name("FORMAT");
}

void add_rules(Arguments& app, LintOptions& options, LintArguments& raw) {
  add_rule_choice(app, raw.choice);
  app.add_flag("--rules", raw.rules, "list the rules and exit");
  app.add_option("--as-of", options.as_of, "date at which suppressions expire").type_name("YYYY-MM-DD");
  app.add_option("--baseline", options.baseline, "file of known findings, which are not reported").type_name("FILE");
  app.add_flag("--update-baseline", options.update_baseline, "write the current findings to the baseline");
}

void add_outputs(Arguments& app, LintOptions& options, LintArguments& raw) {
  app.add_option("-o,--output", raw.outputs,
                 "write a report; can be repeated: text, short, json, sarif, github, markdown, gitlab, junit, "
                 "checkstyle or stats")
      .type_name("FORMAT[=FILE]")
      .suggest(names_of(lint::all_formats()))
      .one_at_a_time();
  app.add_flag("--stats", raw.stats,
               "print the number of findings per rule as JSON, to --stats=FILE or instead of the text");
  app.add_option("--fail-level", raw.level, "lowest severity that leads to exit code 1: error, warning or info")
      .one_of({"error", "warning", "info"})
      .type_name("LEVEL");
  app.add_option(
         "--fail-on", options.fail_on,
         "exit 1 on: allowed (the files add a suppression that --policy-from does not have), unjudged (a template "
         "or a file that is not read; with --changed-only one that BASE judges or does not have); can be repeated")
      .suggest({"allowed", "unjudged"})
      .check([](const std::string& word) {
        return word == "allowed" || word == "unjudged" ? std::string()
                                                       : "`" + word + "` is not valid; expected allowed or unjudged";
      })
      .one_at_a_time()
      .commas()
      .type_name("CLASS");
  app.add_flag("--exit-zero", options.exit_zero, "exit 0 even with findings; unusable input still exits 2");
  app.add_flag("--fix", options.fix, "apply the safe fixes to the files");
  app.add_flag("--unsafe-fixes", options.unsafe_fixes, "also apply the unsafe fixes");
  app.add_flag("--diff", options.diff, "write nothing; print the fixes as a diff");
  app.add_flag("-v,--verbose", options.verbose, "list each check that needs more information than the files contain");
  app.add_flag("-q,--quiet", options.quiet, "print only errors");
}

// The rules that run; `all`: those too that run only where they are asked for.
int list_rules(const lint::Selection& selection, bool all) {
  std::string out;
  const auto rules = lint::all_rules();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const bool strict = rules[i].profile == lint::Profile::strict;
    if (!selection.runs[i] && !all) continue;
    std::string name(rules[i].name);
    name.resize(std::max<std::size_t>(name.size(), 28), ' ');
    std::string severity(severity_name(rules[i].severity));
    severity.resize(8, ' ');
    out += std::string(rules[i].id) + "  " + name + "  " + severity + "  " + std::string(rules[i].summary) +
           (strict ? " (strict)" : "") + (rules[i].stage == lint::Stage::preview ? " (preview)" : "") + "\n";
  }
  return std::fputs(out.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 2 : 0;
}

}  // namespace

std::optional<int> read_lint_options(const CommandLine& line, LintOptions& options) {
  LintArguments raw;
  Arguments app("Finds errors in sbatch scripts, Kubernetes manifests and muster files.", "muster lint");
  add_inputs(app, options);
  add_rules(app, options, raw);
  add_outputs(app, options, raw);
  if (const auto exit = app.parse(line)) return exit;
  if (options.files.empty()) options.files.push_back(".");
  options.fail_level = raw.level == "error"     ? Severity::error
                       : raw.level == "warning" ? Severity::warning
                                                : Severity::info;
  std::optional<std::string> no_rule;
  options.selection = chosen_rules(raw.choice, no_rule);
  if (no_rule) return refuse(*no_rule);
  if (raw.rules) return list_rules(options.selection, !raw.choice.given());
  if (!options.as_of.empty() && !is_date(options.as_of)) return refuse("--as-of takes a date such as 2026-11-21");
  if (options.update_baseline && options.baseline.empty()) return refuse("--update-baseline requires --baseline FILE");
  if (options.fails_on("allowed") && options.policy_from.empty())
    return refuse("--fail-on allowed requires --policy-from BASE");
  if (options.update_baseline && !options.policy_from.empty())
    return refuse("--update-baseline cannot be combined with --policy-from");
  if (!raw.stats.empty()) raw.outputs.push_back(raw.stats == "true" ? "stats" : "stats=" + raw.stats);
  if (!raw.stats.empty() && raw.stats != "true" && raw.outputs.size() == 1) raw.outputs.push_back("text");
  std::vector<std::string_view> formats;
  for (const lint::Format& format : lint::all_formats()) formats.push_back(format.name);
  const auto why = read_reports(raw.outputs, formats, options.reports, options.format);
  return why ? std::optional(refuse(*why)) : std::nullopt;
}

}  // namespace muster::cli
