// muster lint: what is wrong with sbatch scripts and manifests that are already there, and with muster files.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <sys/stat.h>

#include "cli/command.h"
#include "cli/discover.h"
#include "cli/lint_options.h"
#include "cli/lint_specs.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/render.h"
#include "cli/session.h"
#include "compiler/base/diff.h"
#include "lint/check.h"
#include "lint/fix.h"
#include "lint/report/baseline.h"
#include "lint/report/report.h"
#include "lint/waive.h"
#include "rules/digest.h"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = std::size_t{4} << 20;
constexpr int most_rounds = 10;  // of fixes: one may uncover another

CommonOptions session_options(const LintOptions& options) {
  CommonOptions out;
  out.site_file = options.site_file;
  out.diagnostics = options.diagnostics;
  out.as_of = options.as_of;
  out.quiet = options.quiet;
  return out;
}

class Linter {
 public:
  explicit Linter(const LintOptions& options) : options_(options), session_(session_options(options)) {}

  int run() {
    if (!prepare()) return session_.finish();
    for (const FoundFile& file : discover(options_.files, session_.diagnostics())) lint_file(file);
    if (outcome_.files.empty() && !session_.diagnostics().has_errors() && !options_.allow_empty) report_nothing();
    if (!session_.diagnostics().has_errors()) write_fixes();
    compare_baseline();
    const int of_specs = lint_specs(specs_, session_options(options_), input_);
    if (of_specs == 0 || !outcome_.results.empty() || !options_.reports.empty()) write_reports();
    return session_.finish(std::max(verdict(), of_specs));
  }

 private:
  // The site, the command line's options and the baseline. False: reported.
  bool prepare() {
    if (!session_.load()) return false;
    const auto setting = make_setting(session_);
    if (!setting || !lint::know_waived_rules(setting->policy.waivers, session_.diagnostics())) return false;
    waivers_ = setting->policy.waivers;
    policy_ = {setting->policy.name, setting->policy.version, rules::digest(setting->policy)};
    if (!options_.site_file.empty()) {
      site_ = setting->site;
      fleet_ = setting->fleet;
    }
    if (!options_.with.empty()) command_line_ = session_.sources().add("<command line>", options_.with);
    return !session_.diagnostics().has_errors() && read_known();
  }

  bool read_known() {
    if (options_.baseline.empty() || (options_.update_baseline && !fs::exists(options_.baseline))) return true;
    std::string why;
    if (const auto text = read_file(options_.baseline, std::size_t{256} << 20, why))
      if (auto keys = lint::read_baseline(*text, why)) known_ = std::move(*keys);
    if (why.empty()) return true;
    session_.diagnostics().add(Code::cannot_read, {}, "cannot read the baseline `" + options_.baseline + "`: " + why);
    return false;
  }

  void report_nothing() {
    session_.diagnostics()
        .add(Code::nothing_to_do, {}, "no batch script, manifest or muster file was found")
        .notes.push_back(
            "a batch script has a line that begins with `#SBATCH`, a manifest `apiVersion` and `kind`; "
            "`--allow-empty` makes an empty search good");
  }

  void cannot_read(const std::string& path, const std::string& why) {
    session_.diagnostics().add(Code::cannot_read, {}, "cannot read `" + path + "`: " + why);
  }

  void lint_file(const FoundFile& file) {
    std::string why;
    auto text = read_file(file.path, largest_file, why);
    if (!text) return cannot_read(file.path, why);
    if (is_spec(file.path, *text)) {
      specs_.push_back(file.path);
      outcome_.files.push_back(file.path == "-" ? "<stdin>" : file.path);
      if (file.path == "-") input_ = std::move(*text);
      return;
    }
    auto kind = lint::kind_of(*text);
    if (!kind && file.named && text->starts_with("#!")) kind = lint::Input::script;  // all may come from --with
    if (!kind && file.named)
      return cannot_read(file.path, "it is no batch script (no line begins with `#SBATCH`), manifest or muster file");
    if (!kind) return;
    if (text->size() > largest_file) {
      session_.diagnostics().add(Code::skipped, {}, "`" + file.path + "` is over 4 MiB and was not checked");
      if (file.named) cannot_read(file.path, "it is over 4 MiB");
      return;
    }
    check(file.path, std::move(*text), *kind);
  }

  std::vector<lint::Result> results_of(std::uint32_t number, lint::Input kind) {
    const lint::CheckSettings settings{
        {session_.sources(), site_, fleet_}, options_.selection, options_.as_of, command_line_};
    auto results = lint::check_file(number, kind, settings, session_.diagnostics());
    lint::apply_waivers(waivers_, session_.sources(), results);
    lint::mark_known(results, known_);
    return results;
  }

