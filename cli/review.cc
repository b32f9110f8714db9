// muster review: what a change of a tree changes about where and how its workloads run.
#include <algorithm>
#include <cstdio>

#include "cli/command.h"
#include "cli/render.h"
#include "cli/report_files.h"
#include "cli/rule_choice.h"
#include "compiler/base/text.h"
#include "driver/review_crossing.h"
#include "driver/review_files.h"
#include "driver/review_judges.h"
#include "driver/review_tree.h"
#include "driver/tree.h"
#include "review/attribute.h"
#include "review/compare.h"
#include "review/mermaid.h"
#include "review/moves.h"
#include "review/report.h"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

struct ReviewOptions {
  std::string base, head;
  bool git = false, exit_code = false, quiet = false, chart = false;
  JudgeQuestion judges;
  std::string fail_on, key, host = "github";
  std::vector<Report> reports;
  ReviewSettings settings;
};

class Reviewer {
 public:
  explicit Reviewer(const ReviewOptions& options) : options_(options), settings_(options.settings) {}

  int run() {
    if (!read_sides()) return finish(0);
    affected_ = affected_files(base_, head_);
    rename_single_file();
    for (const Wanted& wanted : judges_wanted(options_.judges, base_, head_, notes_, diagnostics_))
      if (!review_for(wanted)) return 2;
    if (diagnostics_.has_errors()) return finish(2);
    review::Review review = review::compare(std::move(base_tree_), std::move(head_tree_), same_);
    review.notes = notes_;
    add_policies(review);
    review::attribute(review, cross(review));
    if (!write(review)) return finish(0);
    return finish(std::max(code_, verdict(review)));
  }

 private:
  struct Pair {
    Judge base, head;
    bool same = false;  // of both sides: every file that the site rests on
    std::map<std::pair<std::string, std::string>, std::vector<rules::NamedValue>> head_facts;  // by file and name
  };

  bool read_sides() {
    const auto open = [&](const std::string& name, std::optional<Tree>& tree) {
      if (options_.git) tree = open_revision(name, diagnostics_);
      if (options_.git && !tree) return std::optional<Side>();
      return read_side(name, tree ? tree->folder() : fs::path(name), diagnostics_);
    };
    auto base = open(options_.base, base_revision_), head = open(options_.head, head_revision_);
    if (!base || !head || diagnostics_.has_errors()) return false;
    base_ = std::move(*base);
    head_ = std::move(*head);
    return true;
  }

  // Two files are one that changed, whatever they are called.
  void rename_single_file() {
    if (base_.only.empty() || head_.only.empty() || base_.only == head_.only) return;
    renamed_ = base_.only;
    affected_ = {base_.only, head_.only};
  }

  bool review_for(const Wanted& wanted) {
    auto base = make_judge(wanted.base, settings_);
    auto head = base ? make_judge(wanted.head, settings_) : std::nullopt;
    if (!head) return false;
    if (!wanted.label.empty()) base->label = head->label = label_of(*head, wanted.label);
    Pair& pair = pairs_.emplace_back();
    pair.base = std::move(*base);
    pair.head = std::move(*head);
    pair.same = same_meaning(wanted, pair.base, pair.head, affected_);
    evaluate(base_, pair.base, pair, false);
    evaluate(head_, pair.head, pair, true);
    for (const auto& [path, file] : head_.files)
      if (pair.same && !affected_.contains(path)) same_ += count_workloads(path, file);
    return true;
  }

  // A site's name, or its file where another one has that name.
  std::string label_of(const Judge& judge, const std::string& file) const {
    const auto same = [&](const Pair& pair) { return pair.head.policy.site == judge.policy.site; };
    return std::any_of(pairs_.begin(), pairs_.end(), same) ? file : judge.policy.site;
  }

