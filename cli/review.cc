// muster review: what a change of a tree changes about where and how its workloads run.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "cli/command.h"
#include "cli/render.h"
#include "cli/report_files.h"
#include "cli/review_crossing.h"
#include "cli/review_files.h"
#include "cli/review_tree.h"
#include "cli/tree.h"
#include "compiler/base/text.h"
#include "review/compare.h"
#include "review/report.h"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

struct ReviewOptions {
  std::string base, head;
  bool git = false, exit_code = false, quiet = false;
  std::vector<std::string> sites;
  std::string fail_on, key, host = "github";
  std::vector<Report> reports;
  ReviewSettings settings;
};

class Reviewer {
 public:
  explicit Reviewer(const ReviewOptions& options) : options_(options) {
    std::string unknown;
    settings_ = options.settings;
    settings_.selection = lint::select_rules({}, {}, false, unknown);
  }

  int run() {
    if (!read_sides()) return finish(0);
    affected_ = affected_files(base_, head_);
    rename_single_file();
    for (const Wanted& wanted : judges_wanted())
      if (!review_for(wanted)) return 2;
    review::Review review = review::compare(std::move(base_tree_), std::move(head_tree_), same_);
    review.notes = notes_;
    add_policies(review);
    review::attribute(review, cross(review));
    if (!write(review)) return finish(0);
    return finish(std::max(code_, verdict(review)));
  }

 private:
  // A site's file as it is called in a folder; "": the built-in site.
  struct SiteFile {
    std::string file;
    fs::path folder;
  };
  struct Wanted {
    SiteFile base, head;
    std::string label;
  };
  struct Pair {
    Judge base, head;
    bool same = false;  // of both sides: every file that the site rests on
    std::map<std::pair<std::string, std::string>, std::vector<rules::NamedValue>> head_facts;
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

  // The sites of --site; else the only site that the tree declares, as each side has it; else the built-in one.
  std::vector<Wanted> judges_wanted() {
    std::vector<Wanted> out;
    for (const std::string& site : options_.sites) out.push_back(site_of_option(site));
    for (std::size_t i = 0; out.size() > 1 && i < out.size(); ++i) out[i].label = options_.sites[i];
    if (!out.empty()) return out;
    return {{own_site(base_), own_site(head_), {}}};
  }

  // A file of the repository is that of each revision.
  Wanted site_of_option(const std::string& site) const {
    const std::string path = fs::path(site).lexically_normal().string();
    if (options_.git && base_.files.contains(path) && head_.files.contains(path))
      return {{path, base_.root}, {path, head_.root}, {}};
    const fs::path here = fs::current_path();
    return {{site, here}, {site, here}, {}};
  }

  SiteFile own_site(const Side& side) {
    const std::vector<std::string> files = site_files(side);
    if (files.size() > 1)
      notes_.push_back(side.name + " declares several sites and `--site` names none: workloads without a site of " +
                       "their own are judged for the built-in one");
    return {files.size() == 1 ? files[0] : std::string(), side.root};
  }

  // Whether a site means the same on both sides.
  bool same_site(const Wanted& wanted) const {
    if (wanted.base.file != wanted.head.file) return false;
    return wanted.base.file.empty() || wanted.base.folder == wanted.head.folder ||
           !affected_.contains(wanted.head.file);
  }

