// muster import: batch scripts and manifests as workloads, and what they say of their site.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/import_report.h"
#include "cli/standard_output.h"
#include "compiler/base/limits.h"
#include "compiler/base/text.h"
#include "compiler/sema/check/check.h"
#include "compiler/sema/check/to_syntax.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/parse.h"
#include "driver/discover.h"
#include "driver/import_object.h"
#include "driver/output.h"
#include "driver/read_file.h"
#include "driver/session.h"
#include "lint/check.h"
#include "targets/kubernetes/lift/lift.h"
#include "targets/lsf/read/import.h"
#include "targets/pbs/read/import.h"
#include "targets/slurm/lift/lift.h"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
namespace batch = targets::batch;
namespace k8s = targets::kubernetes;
namespace slurm = targets::slurm;

constexpr std::size_t largest_script = value_of(Limit::checked_bytes);

// As people write them, in the order of targets::Grade.
constexpr std::string_view grades[] = {"lifted", "script", "compat", "wrapped"};

struct ImportOptions {
  CommonOptions common;
  std::string folder;
  std::string site_name = "site";
  std::string with;
  std::string format = "text";
  std::string at_least;  // the lowest grade that is good enough; "" for any
  bool wrap = false;
  bool force = false;
  bool verbose = false;
};

class Import {
 public:
  explicit Import(const ImportOptions& options) : options_(options), session_(session_options(options)) {}

  int run() {
    if (!options_.with.empty()) command_line_ = sources().add("<command line>", options_.with);
    for (const driver::FoundFile& file : driver::discover(options_.common.files, options_.common.from, diagnostics()))
      read(file);
    if (scripts_.empty() && !diagnostics().has_errors())
      diagnostics()
          .add(Code::nothing_to_do, {}, "no batch script was found")
          .notes.push_back("a batch script has a line that begins with `#SBATCH`, `#PBS` or `#BSUB`");
    if (!files_.empty() && write_site()) deliver();
    return finish(session_, options_.common);
  }

 private:
  static CommonOptions session_options(const ImportOptions& options) {
    CommonOptions out = options.common;
    out.files.clear();
    return out;
  }

  Sources& sources() { return session_.sources(); }
  Diagnostics& diagnostics() { return session_.diagnostics(); }
  bool to_folder() const { return !options_.folder.empty() && options_.folder != "-"; }

  void read(const driver::FoundFile& file) {
    std::string why;
    auto text = driver::read_file(file.path, largest_script, why);
    if (!text) {
      diagnostics().add(Code::cannot_read, {}, "cannot read `" + file.path + "`: " + why);
      return;
    }
    const auto other = driver::other_system(file, *text);
    const auto kind = driver::kind_of(file, *text);
    if (!file.named && !other && !kind) return;
    const std::uint32_t number = sources().add(file.path == "-" ? "<stdin>" : file.path, std::move(*text));
    if (other) return import_other(file.path, number, *other);
    if (kind == lint::Input::manifest) return read_manifest(file.path, number);
    slurm::ScriptOptions how;
    how.command_line = command_line_;
    const slurm::Script script = slurm::read_script(sources(), number, how);
    if (script.embedded.empty()) {
      import(file.path, script);
      return add_findings(number);
    }
    for (const slurm::Script& inner : script.embedded) import(file.path, inner);
  }

  // What is wrong with the original is not carried over without a word.
  void add_findings(std::uint32_t number) {
    if (scripts_.empty() || scripts_.back().written.empty()) return;
    std::string unknown;
    Diagnostics unread;
    const lint::CheckSettings how{
        .context = {sources()}, .selection = lint::select_rules({}, {}, false, unknown), .command_line = command_line_};
    for (const lint::Result& result : lint::check_file(number, lint::Input::script, how, unread)) {
      const lint::Finding& found = result.finding;
      const bool counts = result.state == lint::State::open && found.verdict == lint::Verdict::wrong &&
                          found.severity != Severity::info;
      if (!counts) continue;
      const std::string id(lint::about(found).id);
      scripts_.back().imported.lines.push_back(
          {found.primary, id, targets::Fate::question, "lint finds in the original", id + ", " + found.message, true});
    }
  }

