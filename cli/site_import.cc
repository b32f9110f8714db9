#include "cli/site_import.h"
#include "cli/common_options.h"
#include "cli/standard_output.h"

#include <filesystem>

#include "compiler/base/limits.h"
#include "compiler/base/text.h"
#include "compiler/sema/check/check.h"
#include "compiler/sema/check/to_syntax.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/parse.h"
#include "driver/output.h"
#include "driver/read_file.h"
#include "targets/kubernetes/import_site.h"
#include "targets/slurm/import_site.h"

namespace muster::cli {
namespace {

constexpr std::size_t largest_input = value_of(Limit::cluster_bytes);
constexpr const char* file_name = "site.muster";

class SiteImport {
 public:
  explicit SiteImport(const SiteImportOptions& options) : options_(options), session_(without_files(options.common)) {}

  int run() {
    for (const std::string& file : options_.common.files) read(file);
    // Only now: a text that is added may move those before it.
    for (std::uint32_t number = 1; number <= sources().count(); ++number) recognise(number);
    if (!diagnostics().has_errors()) assemble();
    if (!diagnostics().has_errors()) deliver();
    return finish(session_, options_.common);
  }

 private:
  static CommonOptions without_files(CommonOptions options) {
    options.files.clear();
    return options;
  }

  Sources& sources() { return session_.sources(); }
  Diagnostics& diagnostics() { return session_.diagnostics(); }
  bool to_folder() const { return !options_.folder.empty() && options_.folder != "-"; }

  void read(const std::string& file) {
    std::string why;
    auto text = driver::read_file(file, largest_input, why);
    if (text && text->size() > largest_input) {
      add_over_limit(diagnostics(), Limit::cluster_bytes, {}, "`" + file + "` is too large");
      return;
    }
    if (!text) {
      diagnostics().add(Code::cannot_read, {}, "cannot read `" + file + "`: " + why);
      return;
    }
    sources().add(file == "-" ? "<stdin>" : file, std::move(*text));
  }

  void recognise(std::uint32_t number) {
    const std::string_view content = sources().text(number);
    const std::size_t first = content.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return empty(sources().name(number));
    if (content[first] == '{' || content[first] == '[') return read_json(number);
    if (targets::kubernetes::is_yaml_of_objects(content)) return read_yaml(number);
    read_slurm({content, number, 0});
  }

  void empty(const std::string& file) { diagnostics().add(Code::nothing_to_do, {}, "`" + file + "` is empty"); }

  void read_json(std::uint32_t number) {
    targets::kubernetes::read_cluster(sources(), number, objects_, diagnostics());
    kubernetes_ = true;
  }

  void read_yaml(std::uint32_t number) {
    targets::kubernetes::read_cluster_yaml(sources(), number, objects_, diagnostics());
    kubernetes_ = true;
  }

  void read_slurm(const targets::slurm::ClusterText& text) {
    targets::slurm::ClusterSections found = targets::slurm::recognise(text);
    if (found.sections.empty()) {
      diagnostics().add(Code::unknown_input, found.strange,
                        "unrecognized input: expected the output of scontrol, sacctmgr, squeue or kubectl");
      return;
    }
    if (found.strange.known())
      diagnostics().add(Code::strange_line, found.strange, "this line is not part of any known output and was ignored");
    sections_.insert(sections_.end(), found.sections.begin(), found.sections.end());
  }

  void assemble() {
    if (kubernetes_ && !sections_.empty()) {
      diagnostics()
          .add(Code::ambiguous_choice, {}, "the inputs are from both a Slurm and a Kubernetes cluster")
          .notes.push_back("import each cluster separately; a site with both planes must be written by hand");
      return;
    }
    targets::ImportedSite imported;
    if (kubernetes_) {
      imported = targets::kubernetes::import_site(objects_, options_.name, options_.taken, diagnostics());
    } else {
      const targets::slurm::Cluster cluster = targets::slurm::read_cluster(sections_, diagnostics());
      if (diagnostics().has_errors()) return;
      imported = targets::slurm::import_site(cluster, options_.name, options_.taken, diagnostics());
    }
    if (!diagnostics().has_errors()) write(imported);
  }

  // The text, once it is proven that it reads back.
  void write(const targets::ImportedSite& imported) {
    std::vector<ast::Block> blocks;
    if (imported.fleet) blocks.push_back(sema::to_syntax(*imported.fleet, diagnostics()));
    blocks.push_back(sema::to_syntax(imported.site, diagnostics()));
    if (diagnostics().has_errors()) return;
    std::vector<syntax::Note> notes;
    for (const targets::Remark& remark : imported.remarks) notes.push_back({remark.path, remark.text});
    text_ = syntax::format(std::move(blocks), notes);
    Diagnostics found;
    const std::uint32_t number = sources().add(file_name, text_);
    if (const auto tree = syntax::parse(sources(), number, found)) sema::check({*tree}, sources(), {}, found);
    for (Diagnostic& d : found.sorted()) diagnostics().add(std::move(d));
  }

  void deliver() {
    if (!to_folder()) {
      write_stdout(text_, diagnostics());
      return;
    }
    const std::filesystem::path path = std::filesystem::path(options_.folder) / file_name;
    if (!options_.force && std::filesystem::exists(path))
      diagnostics()
          .add(Code::cannot_write, {}, "`" + path.string() + "` already exists")
          .notes.push_back("use `--force` to replace it");
    else driver::write_files(options_.folder, {{file_name, text_}}, diagnostics());
  }

  const SiteImportOptions& options_;
  driver::Session session_;
  std::vector<targets::slurm::ClusterSection> sections_;
  targets::kubernetes::ClusterObjects objects_;
  bool kubernetes_ = false;
  std::string text_;
};

std::string why_no_name(const std::string& name) {
  return targets::plain_name(name, "") == name ? "" : "`" + name + "` may contain only letters, digits, - and _";
}

}  // namespace

Arguments add_site_import(Arguments& app, SiteImportOptions& options) {
  Arguments verb = app.add_verb("import",
                                "import a fleet and a site from the output of scontrol, sacctmgr, squeue or kubectl, "
                                "from slurm.conf, and from YAML "
                                "of Kubernetes objects");
  verb.add_option("FILE", options.common.files, "outputs and configuration files; - reads standard input").required();
  verb.add_option("-o,--output", options.folder, "write site.muster to this folder; - is standard output (default)")
      .type_name("DIR");
  verb.add_option("--name", options.name, "name of the site and its fleet; default: the cluster's")
      .check(why_no_name)
      .type_name("NAME");
  verb.add_option("--taken", options.taken, "date at which the output was taken, if the output does not contain it")
      .type_name("TEXT");
  verb.add_flag("--force", options.force, "replace an existing site.muster");
  add_report_options(verb, options.common);
  return verb;
}

int run_site_import(const SiteImportOptions& options) { return SiteImport(options).run(); }

}  // namespace muster::cli