  void evaluate(const Side& side, const Judge& judge, Pair& pair, bool is_head) {
    review::Tree& tree = is_head ? head_tree_ : base_tree_;
    tree.name = side.name;
    const Evaluator evaluator(side, judge, settings_);
    for (const auto& [path, file] : side.files) {
      const bool affected = affected_.contains(path);
      if (pair.same && !affected) continue;
      EvaluatedFile evaluated = evaluator.evaluate(path);
      code_ = std::max(code_, evaluated.code);
      if (!evaluated.workloads) {
        tree.left_out.push_back({path == renamed_ ? head_.only : path, evaluated.why});
        continue;
      }
      for (Evaluated& e : *evaluated.workloads) {
        e.workload.text = affected ? 1 + is_head : 0;
        if (!renamed_.empty() && !is_head) take_name(e.workload);
        if (is_head) pair.head_facts[{e.workload.file, e.workload.name}] = std::move(e.facts);
        tree.workloads.push_back(std::move(e.workload));
      }
    }
  }

  void take_name(review::Workload& workload) const {
    workload.file = head_.only;
    if (workload.form == review::Form::script) workload.id = workload.name = workload.objects.front().name = head_.only;
    for (review::Finding& f : workload.findings) f.key = review::renamed_key(f.key, renamed_, head_.only);
  }

  void add_policies(review::Review& review) const {
    for (const Pair& pair : pairs_)
      if (!pair.same) review.policies.push_back(policy_change(pair.base, pair.head));
  }

  std::vector<review::Crossing> cross(const review::Review& review) const {
    std::vector<review::Crossing> out;
    for (const Pair& pair : pairs_) {
      Crosser crosser(base_, head_, pair.base, pair.head, pair.same, settings_);
      for (const review::Item& item : review.items) {
        if (!item.on_both() || !item.differs() || item.site != pair.head.label) continue;
        const auto facts = pair.head_facts.find({item.after->file, item.after->name});
        if (facts != pair.head_facts.end()) out.push_back(crosser.cross(item, origin_of(*item.before), facts->second));
      }
    }
    return out;
  }

  Origin origin_of(const review::Workload& before) const {
    if (renamed_.empty()) return {before.file, before.id};
    return {renamed_, before.form == review::Form::script ? renamed_ : before.id};
  }

  bool write(const review::Review& review) {
    review::ReportOptions options{options_.key, options_.host, MUSTER_VERSION, false, options_.chart};
    if (options.key.empty()) options.key = options_.git ? "." : head_.root.filename().string();
    bool good = true;
    for (const Report& report : options_.reports) {
      options.colour = report.file.empty() && colour_wanted(stdout);
      for (const review::Format& format : review::all_formats())
        if (format.name == report.format)
          good = write_report(report, format.write(review, options), diagnostics_) && good;
    }
    return good;
  }

  int verdict(const review::Review& review) const {
    const auto is_error = [](const review::Finding& f) { return f.severity == Severity::error; };
    const auto has_error = [&](const review::Item& item) {
      return std::any_of(item.new_findings.begin(), item.new_findings.end(), is_error);
    };
    const bool changed = !review.items.empty();
    if ((options_.exit_code || options_.fail_on == "changed") && changed) return 1;
    if (options_.fail_on == "blocked" && review.blocked > 0) return 1;
    return options_.fail_on == "error" && std::any_of(review.items.begin(), review.items.end(), has_error);
  }

  int finish(int code) {
    const Sources none;
    for (const Diagnostic& d : diagnostics_.sorted()) {
      code = std::max(code, exit_code(d.code));
      if (options_.quiet && d.severity() != Severity::error) continue;
      std::fputs((settings_.diagnostics == "json"    ? render_json(d, none)
                  : settings_.diagnostics == "short" ? render_short(d, none)
                                                     : render_human(d, none, colour_wanted(stderr)))
                     .c_str(),
                 stderr);
    }
    return code;
  }

  const ReviewOptions& options_;
  const ReviewSettings& settings_;
  Diagnostics diagnostics_;
  std::optional<Tree> base_revision_, head_revision_;
  Side base_, head_;
  std::set<std::string> affected_;
  std::string renamed_;
  std::vector<Pair> pairs_;
  review::Tree base_tree_, head_tree_;
  std::size_t same_ = 0;
  std::vector<std::string> notes_;
  int code_ = 0;
};

