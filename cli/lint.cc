// muster lint: what is wrong with sbatch scripts and manifests that are already there, and with muster files.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/lint_fixes.h"
#include "cli/lint_options.h"
#include "cli/render.h"
#include "driver/lint_changes.h"
#include "driver/lint_run.h"
#include "driver/output.h"
#include "driver/random_hex.h"
#include "driver/read_file.h"
#include "lint/report/baseline.h"
#include "lint/report/report.h"
#include "lint/site_remarks.h"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_baseline = std::size_t{256} << 20, salt_bytes = 16;

class Linter {
 public:
  explicit Linter(const LintOptions& options) : options_(options), run_(options) {}

  int run() {
    const bool good = base_tree() && run_.prepare() && read_known();
    if (!good) return finish(session(), options_);
    run_.lint(known_);
    if (!proposed_.keys.empty()) lint::propose_baseline(proposed_, options_.baseline, outcome());
    if (!session().diagnostics().has_errors()) write_fixes(run_.changed(), options_.diff, session());
    compare_baseline();
    if (tree_) keep_what_changed();
    const bool written = write_reports();
    return finish(session(), options_, verdict(), written ? std::optional(std::string()) : std::nullopt);
  }

 private:
  driver::Session& session() { return run_.session(); }
  lint::Outcome& outcome() { return run_.outcome(); }

  // What --changed-only compares with. False: reported.
  bool base_tree() {
    if (options_.changed_only.empty()) return true;
    tree_ = driver::open_tree(options_.changed_only, session().diagnostics());
    if (!tree_) return false;
    run_.compare_with(*tree_);
    auto before = driver::findings_at(*tree_, options_, session().diagnostics());
    if (before) before_ = std::move(before->keys), accounts_before_ = std::move(before->accounts);
    return before.has_value();
  }

  bool read_known() {
    if (options_.baseline.empty() || (options_.update_baseline && !fs::exists(options_.baseline))) return true;
    std::string why;
    if (const auto text = driver::read_file(options_.baseline, largest_baseline, why))
      if (auto read = lint::read_baseline(*text, why)) known_ = std::move(*read);
    if (why.empty()) return run_.policy_from() == nullptr || read_baseline_before(*run_.policy_from());
    session().diagnostics().add(Code::cannot_read, {}, "cannot read the baseline `" + options_.baseline + "`: " + why);
    return false;
  }

  // What the tree of --policy-from knows is known; what only this baseline has is proposed.
  bool read_baseline_before(const driver::PolicyFrom& from) {
    if (!from.name_of(options_.baseline, options_.from)) return true;  // it is not part of the change
    std::string why;
    lint::Baseline known;
    if (const auto text = from.text(options_.baseline, options_.from, largest_baseline, why); text && why.empty())
      if (auto read = lint::read_baseline(*text, why)) known = std::move(*read);
    proposed_.salt = known_.salt;
    std::set_difference(known_.keys.begin(), known_.keys.end(), known.keys.begin(), known.keys.end(),
                        std::back_inserter(proposed_.keys));
    known_ = std::move(known);
    if (why.empty()) return true;
    session().diagnostics().add(
        Code::cannot_read, {},
        "cannot read the baseline `" + options_.baseline + "` of `" + options_.policy_from + "`: " + why);
    return false;
  }

  void compare_baseline() {
    if (options_.baseline.empty()) return;
    const auto exists = [](const std::string& file) { return fs::exists(file); };
    lint::Leftover leftover = lint::compare(outcome(), known_, exists);
    if (options_.update_baseline) update_baseline(leftover.kept);
    else outcome().stale = std::move(leftover.stale);
  }

  void update_baseline(const std::vector<std::string>& kept) {
    std::string salt = known_.salt;
    if (salt.empty() && lint::has_secrets(outcome())) salt = driver::random_hex(salt_bytes);
    write_report({"baseline", options_.baseline}, write_baseline(outcome(), kept, salt), session().diagnostics());
  }

  void keep_what_changed() {
    outcome().elsewhere = driver::keep_changed(*tree_, before_, session().sources(), outcome().results);
    tree_->is_whole(session().diagnostics());
    lint::SiteRemarks remarks;
    remarks.merge(outcome().results);
    remarks.note_repeats(outcome().results);
  }

  // Nothing is reported where nothing could be read: it would look complete.
  bool write_reports() {
    if (session().diagnostics().has_errors() && outcome().files.empty()) return false;
    if (options_.reports.empty() && options_.diff) return true;
    lint::View view{outcome(),        session().sources(), MUSTER_VERSION,      false,
                    options_.verbose, options_.quiet,      run_.base().policy()};
    static const std::vector<Report> plain = {{"text", ""}};
    for (const Report& report : options_.reports.empty() ? plain : options_.reports) {
      view.colour = report.file.empty() && colour_wanted(stdout);
      for (const lint::Format& format : lint::all_formats())
        if (format.name == report.format)
          write_report(
              report, [&](const lint::Write& write) { format.write(view, write); }, session().diagnostics());
    }
    return true;
  }

  int verdict() {
    if (options_.exit_zero || options_.update_baseline) return 0;
    if (options_.fails_on("allowed") && !outcome().added.empty()) return 1;
    if (options_.fails_on("unjudged") && !lint::newly_unjudged(accounts_before_, outcome().accounts).empty()) return 1;
    if (options_.diff) return run_.changed().empty() ? 0 : 1;
    const auto counts = [&](const lint::Result& r) {
      return !r.finding.fault && lint::counts_at(r, options_.fail_level);
    };
    return std::any_of(outcome().results.begin(), outcome().results.end(), counts) ? 1 : 0;
  }

  const LintOptions& options_;
  driver::LintRun run_;
  lint::Baseline known_;
  std::optional<driver::Tree> tree_;  // of --changed-only
  std::vector<std::string> before_;   // keys of what was found there
  std::vector<lint::Account> accounts_before_;
  lint::Baseline proposed_;  // what is in the baseline, but not of that of --policy-from
};

}  // namespace

int run_lint(const CommandLine& line) {
  LintOptions options;
  if (const auto exit = read_lint_options(line, options)) return *exit;
  return Linter(options).run();
}

}  // namespace muster::cli
