// muster review: what a change of a tree changes about where and how its workloads run.
#include <algorithm>
#include <array>
#include <cstdio>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/render.h"
#include "cli/report_files.h"
#include "cli/rule_choice.h"
#include "cli/standard_output.h"
#include "compiler/base/text.h"
#include "driver/review_run.h"
#include "review/mermaid.h"
#include "review/report.h"
#include "review/total.h"

namespace muster::cli {
namespace {

struct ReviewOptions : ReportOptions {
  driver::ReviewQuestion question;
  bool exit_code = false, chart = false;
  std::vector<std::string> fail_on;
  std::vector<review::SpendLimit> budgets;  // those among them
  std::string key, host = "github";
  std::vector<Report> reports;
};

// Writes the reports. False: reported.
bool write(const review::Review& review, const ReviewOptions& options, const driver::Side& head,
           Diagnostics& diagnostics) {
  review::ReportOptions how{options.key, options.host, MUSTER_VERSION, false, options.chart};
  if (how.key.empty()) how.key = options.question.judges.git ? "." : head.root.filename().string();
  bool good = true;
  for (const Report& report : options.reports) {
    how.colour = report.file.empty() && colour_wanted(stdout);
    for (const review::Format& format : review::all_formats())
      if (format.name == report.format) good = write_report(report, format.write(review, how), diagnostics) && good;
  }
  return good;
}

// Without --policy-from: of what is found.
bool allows_more(const review::Review& review) {
  if (!review.policy_from.empty()) return !review.suppressions.empty();
  return std::any_of(review.items.begin(), review.items.end(),
                     [](const review::Item& item) { return !item.allowed_findings.empty(); });
}

// The rules of HEAD, which are not in force yet.
bool blocks_later(const review::Review& review) {
  return std::any_of(review.rule_effects.begin(), review.rule_effects.end(),
                     [](const review::RuleEffect& effect) { return !effect.blocked.empty(); });
}

// The budgets that are asked for. What cannot be checked is reported: exit code 2.
int kept(const review::Review& review, const ReviewOptions& options) {
  int code = 0;
  const review::Total change = review::total_of_change(review);
  for (const review::SpendLimit& budget : options.budgets) {
    const review::Total& total = budget.whole && review.whole ? *review.whole : change;
    const review::Kept kept = review::check(budget, total);
    if (kept == review::Kept::exceeded) code = std::max(code, 1);
    if (kept != review::Kept::unknown) continue;
    print_error("muster review: " + review::unknown_text(budget, total) + "\n");
    code = 2;
  }
  return code;
}

int verdict(const review::Review& review, const ReviewOptions& options) {
  const auto is_error = [](const review::Finding& f) { return f.severity == Severity::error; };
  const auto has_error = [&](const review::Item& item) {
    return std::any_of(item.new_findings.begin(), item.new_findings.end(), is_error);
  };
  const auto is_asked = [&](std::string_view what) {
    return std::find(options.fail_on.begin(), options.fail_on.end(), what) != options.fail_on.end();
  };
  const bool changed = !review.items.empty();
  if ((options.exit_code || is_asked("changed")) && changed) return 1;
  if (is_asked("blocked") && (review.blocked > 0 || blocks_later(review))) return 1;
  if (is_asked("allowed") && allows_more(review)) return 1;
  if (is_asked("unjudged") && !review.unjudged.empty()) return 1;
  if (is_asked("policy") && !review.policies.empty()) return 1;
  return is_asked("error") && std::any_of(review.items.begin(), review.items.end(), has_error);
}

int review_trees(const ReviewOptions& options) {
  driver::ReviewRun run(options.question);
  const std::optional<review::Review> review = run.run();
  int code = !review || run.incomplete() ? 2 : 0;
  const Sources none;
  std::vector<std::string> lines;
  for (const driver::Reported& reported : run.reported())
    code = report(reported.found, reported.sources != nullptr ? *reported.sources : none, options, code, &lines);
  if (!review) return print_no_answer(lines, options), code;
  Diagnostics writing;
  const bool written = write(*review, options, run.head(), writing);
  const int budgets = kept(*review, options);
  code = report(writing.sorted(), none, options, code);
  return written ? std::max({code, budgets, verdict(*review, options)}) : code;
}

// Why there can be no chart that is asked for; nullptr: there can.
const char* chart_fault(const ReviewOptions& options) {
  const auto is_comment = [](const Report& report) { return report.format == "markdown"; };
  if (!options.chart) return nullptr;
  if (std::none_of(options.reports.begin(), options.reports.end(), is_comment))
    return "--mermaid requires a comment: `-o markdown` or `--format markdown`";
  return review::draws_charts(options.host) ? nullptr : "--mermaid: comments on this host cannot contain charts";
}

// Options as they are spelt, before they mean anything.
struct ReviewArguments {
  std::string format = "text";
  std::vector<std::string> outputs;
  RuleChoice rules;
};

std::string why_not_class(const std::string& word) {
  constexpr std::array classes =
      std::to_array<std::string_view>({"blocked", "changed", "error", "allowed", "unjudged", "policy"});
  if (std::find(classes.begin(), classes.end(), word) != classes.end() || review::limit_of(word)) return {};
  return "`" + word +
         "` is not valid; expected blocked, changed, error, allowed, unjudged, policy, or a budget such as cost>100, "
         "gpu-hours>500 or "
         "total-gpus>64";
}

void add_question(Arguments& app, ReviewOptions& options, ReviewArguments& raw) {
  app.add_option("BASE", options.question.base, "the old tree: a folder or a file, or with --git a revision")
      .required();
  app.add_option("HEAD", options.question.head, "the new tree").required();
  app.add_flag("--git", options.question.judges.git,
               "BASE and HEAD are revisions of the repository of the current folder");
  app.add_option("--site", options.question.judges.sites,
                 "file with the site to plan for; default: the only site of the tree")
      .type_name("FILE");
  app.add_option("--policy", options.question.judges.policy, "folder with the policy: its site, rules and waivers")
      .type_name("DIR");
  app.add_option("--policy-from", options.question.judges.policy_from,
                 "folder or git revision, such as BASE, whose rules, site, fleet, waivers and suppressions decide; the "
                 "report lists what HEAD changes of them")
      .type_name("BASE");
  add_rule_choice(app, raw.rules);
  app.add_flag("--exit-code", options.exit_code, "exit 1 if anything changed");
  app.add_option(
         "--fail-on", options.fail_on,
         "exit 1 on: blocked, changed, error (a new finding), allowed (a new suppression), unjudged (a file "
         "that HEAD does not judge, and BASE does or does not have), policy (a changed site, fleet or rule), or "
         "a budget that is exceeded: cost>N, gpu-hours>N, cpu-hours>N, gpus>N (at once) for the change, total-cost>N "
         "and its "
         "like for all of HEAD; can be repeated")
      .suggest({"blocked", "changed", "error", "allowed", "unjudged", "policy", "cost>", "gpu-hours>", "cpu-hours>",
                "gpus>", "total-cost>", "total-gpu-hours>", "total-cpu-hours>", "total-gpus>"})
      .check(why_not_class)
      .one_at_a_time()
      .commas()
      .type_name("CLASS");
}

void add_reports(Arguments& app, ReviewOptions& options, ReviewArguments& raw) {
  app.add_option("--format", raw.format, "format of standard output: text (default), markdown, json or html")
      .one_of({"text", "markdown", "json", "html"})
      .type_name("FORMAT");
  app.add_option("-o,--output", raw.outputs, "write a report instead of standard output; can be repeated")
      .type_name("FORMAT[=FILE]")
      .suggest(names_of(review::all_formats()))
      .one_at_a_time();
  app.add_option("--key", options.key,
                 "distinguishes this comment from others of the pull request; default: the folder's name")
      .type_name("KEY");
  app.add_option("--host", options.host, "host that shows the comment: github (default), gitlab, azure or bitbucket")
      .one_of({"github", "gitlab", "azure", "bitbucket"})
      .type_name("HOST");
  app.add_flag("--mermaid", options.chart, "add a chart of where workloads run to the comment; github and gitlab only");
  app.add_option("--as-of", options.question.settings.as_of, "date at which rules and suppressions expire")
      .check([](const std::string& day) { return is_date(day) ? std::string() : "invalid date; expected YYYY-MM-DD"; })
      .type_name("DATE");
  add_report_options(app, options);
}

// Why the options cannot be used; nullopt: they can.
std::optional<std::string> read_raw_options(ReviewArguments& raw, ReviewOptions& options) {
  std::vector<std::string_view> formats;
  for (const review::Format& f : review::all_formats()) formats.push_back(f.name);
  if (raw.outputs.empty()) raw.outputs.push_back(raw.format);
  if (auto why = read_reports(raw.outputs, formats, options.reports, options.format)) return why;
  if (const char* why = chart_fault(options)) return why;
  for (const std::string& word : options.fail_on)
    if (auto budget = review::limit_of(word)) options.budgets.push_back(*budget);
  options.question.whole = std::any_of(options.budgets.begin(), options.budgets.end(),
                                       [](const review::SpendLimit& budget) { return budget.whole; });
  std::optional<std::string> no_rule;
  options.question.settings.selection = chosen_rules(raw.rules, no_rule);
  return no_rule;
}

}  // namespace

int run_review(const CommandLine& line) {
  ReviewOptions options;
  ReviewArguments raw;
  Arguments app("Shows how a change affects where and how workloads run.", "muster review");
  add_question(app, options, raw);
  add_reports(app, options, raw);
  if (const auto code = app.parse(line)) return *code;
  if (const auto why = read_raw_options(raw, options)) {
    print_error("muster review: " + *why + "\n");
    return 2;
  }
  return review_trees(options);
}

}  // namespace muster::cli