// Why there can be no chart that is asked for; nullptr: there can.
const char* chart_fault(const ReviewOptions& options) {
  const auto is_comment = [](const Report& report) { return report.format == "markdown"; };
  if (!options.chart) return nullptr;
  if (std::none_of(options.reports.begin(), options.reports.end(), is_comment))
    return "--mermaid is of the comment: `-o markdown` or `--format markdown`";
  return review::draws_charts(options.host) ? nullptr : "--mermaid: comments of this host draw no charts";
}

// Options as they are spelt, before they mean anything.
struct ReviewArguments {
  std::string format = "text";
  std::vector<std::string> outputs;
  RuleChoice rules;
  CommonOptions common;
};

void add_question(Arguments& app, ReviewOptions& options, ReviewArguments& raw) {
  app.add_option("BASE", options.base, "the old tree: a folder or a file; with --git a revision").required();
  app.add_option("HEAD", options.head, "the new one").required();
  app.add_flag("--git", options.git, "BASE and HEAD are revisions of the repository of the current folder");
  app.add_option("--site", options.judges.sites, "the site to judge for; without it the tree's only one")
      .type_name("FILE");
  app.add_option("--policy", options.judges.policy, "a folder with the policy: its site, its rules and what they waive")
      .type_name("DIR");
  add_rule_choice(app, raw.rules);
  app.add_flag("--exit-code", options.exit_code, "exit code 1 where anything changed");
  app.add_option("--fail-on", options.fail_on, "exit code 1 on these: blocked, changed or error (a new finding)")
      .one_of({"blocked", "changed", "error"})
      .type_name("CLASS");
}

void add_reports(Arguments& app, ReviewOptions& options, ReviewArguments& raw) {
  app.add_option("--format", raw.format, "of standard output: text (default), markdown, json or html")
      .one_of({"text", "markdown", "json", "html"})
      .type_name("FORMAT");
  app.add_option("-o,--output", raw.outputs, "a report, any number, in place of standard output")
      .type_name("FORMAT[=FILE]")
      .suggest(names_of(review::all_formats()))
      .one_at_a_time();
  app.add_option("--key", options.key, "tells this comment from others of the pull request; the folder's name")
      .type_name("KEY");
  app.add_option("--host", options.host, "whose comments: github (default), gitlab, azure or bitbucket")
      .one_of({"github", "gitlab", "azure", "bitbucket"})
      .type_name("HOST");
  app.add_flag("--mermaid", options.chart, "draw in the comment where workloads run; of github and gitlab");
  app.add_option("--as-of", options.settings.as_of, "the day on which expiry of rules and suppressions is judged")
      .check([](const std::string& day) { return is_date(day) ? std::string() : "it is no date as 2026-11-21"; })
      .type_name("DATE");
  add_report_options(app, raw.common);
}

// Why the options cannot be used; nullopt: they can.
std::optional<std::string> read_raw_options(ReviewArguments& raw, ReviewOptions& options) {
  std::vector<std::string_view> formats;
  for (const review::Format& f : review::all_formats()) formats.push_back(f.name);
  if (raw.outputs.empty()) raw.outputs.push_back(raw.format);
  if (auto why = read_reports(raw.outputs, formats, options.reports)) return why;
  if (const char* why = chart_fault(options)) return why;
  std::optional<std::string> no_rule;
  options.settings.selection = chosen_rules(raw.rules, no_rule);
  options.settings.diagnostics = raw.common.diagnostics;
  options.quiet = raw.common.quiet;
  options.judges.git = options.git;
  return no_rule;
}

}  // namespace

int run_review(const CommandLine& line) {
  ReviewOptions options;
  ReviewArguments raw;
  Arguments app("What a change of a tree changes about where and how its workloads run.", "muster review");
  add_question(app, options, raw);
  add_reports(app, options, raw);
  if (const auto code = app.parse(line)) return *code;
  if (const auto why = read_raw_options(raw, options)) {
    std::fprintf(stderr, "muster review: %s\n", why->c_str());
    return 2;
  }
  return Reviewer(options).run();
}

}  // namespace muster::cli