  void read_manifest(const std::string& path, std::uint32_t number) {
    const k8s::Manifest manifest = k8s::read_manifest(sources(), number);
    for (const Diagnostic& d : manifest.diagnostics.sorted()) diagnostics().add(d);
    for (const k8s::Skipped& skipped : manifest.skipped)
      if (skipped.why == k8s::Skipped::Why::helm_template)
        diagnostics()
            .add(Code::cannot_import, skipped.span, "the file is a template, which is rendered before it is applied")
            .notes.push_back("pass the output of `helm template`");
    bool any = !manifest.skipped.empty() || manifest.diagnostics.has_errors();
    for (const k8s::Object& object : manifest.objects) {
      if (!k8s::is_importable(object)) continue;
      any = true;
      import(path, manifest, object);
    }
    if (!any) diagnostics().add(Code::nothing_to_do, {}, "`" + path + "` has no object that runs pods");
  }

  void import(const std::string& path, const k8s::Manifest& manifest, const k8s::Object& object) {
    const std::size_t before = diagnostics().size();
    const std::string name = free_name(path, lower(targets::name_from(object.name)));
    scripts_.push_back({path, {}, driver::import_object(sources(), manifest, object, name, diagnostics())});
    if (diagnostics().size() != before) return;
    ImportedFile& done = scripts_.back();
    targets::merge_site(site_, done.imported.site, done.imported.workload);
    names_.insert(name);
    if (write(done.imported.workload, notes_of(done), name + ".muster", object.root.span()))
      done.written = name + ".muster";
  }

  void import(const std::string& path, const slurm::Script& script) {
    const slurm::Body body = slurm::read_body(sources(), script);
    const slurm::Meaning meaning = slurm::meaning_of(script, body);
    const std::size_t before = diagnostics().size();
    const slurm::Directive* job_name = slurm::effective(script, "job-name");
    const std::string name = free_name(path, job_name != nullptr && job_name->value ? *job_name->value : "");
    scripts_.push_back({path, {}, slurm::import_script(sources(), script, body, meaning, name, diagnostics())});
    if (diagnostics().size() != before) return;
    ImportedFile& done = scripts_.back();
    if (!options_.wrap) slurm::lift(sources(), script, body, meaning, done.imported);
    keep(done, script.shebang);
  }

  // A job script of another batch system.
  void import_other(const std::string& path, std::uint32_t number, batch::System system) {
    if (system != batch::System::pbs && system != batch::System::lsf) {
      diagnostics()
          .add(Code::cannot_import, {},
               "`" + path + "` is for " + std::string(title(system)) + ", which muster does not read")
          .notes.push_back("muster reads job scripts of Slurm, PBS and LSF");
      return;
    }
    if (!options_.with.empty()) {
      diagnostics().add(Code::cannot_import, {},
                        "`--with` gives options of sbatch, but `" + path + "` is for " + std::string(title(system)));
      return;
    }
    const std::size_t before = diagnostics().size();
    if (system == batch::System::pbs) {
      targets::pbs::Script script = targets::pbs::read_script(sources(), number);
      const batch::DirectivePart* title = batch::last_part(script.job, "-N");
      const std::string name = free_name(path, title != nullptr ? title->value : "");
      scripts_.push_back(
          {path, {}, targets::pbs::import_script(sources(), script, name, !options_.wrap, diagnostics())});
      if (diagnostics().size() == before) keep(scripts_.back(), script.job.text.shebang);
    } else {
      batch::JobScript script = targets::lsf::read_script(sources(), number);
      const batch::DirectivePart* title = batch::last_part(script, "-J");
      const std::string name = free_name(path, title != nullptr ? targets::lsf::job_name(title->value) : "");
      scripts_.push_back(
          {path, {}, targets::lsf::import_script(sources(), script, name, !options_.wrap, diagnostics())});
      if (diagnostics().size() == before) keep(scripts_.back(), script.text.shebang);
    }
    foreign_ = title(system);
  }

