// muster explain CODE|FILE: what a diagnostic, a lint rule or a cause means and how to mend it; what Slurm will do
// with a batch script; what a muster file has.
#include <cstdio>
#include <filesystem>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "cli/explain_cause.h"
#include "cli/explain_file.h"
#include "cli/explain_library.h"
#include "cli/explain_rule.h"
#include "cli/standard_output.h"
#include "compiler/base/text.h"
#include "compiler/twin/twin.h"
#include "driver/planning.h"
#include "driver/session.h"
#include "lint/rule.h"

namespace muster::cli {
namespace {

// The ids of all codes and rules.
std::vector<std::string> all_entries() {
  std::vector<std::string> ids;
  for (const CodeInfo& code : all_codes()) ids.emplace_back(code.id);
  for (const lint::Rule& rule : lint::all_rules()) ids.emplace_back(rule.id);
  return ids;
}

std::string nearest_entry(const std::string& code) {
  std::vector<std::string_view> names;
  for (const CodeInfo& c : all_codes()) names.push_back(c.id), names.push_back(c.name);
  for (const lint::Rule& r : lint::all_rules()) names.push_back(r.id), names.push_back(r.name);
  const std::vector<std::string> causes = cause_codes();
  names.insert(names.end(), causes.begin(), causes.end());
  return closest(code, names);
}

std::string text_of(const CodeInfo& code) {
  return std::string(code.id) + " " + std::string(code.name) + " (" + std::string(severity_name(code.severity)) +
         "): " + std::string(code.summary) + "\n\n" + std::string(code.explanation) + "\n";
}

Json json_of(const CodeInfo& code) {
  return {{"code", code.id},
          {"name", code.name},
          {"severity", severity_name(code.severity)},
          {"summary", code.summary},
          {"explanation", code.explanation}};
}

bool is_code(const std::string& code) {
  return find_code(code) != nullptr || lint::find_rule(code) != nullptr || is_cause(code);
}

int printed(const std::string& text) {
  return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 2 : 0;
}

int explain_code(const std::string& code, const std::string& format) {
  if (is_cause(code)) return printed(format == "json" ? print(cause_json(code)) : cause_text(code));
  const CodeInfo* found = find_code(code);
  const lint::Rule* rule = found == nullptr ? lint::find_rule(code) : nullptr;
  if (found == nullptr && rule == nullptr) {
    const std::string near = nearest_entry(code);
    print_error("muster explain: unknown code `" + code + "`" + (near.empty() ? "" : "; did you mean `" + near + "`?") +
                "\n");
    return 2;
  }
  const std::string text = format == "json"   ? print(found != nullptr ? json_of(*found) : rule_json(*rule))
                           : found != nullptr ? text_of(*found)
                                              : rule_text(*rule);
  return printed(text);
}

// By its name: standard input is a script.
bool is_muster_file(const std::string& name) {
  return name.ends_with(".muster") || twin::form_of(name, "") != twin::Form::muster;
}

}  // namespace

int run_explain(const CommandLine& line) {
  ExplainOptions options;
  Arguments app(
      "Explains a diagnostic, a lint rule, a cause of `muster why`, what Slurm does with a batch script, what a "
      "cluster makes of a manifest, or "
      "what a muster file contains: "
      "templates, "
      "workloads, fleets, sites.",
      "muster explain");
  app.add_option(
         "CODE|FILE", options.file,
         "a code or a file, such as E0201, unknown-key, SLM001, train.sbatch or lib.muster; - reads standard input")
      .suggest(all_entries())
      .required();
  app.add_option("--site", options.site_file, "file with the site that the script is for").type_name("FILE");
  app.add_option("--with", options.with, "options of the sbatch command line: --with \"-p gpu\"").type_name("OPTIONS");
  app.add_option("--format", options.format, "text or json").one_of({"text", "json"}).type_name("FORMAT");
  if (const auto exit = app.parse(line)) return *exit;
  const bool code = is_code(options.file);
  if (!code && is_muster_file(options.file)) return explain_library(options);
  // A cause is spelt as a path is.
  const bool cause = options.file.find('/') != std::string::npos && !std::filesystem::exists(options.file) &&
                     !nearest_entry(options.file).empty();
  if (!code && !cause && names_a_file(options.file)) return explain_file(options);
  return explain_code(options.file, options.format);
}

}  // namespace muster::cli