  bool review_for(const Wanted& wanted) {
    auto base = make_judge(wanted.base.file, wanted.base.folder, settings_);
    auto head = make_judge(wanted.head.file, wanted.head.folder, settings_);
    if (!base || !head) return false;
    if (!wanted.label.empty()) base->label = head->label = label_of(*head, wanted.label);
    Pair& pair = pairs_.emplace_back();
    pair.base = std::move(*base);
    pair.head = std::move(*head);
    pair.same = same_site(wanted);
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
        if (is_head) pair.head_facts[{e.workload.id, e.workload.site}] = std::move(e.facts);
        tree.workloads.push_back(std::move(e.workload));
      }
    }
  }

  void take_name(review::Workload& workload) const {
    workload.file = head_.only;
    if (workload.form == review::Form::script) workload.id = workload.objects.front().name = head_.only;
    for (review::Finding& f : workload.findings)
      if (const std::size_t at = f.key.find(renamed_); at != std::string::npos)
        f.key.replace(at, renamed_.size(), head_.only);
  }

  void add_policies(review::Review& review) const {
    for (const Pair& pair : pairs_)
      if (!pair.same) review.policies.push_back(policy_change(pair.base, pair.head));
  }

  std::vector<review::Crossing> cross(const review::Review& review) const {
    std::vector<review::Crossing> out;
    for (const Pair& pair : pairs_) {
      Crosser crosser(base_, head_, pair.base, pair.head, settings_);
      for (const review::Item& item : review.items) {
        if (item.status != review::Status::changed || item.site != pair.head.label) continue;
        const auto facts = pair.head_facts.find({item.id, item.site});
        const bool crossings = !pair.same && item.before->text != item.after->text;
        if (facts != pair.head_facts.end()) out.push_back(crosser.cross(item, facts->second, crossings));
      }
    }
    return out;
  }

  bool write(const review::Review& review) {
    review::ReportOptions options{options_.key, options_.host, MUSTER_VERSION, false};
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
      std::fputs((settings_.diagnostics == "json"    ? render_json(d, none)
                  : settings_.diagnostics == "short" ? render_short(d, none)
                                                     : render_human(d, none, colour_wanted(stderr)))
                     .c_str(),
                 stderr);
    }
    return code;
  }

  const ReviewOptions& options_;
  ReviewSettings settings_;
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

}  // namespace

int run_review(int argc, char** argv) {
  ReviewOptions options;
  CLI::App app("What a change of a tree changes about where and how its workloads run.", "muster review");
  app.add_option("BASE", options.base, "the old tree: a folder or a file; with --git a revision")->required();
  app.add_option("HEAD", options.head, "the new one")->required();
  app.add_flag("--git", options.git, "BASE and HEAD are revisions of the repository of the current folder");
  app.add_option("--site", options.sites, "the site to judge for; without it the tree's only one")->type_name("FILE");
  app.add_flag("--exit-code", options.exit_code, "exit code 1 where anything changed");
  app.add_option("--fail-on", options.fail_on, "exit code 1 on these: blocked, changed or error (a new finding)")
      ->check(CLI::IsMember({"blocked", "changed", "error"}))
      ->type_name("CLASS");
  std::string format = "text";
  std::vector<std::string> outputs;
  app.add_option("--format", format, "of standard output: text (default), markdown, json or html")
      ->check(CLI::IsMember({"text", "markdown", "json", "html"}))
      ->type_name("FORMAT");
  app.add_option("-o,--output", outputs, "a report, any number, in place of standard output")
      ->type_name("FORMAT[=FILE]")
      ->allow_extra_args(false);
  app.add_option("--key", options.key, "tells this comment from others of the pull request; the folder's name")
      ->type_name("KEY");
  app.add_option("--host", options.host, "whose comments: github (default), gitlab, azure or bitbucket")
      ->check(CLI::IsMember({"github", "gitlab", "azure", "bitbucket"}))
      ->type_name("HOST");
  app.add_option("--as-of", options.settings.as_of, "the day on which expiry of rules and suppressions is judged")
      ->check([](const std::string& day) { return is_date(day) ? std::string() : "it is no date as 2026-11-21"; })
      ->type_name("DATE");
  CommonOptions reports;
  add_report_options(app, reports);
  if (const auto code = parse_arguments(app, argc, argv)) return *code;
  std::vector<std::string_view> formats;
  for (const review::Format& f : review::all_formats()) formats.push_back(f.name);
  if (outputs.empty()) outputs.push_back(format);
  if (const auto why = read_reports(outputs, formats, options.reports)) {
    std::fprintf(stderr, "muster review: %s\n", why->c_str());
    return 2;
  }
  options.settings.diagnostics = reports.diagnostics;
  options.quiet = reports.quiet;
  return Reviewer(options).run();
}

}  // namespace muster::cli