  // The workload and what its script says of the site.
  void keep(ImportedFile& done, Span shebang) {
    hold_to_grade(done.path, done.imported);
    const std::string name = done.imported.workload.name;
    targets::merge_site(site_, done.imported.site, done.imported.workload);
    all_name_accounts_ &= done.imported.names_account;
    names_.insert(name);
    if (write(done.imported.workload, notes_of(done), name + ".muster", shebang)) done.written = name + ".muster";
  }

  // The file is written all the same: people see what is missing.
  void hold_to_grade(const std::string& path, const targets::Imported& imported) {
    const auto wanted = std::find(std::begin(grades), std::end(grades), options_.at_least) - std::begin(grades);
    if (options_.at_least.empty() || static_cast<std::ptrdiff_t>(imported.grade) <= wanted) return;
    Diagnostic& d = diagnostics().add(Code::below_grade, imported.reason_at,
                                      "`" + path + "` is " + std::string(name(imported.grade)) + ", but `--at-least " +
                                          options_.at_least + "` asks for more");
    if (!imported.reason.empty()) d.notes.push_back("because " + imported.reason);
  }

  // The job's name where the language can have it, else the file's without its ending; with its folder, or
  // a number, where that is taken.
  std::string free_name(const std::string& path, const std::string& job_name) const {
    const fs::path file(path == "-" ? "stdin" : path);
    const bool usable = !job_name.empty() && targets::name_from(job_name) == job_name;
    const std::string stem = usable ? job_name : targets::name_from(file.stem().string());
    if (!names_.contains(stem)) return stem;
    const std::string longer = targets::name_from(file.parent_path().filename().string() + "-" + stem);
    std::string name = longer;
    for (int number = 2; names_.contains(name); ++number) name = longer + "-" + std::to_string(number);
    return name;
  }

  static std::vector<syntax::Note> notes_of(const ImportedFile& script) {
    const std::string workload = "workload " + script.imported.workload.name;
    std::vector<syntax::Note> notes = {{workload, "Imported from " + script.path + "."}};
    for (const auto& [path, text] : script.imported.remarks)
      notes.push_back({path.empty() ? workload : workload + "." + path, text});
    return notes;
  }

  // Adds a file, once it is proven that it reads back. False: reported.
  template <class Model>
  bool write(const Model& model, const std::vector<syntax::Note>& notes, const std::string& name, Span source) {
    Diagnostics found;
    std::vector<ast::Block> blocks;
    blocks.push_back(sema::to_syntax(model, found));
    std::string text;
    if (!found.has_errors()) {
      text = syntax::format(std::move(blocks), notes);
      const std::uint32_t number = sources().add(name, text);
      if (auto tree = syntax::parse(sources(), number, found)) sema::check({*tree}, sources(), {}, found);
    }
    if (!found.has_errors()) {
      files_.push_back({name, std::move(text)});
      return true;
    }
    Diagnostic& d =
        diagnostics().add(Code::cannot_import, source, "the imported file is not valid: " + found.sorted()[0].message);
    if (found.sorted()[0].code == Code::not_text)
      d.notes.push_back("convert an older file to UTF-8 with `iconv -f latin1 -t utf-8`");
    return false;
  }

  // What a person has to say of a plane.
  std::string question_of(const model::Plane& plane) const {
    if (plane.batch() == nullptr)
      return "question: which version of Kubernetes, and which operators? `muster site import` reads them from kubectl";
    const std::string version =
        "question: which version of Slurm? `scontrol version` prints it; without `version` the rules of 22.05 apply";
    if (foreign_.empty()) return version;
    return "The queues are those of " + std::string(foreign_) +
           ", for which muster writes no files: partitions of a Slurm with the same names.\n" + version;
  }