  void check(const std::string& path, std::string text, lint::Input kind) {
    const std::string name = path == "-" ? "<stdin>" : path;
    outcome_.files.push_back(name);
    std::uint32_t number = session_.sources().add(name, std::move(text));
    auto results = results_of(number, kind);
    const std::uint32_t first = number;
    for (int round = 0; options_.fixes() && round < most_rounds; ++round) {
      auto fixed = lint::apply_fixes(session_.sources(), number, results, options_.unsafe_fixes);
      if (fixed.applied == 0) break;
      outcome_.fixed += fixed.applied;
      number = session_.sources().add(name, std::move(fixed.text));
      results = results_of(number, kind);
    }
    if (number != first) changed_.push_back({path, first, number});
    outcome_.results.insert(outcome_.results.end(), std::make_move_iterator(results.begin()),
                            std::make_move_iterator(results.end()));
  }

  struct Changed {
    std::string path;
    std::uint32_t before, after;
  };

  // Prints the difference, or writes each file as a whole with the permissions it had.
  void write_fixes() {
    const Sources& sources = session_.sources();
    std::string differences;
    for (const Changed& change : changed_)
      if (options_.diff)
        differences +=
            unified_diff(sources.name(change.after), sources.text(change.before), sources.text(change.after));
      else write_file(change.path, std::string(sources.text(change.after)));
    if (!differences.empty()) write_stdout(differences, session_.diagnostics());
  }

  void write_file(const std::string& path, std::string text) {
    struct stat status {};
    std::string why;
    if (path == "-") why = "standard input cannot be written; `--diff` shows what would change";
    else if (lstat(path.c_str(), &status) != 0) why = std::strerror(errno);
    else if (S_ISLNK(status.st_mode)) why = "it is a symbolic link; name the file it points to";
    if (!why.empty()) {
      session_.diagnostics().add(Code::cannot_write, {}, "cannot write `" + path + "`: " + why);
      return;
    }
    replace_files({{path, std::move(text)}}, session_.diagnostics());
  }

  void compare_baseline() {
    if (options_.baseline.empty()) return;
    const auto exists = [](const std::string& file) { return fs::exists(file); };
    lint::Leftover leftover = lint::compare(outcome_, known_, exists);
    if (options_.update_baseline)
      write_report({"baseline", options_.baseline}, write_baseline(outcome_, leftover.kept));
    else outcome_.stale = std::move(leftover.stale);
  }

  void write_report(const Report& report, const std::string& text) {
    if (report.file.empty()) {
      write_stdout(text, session_.diagnostics());
      return;
    }
    const fs::path file(report.file);
    const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
    write_files(folder, {{file.filename().string(), text}}, session_.diagnostics());
  }

  // Nothing is reported where the input could not be used: it would look complete.
  void write_reports() {
    if (session_.diagnostics().has_errors() && outcome_.files.empty()) return;
    if (options_.reports.empty() && options_.diff) return;
    lint::View view{outcome_, session_.sources(), MUSTER_VERSION, false, options_.verbose, options_.quiet, policy_};
    static const std::vector<Report> plain = {{"text", ""}};
    for (const Report& report : options_.reports.empty() ? plain : options_.reports) {
      view.colour = report.file.empty() && colour_wanted(stdout);
      for (const lint::Format& format : lint::all_formats())
        if (format.name == report.format) write_report(report, format.write(view));
    }
  }

  int verdict() const {
    if (options_.exit_zero || options_.update_baseline) return 0;
    if (options_.diff) return changed_.empty() ? 0 : 1;
    const auto counts = [&](const lint::Result& r) { return lint::counts_at(r, options_.fail_level); };
    return std::any_of(outcome_.results.begin(), outcome_.results.end(), counts) ? 1 : 0;
  }

  const LintOptions& options_;
  Session session_;
  const model::Site* site_ = nullptr;
  const model::Fleet* fleet_ = nullptr;
  std::vector<model::Waiver> waivers_;  // of the site's rules
  lint::PolicyName policy_;
  std::uint32_t command_line_ = 0;
  std::vector<std::string> known_;
  lint::Outcome outcome_;
  std::vector<Changed> changed_;
  std::vector<std::string> specs_;  // muster files
  std::string input_;               // standard input, where it is one of them
};

}  // namespace

int run_lint(int argc, char** argv) {
  LintOptions options;
  if (const auto exit = read_lint_options(argc, argv, options)) return *exit;
  return Linter(options).run();
}

}  // namespace muster::cli
