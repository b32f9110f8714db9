// muster import: batch scripts and manifests as workloads, and what they say of their site.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/import_report.h"
#include "cli/standard_output.h"
#include "compiler/base/limits.h"
#include "compiler/base/text.h"
#include "compiler/sema/check/to_syntax.h"
#include "compiler/syntax/ast.h"
#include "driver/discover.h"
#include "driver/earlier_import.h"
#include "driver/importer.h"
#include "driver/output.h"
#include "driver/pair.h"
#include "driver/read_file.h"
#include "driver/session.h"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_script = value_of(Limit::checked_bytes);

// As people write them, in the order of targets::Grade.
constexpr std::string_view grades[] = {"lifted", "script", "compat", "wrapped"};

struct ImportOptions {
  CommonOptions common;
  std::string folder;
  std::string site_name = "site";
  std::string with;
  std::string at_least;  // the lowest grade that is good enough; "" for any
  bool wrap = false;
  bool fix = false, unsafe_fixes = false;
  bool pair = false;
  bool force = false;
  bool verbose = false;
};

class Import {
 public:
  explicit Import(const ImportOptions& options) : options_(options), session_(session_options(options)) {}

  int run() {
    driver::ImportSettings how;
    if (!options_.with.empty()) how.command_line = sources().add("<command line>", options_.with);
    const auto files = driver::discover(options_.common.files, options_.common.from, diagnostics());
    how.wrap = options_.wrap;
    how.fix = options_.fix, how.unsafe_fixes = options_.unsafe_fixes;
    how.may_login = files.size() == 1;
    driver::Importer importer(sources(), diagnostics(), how);
    if (to_folder() && options_.force && !begin_with_earlier(importer)) return finish(session_, options_.common);
    for (const driver::FoundFile& file : files) read(file, importer);
    if (importer.files().empty() && !diagnostics().has_errors())
      diagnostics()
          .add(Code::nothing_to_do, {}, "no batch script was found")
          .notes.push_back("a batch script has a line that begins with `#SBATCH`, `#PBS` or `#BSUB`");
    for (const driver::ImportedFile& file : importer.files()) {
      if (file.text.empty()) continue;
      hold_to_grade(file);
      files_.push_back({file.file_name(), file.text});
    }
    model::Site draft = importer.site();
    if (options_.pair && !join(importer, draft)) return finish(session_, options_.common);
    const bool any = !files_.empty() && write_site(importer, std::move(draft));
    if (any) deliver(importer.files());
    return finish(session_, options_.common, 0, any ? std::optional(std::string()) : std::nullopt);
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

  void read(const driver::FoundFile& file, driver::Importer& importer) {
    std::string why;
    auto text = driver::read_file(file.path, largest_script, why);
    if (!text) {
      diagnostics().add(Code::cannot_read, {}, "cannot read `" + file.path + "`: " + why);
      return;
    }
    if (!file.named && !driver::Importer::takes(file, *text)) return;
    importer.read(file, sources().add(file.path == "-" ? "<stdin>" : file.path, std::move(*text)));
  }

  // The file is written all the same: people see what is missing.
  void hold_to_grade(const driver::ImportedFile& file) {
    const targets::Imported& imported = file.imported;
    const auto wanted = std::find(std::begin(grades), std::end(grades), options_.at_least) - std::begin(grades);
    const bool script = imported.object.empty();
    if (!script || options_.at_least.empty() || static_cast<std::ptrdiff_t>(imported.grade) <= wanted) return;
    Diagnostic& d = diagnostics().add(Code::below_grade, imported.reason_at,
                                      "`" + file.path + "` is " + std::string(name(imported.grade)) +
                                          ", but `--at-least " + options_.at_least + "` asks for more");
    if (!imported.reason.empty()) d.notes.push_back("because " + imported.reason);
  }

  // `--pair`: one workload in place of the two. False: reported.
  bool join(const driver::Importer& importer, model::Site& draft) {
    if (diagnostics().has_errors()) return false;
    const auto& files = importer.files();
    const auto is_script = [](const driver::ImportedFile& f) { return f.imported.object.empty(); };
    const auto script = std::find_if(files.begin(), files.end(), is_script);
    const auto manifest = std::find_if_not(files.begin(), files.end(), is_script);
    if (files.size() != 2 || script == files.end() || manifest == files.end()) {
      diagnostics()
          .add(Code::ambiguous_choice, {}, "`--pair` takes a script and a manifest of the same job")
          .notes.push_back("a script with one job, and a manifest with one object whose pods run");
      return false;
    }
    pair_ = driver::pair_of(*script, *manifest, draft);
    pair_->files = {script->path, manifest->path};
    draft = pair_->site;
    const std::string workload = "workload " + pair_->workload.name;
    Diagnostics found;
    ast::File file = driver::syntax_of(pair_->workload, pair_->parameters, found);
    auto text = driver::proven_text(std::move(file), std::move(found),
                                    {{workload, "Imported from " + script->path + " and " + manifest->path + "."}},
                                    pair_->workload.name + ".muster", {}, sources(), diagnostics());
    files_.clear();
    if (text) files_.push_back({pair_->workload.name + ".muster", std::move(*text)});
    return text.has_value();
  }

  // What a person has to say of a plane.
  static std::string question_of(const model::Plane& plane, std::string_view other_system) {
    if (plane.batch() == nullptr)
      return "question: which version of Kubernetes, and which operators? `muster site import` reads them from kubectl";
    const std::string version =
        "question: which version of Slurm? `scontrol version` prints it; without `version` the rules of 22.05 apply";
    if (other_system.empty()) return version;
    return "The queues are those of " + std::string(other_system) +
           ", as partitions of a Slurm with the same names.\n" + version;
  }

  bool write_site(const driver::Importer& importer, model::Site draft) {
    if (!earlier_ || options_.site_name != "site") draft.name = targets::name_from(options_.site_name);
    // A site with one account gives it to every job; a script that names none has the user's default.
    const bool earlier_name_none = earlier_ && earlier_->site.tenants.empty() && !earlier_->workloads.empty();
    if (!importer.all_name_accounts() || earlier_name_none) draft.tenants.clear();
    const std::string site = "site " + draft.name;
    std::vector<syntax::Note> notes = {
        {site, "A draft, derived from " +
                   std::string(importer.files().size() == 1 ? "the imported file" : "the imported files") + ".\n" +
                   "question: which nodes, GPUs and switches does the site have? `muster site import` reads them from "
                   "scontrol or kubectl"}};
    for (const model::Plane& plane : draft.planes)
      notes.push_back({site + ".plane " + plane.name, question_of(plane, importer.other_system())});
    if (draft.defaults)
      notes.push_back({site + ".defaults", "What a script does not ask for, muster does not ask for either."});
    Diagnostics found;
    ast::File file;
    file.blocks.push_back(sema::to_syntax(draft, found));
    auto text =
        driver::proven_text(std::move(file), std::move(found), notes, "site.muster", {}, sources(), diagnostics());
    if (text && earlier_ && !driver::keeps_workloads(*earlier_, *text, files_, diagnostics())) return false;
    if (text) files_.push_back({"site.muster", std::move(*text)});
    return text.has_value();
  }

  // False: reported.
  bool begin_with_earlier(driver::Importer& importer) {
    earlier_ = driver::earlier_import(options_.folder, diagnostics());
    if (earlier_) importer.begin_with(earlier_->site);
    return !diagnostics().has_errors();
  }

  void deliver(const std::vector<driver::ImportedFile>& imported) {
    if (to_folder() && !overwrites()) driver::write_files(options_.folder, files_, diagnostics());
    const bool to_stdout = !to_folder();
    std::string out;
    for (const driver::OutputFile& file : files_) out += "# ==> " + file.name + " <==\n" + file.content;
    const driver::Pair* pair = pair_ ? &*pair_ : nullptr;
    const std::string report = options_.common.format == "json"
                                   ? print(import_json(imported, pair, diagnostics().sorted(), sources()))
                                   : import_text(imported, pair, sources(), options_.verbose);
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
  std::vector<driver::OutputFile> files_;
  std::optional<driver::Pair> pair_;
  std::optional<driver::EarlierImport> earlier_;
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
  app.add_flag("--fix", options.fix, "import scripts as the safe fixes of `muster lint` leave them");
  app.add_flag("--unsafe-fixes", options.unsafe_fixes, "also with the unsafe fixes");
  app.add_flag("--pair", options.pair, "a script and a manifest of the same job as one workload, and how they differ");
  app.add_flag("--force", options.force, "replace existing files");
  app.add_option("--format", options.common.format, "format of the report: text or json")
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
