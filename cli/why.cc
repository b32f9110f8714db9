// muster why: why a job waits or failed, from what its systems printed.
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/standard_output.h"
#include "cli/why_json.h"
#include "cli/why_site.h"
#include "compiler/base/limits.h"
#include "driver/read_file.h"
#include "driver/session.h"
#include "why/decide/decide.h"
#include "why/read/read.h"
#include "why/report/edit.h"
#include "why/report/redact.h"
#include "why/report/text.h"

namespace muster::cli {
namespace {

constexpr std::size_t largest_paste = value_of(Limit::checked_bytes);

struct OptionsOfWhy {
  ReportOptions report;
  std::vector<std::string> files;
  std::string job, site, id;
  bool redact = false;
};

class WhyVerb {
 public:
  explicit WhyVerb(const OptionsOfWhy& options) : options_(options) {}

  int run() {
    for (const std::string& file : inputs()) read_file(file);
    if (diagnostics_.has_errors()) return end(2);
    for (std::uint32_t file = 1, count = static_cast<std::uint32_t>(sources_.count()); file <= count; ++file)
      why::read(sources_, file, facts_);
    if (!options_.site.empty()) {
      site_.emplace(options_.site);
      if (!site_->load()) return finish(site_->session(), options_.report);
      site_->add_to(facts_, sources_);
    }
    std::vector<why::Finding> findings = why::decide(facts_, options_.id);
    if (findings.empty()) return nothing();
    for (why::Finding& finding : findings) add_changes(finding);
    if (options_.redact) why::redact(facts_, findings);
    const bool open =
        std::any_of(findings.begin(), findings.end(), [](const why::Finding& one) { return one.code.empty(); });
    const std::string answer = options_.report.format == "json" ? print(why_json(findings, sources_, facts_))
                                                                : why::text_of(findings, sources_);
    if (!print_text(answer, diagnostics_)) return end(2);
    return end(open ? 1 : 0);
  }

 private:
  // Standard input where no file is named, and a job file besides.
  std::vector<std::string> inputs() const {
    std::vector<std::string> out = options_.files;
    if (out.empty()) out.emplace_back("-");
    if (!options_.job.empty()) out.push_back(options_.job);
    return out;
  }

  void read_file(const std::string& file) {
    std::string why;
    auto text = driver::read_file(file, largest_paste, why);
    if (!text) {
      diagnostics_.add(Code::cannot_read, {}, "cannot read `" + file + "`: " + why);
    } else if (text->size() > largest_paste) {
      add_over_limit(diagnostics_, Limit::checked_bytes, {}, "`" + file + "` is too large");
    } else {
      sources_.add(file == "-" ? "<stdin>" : file, std::move(*text));
    }
  }

  // The lines of the script that a repair changes; and with a site, whether what comes of it fits there. A change that
  // fits no better is not a repair.
  void add_changes(why::Finding& finding) {
    const why::Object* script = the_script();
    if (script == nullptr) return;
    const std::string_view text = sources_.text(script->place.file);
    std::erase_if(finding.repairs, [&](why::FoundRepair& repair) {
      if (repair.kind != why::RepairKind::edit) return false;
      const auto changes = why::changes_of(text, *script, repair.changes);
      if (!changes) return false;
      repair.lines = *changes;
      if (!site_) return false;
      std::string note;
      const plan::Verdict fit = site_->fit(sources_.name(script->place.file), why::with_changes(text, *changes), note);
      repair.fit = plan::name(fit);
      return fit == plan::Verdict::does_not_fit;
    });
  }

  // The one job script of the input, where it is a file of its own.
  const why::Object* the_script() const {
    const auto scripts = facts_.of(why::Kind::script);
    return scripts.size() == 1 && scripts[0]->place.line == 1 ? scripts[0] : nullptr;
  }

  int nothing() {
    Diagnostic& diagnostic =
        diagnostics_.add(Code::unknown_input, {},
                         options_.id.empty() ? "unrecognized input: expected output of Slurm or Kubernetes, or a log"
                                             : "the input has no job or object `" + options_.id + "`");
    diagnostic.notes.push_back("paste what squeue, scontrol, sacct, sbatch or kubectl print, or the output of the job");
    return end(2);
  }

  int end(int code) {
    std::vector<std::string> lines;
    const int out = report(diagnostics_.sorted(), sources_, options_.report, code, &lines);
    if (code == 2) print_no_answer(lines, options_.report);
    return out;
  }

  const OptionsOfWhy& options_;
  Sources sources_;
  Diagnostics diagnostics_;
  why::Facts facts_;
  std::optional<WhySite> site_{};
};

}  // namespace

int run_why(const CommandLine& line) {
  OptionsOfWhy options;
  Arguments app(
      "Tells why a job waits, was refused or failed, from what its systems printed; with the numbers that prove it, "
      "and what would start it.",
      "muster why");
  app.add_option("FILE", options.files,
                 "output of Slurm or Kubernetes, logs, job scripts and manifests, in any order; without one standard "
                 "input is read");
  app.add_option("--job", options.job, "the job script or manifest that was submitted").type_name("FILE");
  app.add_option("--site", options.site,
                 "file with the site: its nodes and partitions are facts, and repairs must fit it")
      .type_name("FILE");
  app.add_option("--id", options.id, "answer for this job or object only").type_name("NAME");
  app.add_flag("--redact", options.redact, "replace users, accounts and hosts by names such as user1");
  app.add_option("--format", options.report.format, "format: text or json")
      .one_of({"text", "json"})
      .type_name("FORMAT");
  add_report_options(app, options.report);
  if (const auto code = app.parse(line)) return *code;
  if (options.files.empty() && isatty(STDIN_FILENO) == 1) {
    print_error("muster why: paste the output and press Ctrl-D, or name files\n");
  }
  return WhyVerb(options).run();
}

}  // namespace muster::cli