  bool write_site() {
    site_.name = targets::name_from(options_.site_name);
    // A site with one account gives it to every job; a script that names none has the user's default.
    if (!all_name_accounts_) site_.tenants.clear();
    const std::string site = "site " + site_.name;
    std::vector<syntax::Note> notes = {
        {site, "A draft, derived from " +
                   std::string(scripts_.size() == 1 ? "the imported file" : "the imported files") + ".\n" +
                   "question: which nodes, GPUs and switches does the site have? `muster site import` reads them from "
                   "scontrol or kubectl"}};
    for (const model::Plane& plane : site_.planes) notes.push_back({site + ".plane " + plane.name, question_of(plane)});
    if (site_.defaults)
      notes.push_back({site + ".defaults", "What a script does not ask for, muster does not ask for either."});
    return write(site_, notes, "site.muster", {});
  }

  void deliver() {
    if (to_folder() && !overwrites()) driver::write_files(options_.folder, files_, diagnostics());
    const bool to_stdout = !to_folder();
    std::string out;
    for (const driver::OutputFile& file : files_) out += "# ==> " + file.name + " <==\n" + file.content;
    const std::string report = options_.format == "json" ? print(import_json(scripts_, sources()))
                                                         : import_text(scripts_, sources(), options_.verbose);
    if (to_stdout) {
      print_error(report);
      write_stdout(out, diagnostics());
    } else {
      print_text(report, diagnostics());
    }
  }

  // The user may have edited the files of an earlier import.
  bool overwrites() {
    if (options_.force) return false;
    bool any = false;
    for (const driver::OutputFile& file : files_) {
      const fs::path path = fs::path(options_.folder) / file.name;
      if (!fs::exists(path)) continue;
      any = true;
      diagnostics()
          .add(Code::cannot_write, {}, "`" + path.string() + "` already exists")
          .notes.push_back("use `--force` to replace it");
    }
    return any;
  }

  const ImportOptions& options_;
  driver::Session session_;
  std::uint32_t command_line_ = 0;
  std::vector<ImportedFile> scripts_;
  std::set<std::string> names_ = {"site"};  // the fragment's file
  model::Site site_;
  bool all_name_accounts_ = true;
  std::string_view foreign_{};  // the system other than Slurm that a file is for
  std::vector<driver::OutputFile> files_;
};

}  // namespace

int run_import(const CommandLine& line) {
  ImportOptions options;
  Arguments app("Converts batch scripts and Kubernetes manifests to workloads and a draft of their site.",
                "muster import");
  app.add_option("FILE", options.common.files, "scripts and manifests, or folders with them; - reads standard input")
      .required();
  app.add_option("-o,--output", options.folder, "write the files to this folder; - is standard output (default)")
      .type_name("DIR");
  app.add_option("--name", options.site_name, "name of the site").type_name("NAME");
  app.add_option("--with", options.with, "options of the sbatch command line").type_name("OPTIONS");
  app.add_option("--at-least", options.at_least,
                 "fail where a file is below this grade: lifted, script, compat or wrapped")
      .one_of({"lifted", "script", "compat", "wrapped"})
      .type_name("GRADE");
  app.add_flag("--wrap", options.wrap, "keep the text of each script whole");
  app.add_flag("--force", options.force, "replace existing files");
  app.add_option("--format", options.format, "format of the report: text or json")
      .one_of({"text", "json"})
      .type_name("FORMAT");
  app.add_option("--diagnostics", options.common.diagnostics, "format of diagnostics: human, json or short")
      .one_of({"human", "json", "short"})
      .type_name("FORMAT");
  app.add_flag("-v,--verbose", options.verbose, "also list directives that map directly");
  app.add_flag("-q,--quiet", options.common.quiet, "print only errors");
  if (const auto code = app.parse(line)) return *code;
  return Import(options).run();
}

}  // namespace muster::cli
