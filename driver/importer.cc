#include "driver/importer.h"

#include <algorithm>
#include <filesystem>

#include "compiler/base/text.h"
#include "compiler/sema/check/check.h"
#include "compiler/sema/check/to_syntax.h"
#include "compiler/sema/expand/expand.h"
#include "compiler/syntax/parse.h"
#include "driver/import_object.h"
#include "lint/check.h"
#include "lint/fix.h"
#include "targets/kubernetes/lift/lift.h"
#include "targets/lsf/read/import.h"
#include "targets/pbs/read/import.h"
#include "targets/slurm/lift/lift.h"
#include "targets/slurm/lift/submitting.h"
#include "targets/slurm/read/purpose.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;
namespace batch = targets::batch;
namespace k8s = targets::kubernetes;
namespace slurm = targets::slurm;

std::vector<syntax::Note> notes_of(const std::string& path, const targets::Imported& imported) {
  const std::string workload = "workload " + imported.workload.name;
  std::vector<syntax::Note> notes = {{workload, "Imported from " + path + "."}};
  for (const auto& [place, text] : imported.remarks)
    notes.push_back({place.empty() ? workload : workload + "." + place, text});
  return notes;
}

ast::Expr expression(ast::Expr::Kind kind, std::string text) {
  ast::Expr out;
  out.kind = kind;
  out.text = std::move(text);
  return out;
}

// `args = [$rest]` of a parameter that is a list: `args = $rest`.
void pass_list(ast::Block& block, const std::string& parameter) {
  for (ast::Item& item : block.items) {
    auto* setting = std::get_if<ast::Setting>(&item.value);
    if (setting != nullptr && setting->key.text == "args")
      setting->value = expression(ast::Expr::Kind::variable, parameter);
  }
}

// With a value for each parameter that has none.
void check(ast::File tree, const Sources& sources, Diagnostics& found) {
  sema::ExpandOptions how;
  how.roots = {tree.file};
  for (const ast::Signature& p : tree.parameters)
    if (!p.fallback) how.set.push_back({p.name.text, {}, "value", {}});
  std::vector<ast::File> files;
  files.push_back(std::move(tree));
  sema::check(sema::expand(std::move(files), how, found), sources, {}, found);
}

}  // namespace

bool Importer::takes(const FoundFile& file, std::string_view text) {
  return driver::other_system(file, text).has_value() || kind_of(file, text).has_value();
}

void Importer::read(const FoundFile& file, std::uint32_t number) {
  const std::string_view text = sources_.text(number);
  if (const auto other = driver::other_system(file, text)) return read_other(file.path, number, *other);
  if (kind_of(file, text) == lint::Input::manifest) return read_manifest(file.path, number);
  read_script(file, number);
}

// ---- job scripts --------------------------------------------------------------------------------------

void Importer::read_script(const FoundFile& file, std::uint32_t number) {
  std::vector<targets::ImportLine> fixes;
  if (settings_.fix || settings_.unsafe_fixes) number = corrected(number, fixes);
  slurm::ScriptOptions how;
  how.command_line = settings_.command_line;
  const slurm::Script script = slurm::read_script(sources_, number, how);
  const shell::Body body = slurm::read_body(sources_, script);
  const auto submitter = settings_.command_line == 0 ? slurm::submitter_of(script, body) : std::nullopt;
  if (submitter && !script.embedded.empty()) return read_documents(file.path, script, body);
  if (submitter) {
    diagnostics_
        .add(Code::cannot_import, submitter->where,
             "`" + printable(file.path) + "` only submits jobs: " + submitter->why)
        .notes.push_back("import the scripts that it submits");
    return;
  }
  read_slurm(file.path, script, body);
  add_findings(number);
  for (targets::ImportLine& line : fixes) files_.back().imported.lines.push_back(std::move(line));
}

// The jobs in the here-documents of a file that is not a job itself.
void Importer::read_documents(const std::string& path, const slurm::Script& file, const shell::Body& around) {
  settings_.may_login &= file.embedded.size() == 1;
  const std::size_t first = files_.size();
  for (const slurm::Script& document : file.embedded) {
    if (const auto not_one = slurm::not_one_job(sources_, around, document)) {
      diagnostics_.add(Code::cannot_import, not_one->at, "the here-document is not one job: " + not_one->why)
          .notes.push_back("let the file write its scripts, and import those");
      continue;
    }
    read_slurm(path, document, slurm::read_body(sources_, document));
  }
  const auto made = std::find_if(files_.begin() + static_cast<std::ptrdiff_t>(first), files_.end(),
                                 [](const ImportedFile& one) { return !one.text.empty(); });
  if (made == files_.end()) return;
  for (targets::ImportLine& line : slurm::lines_around(sources_, file, around))
    made->imported.lines.push_back(std::move(line));
}

void Importer::read_slurm(const std::string& path, const slurm::Script& script, const shell::Body& body) {
  const slurm::Meaning meaning = slurm::meaning_of(script, body);
  const std::size_t before = diagnostics_.size();
  const slurm::Directive* job_name = slurm::effective(script, "job-name");
  const std::string name = free_name(path, job_name != nullptr && job_name->value ? *job_name->value : "");
  Made made{slurm::import_script(sources_, script, body, meaning, name, diagnostics_), script.shebang};
  if (const auto plane = plane_words(); plane && diagnostics_.size() == before)
    slurm::lift(sources_, script, body, meaning, *plane, made.imported);
  keep(path, std::move(made), before);
}

// nullopt: the texts stay whole.
std::optional<targets::PlaneWords> Importer::plane_words() const {
  if (settings_.wrap) return std::nullopt;
  return targets::PlaneWords{.mpi = mpi_, .containers = containers_, .may_login = settings_.may_login};
}

void Importer::read_other(const std::string& path, std::uint32_t number, batch::System system) {
  const std::string of = "`" + path + "` is for " + std::string(title(system));
  if (!batch::is_read(system)) {
    diagnostics_.add(Code::cannot_import, {}, of + ", which muster does not read")
        .notes.push_back("muster reads job scripts of Slurm, PBS and LSF");
    return;
  }
  if (settings_.command_line != 0) {
    diagnostics_.add(Code::cannot_import, {}, "`--with` gives options of sbatch, but " + of);
    return;
  }
  other_system_ = title(system);
  const std::size_t before = diagnostics_.size();
  if (system == batch::System::pbs) {
    targets::pbs::Script script = targets::pbs::read_script(sources_, number);
    const batch::DirectivePart* title = batch::last_part(script.job, "-N");
    const std::string name = free_name(path, title != nullptr ? title->value : "");
    auto imported = targets::pbs::import_script(sources_, script, name, plane_words(), diagnostics_);
    return keep(path, {std::move(imported), script.job.text.shebang}, before);
  }
  batch::JobScript script = targets::lsf::read_script(sources_, number);
  const batch::DirectivePart* title = batch::last_part(script, "-J");
  const std::string name = free_name(path, title != nullptr ? targets::lsf::job_name(title->value) : "");
  auto imported = targets::lsf::import_script(sources_, script, name, plane_words(), diagnostics_);
  keep(path, {std::move(imported), script.text.shebang}, before);
}

std::vector<lint::Result> Importer::findings(std::uint32_t number) const {
  std::string unknown;
  Diagnostics unread;
  const lint::CheckSettings how{.context = {sources_},
                                .selection = lint::select_rules({}, {}, false, unknown),
                                .command_line = settings_.command_line};
  return lint::check_file(number, lint::Input::script, how, unread);
}

// The file after the fixes of lint, as one more of the sources, and a line for each finding that is gone.
std::uint32_t Importer::corrected(std::uint32_t number, std::vector<targets::ImportLine>& lines) {
  const std::vector<lint::Result> before = findings(number);
  lint::Fixed fixed = lint::apply_fixes(sources_, number, before, settings_.unsafe_fixes);
  if (fixed.applied == 0) return number;
  const std::uint32_t out = sources_.add(std::string(sources_.name(number)) + " (corrected)", std::move(fixed.text));
  const std::vector<lint::Result> after = findings(out);
  for (const lint::Result& result : before) {
    const lint::Finding& found = result.finding;
    const bool left =
        std::any_of(after.begin(), after.end(), [&](const lint::Result& r) { return r.finding.rule == found.rule; });
    if (result.state != lint::State::open || !found.fix || left) continue;
    const std::string id(lint::about(found).id);
    lines.push_back({found.primary, id, targets::Fate::mended, "the script", id + ", " + found.message, true});
  }
  return out;
}

// What is wrong with the original is not carried over without a word.
void Importer::add_findings(std::uint32_t number) {
  if (files_.empty() || files_.back().text.empty()) return;
  for (const lint::Result& result : findings(number)) {
    const lint::Finding& found = result.finding;
    const bool counts =
        result.state == lint::State::open && found.verdict == lint::Verdict::wrong && found.severity != Severity::info;
    if (!counts) continue;
    const std::string id(lint::about(found).id);
    files_.back().imported.lines.push_back(
        {found.primary, id, targets::Fate::question, "lint finds in the original", id + ", " + found.message, true});
  }
}

// ---- manifests ------------------------------------------------------------------------------------------

void Importer::read_manifest(const std::string& path, std::uint32_t number) {
  const k8s::Manifest manifest = k8s::read_manifest(sources_, number);
  for (const Diagnostic& d : manifest.diagnostics.sorted()) diagnostics_.add(d);
  for (const k8s::Skipped& skipped : manifest.skipped)
    if (skipped.why == k8s::Skipped::Why::helm_template)
      diagnostics_
          .add(Code::cannot_import, skipped.span, "the file is a template, which is rendered before it is applied")
          .notes.push_back("pass the output of `helm template`");
  bool any = !manifest.skipped.empty() || manifest.diagnostics.has_errors();
  for (const k8s::Object& object : manifest.objects) {
    if (!k8s::is_importable(object)) continue;
    any = true;
    read_object(path, manifest, object);
  }
  if (!any) diagnostics_.add(Code::nothing_to_do, {}, "`" + path + "` has no object that runs pods");
}

void Importer::read_object(const std::string& path, const k8s::Manifest& manifest, const k8s::Object& object) {
  const std::size_t before = diagnostics_.size();
  const std::string name = free_name(path, lower(targets::name_from(object.name)));
  keep(path, {driver::import_object(sources_, manifest, object, name, diagnostics_), object.root.span()}, before);
}

// ---- what they have in common -----------------------------------------------------------------------------

// The workload and what its file says of the site; nothing of what was reported since `before`.
void Importer::keep(const std::string& path, Made made, std::size_t before) {
  files_.push_back({path, std::move(made.imported)});
  if (diagnostics_.size() != before) return;
  targets::Imported& imported = files_.back().imported;
  targets::merge_site(site_, imported.site, imported.workload);
  if (imported.object.empty()) all_name_accounts_ &= imported.names_account;
  if (imported.workload.roles.front().launch.runner.value == model::Runner::mpi)
    if (const model::BatchPlane* plane = imported.site.planes.front().batch()) mpi_ = plane->mpi;
  if (imported.object.empty() && imported.workload.roles.front().image)
    if (const model::BatchPlane* plane = imported.site.planes.front().batch()) containers_ = plane->containers;
  names_.insert(imported.workload.name);
  Diagnostics found;
  ast::File file = syntax_of(imported.workload, imported.parameters, found);
  const auto text = proven_text(std::move(file), std::move(found), notes_of(path, imported), files_.back().file_name(),
                                made.start, sources_, diagnostics_);
  files_.back().text = text.value_or("");
}

// The job's name where the language can have it, else the file's without its ending; with its folder, or a number,
// where that is taken.
std::string Importer::free_name(const std::string& path, const std::string& job_name) const {
  const fs::path file(path == "-" ? "stdin" : path);
  const bool usable = !job_name.empty() && targets::name_from(job_name) == job_name;
  const std::string stem = usable ? job_name : targets::name_from(file.stem().string());
  if (!names_.contains(stem)) return stem;
  const std::string longer = targets::name_from(file.parent_path().filename().string() + "-" + stem);
  std::string name = longer;
  for (int number = 2; names_.contains(name); ++number) name = longer + "-" + std::to_string(number);
  return name;
}

ast::File syntax_of(const model::Workload& workload, const std::vector<targets::Parameter>& parameters,
                    Diagnostics& found) {
  ast::File out;
  out.blocks.push_back(sema::to_syntax(workload, found));
  for (const targets::Parameter& p : parameters) {
    ast::Signature one;
    one.name.text = p.name;
    one.type.name.text = p.list ? "list" : "string";
    if (p.list) one.type.element = "string", one.fallback = expression(ast::Expr::Kind::list, {});
    else if (p.fallback) one.fallback = expression(ast::Expr::Kind::text, *p.fallback);
    out.parameters.push_back(std::move(one));
    if (p.list) pass_list(out.blocks.front(), p.name);
  }
  return out;
}

std::optional<std::string> proven_text(ast::File file, Diagnostics found, const std::vector<syntax::Note>& notes,
                                       const std::string& name, Span source, Sources& sources,
                                       Diagnostics& diagnostics) {
  std::string text;
  if (!found.has_errors()) {
    text = syntax::format(file, Sources(), notes);
    const std::uint32_t number = sources.add(name, text);
    if (auto tree = syntax::parse(sources, number, found)) check(std::move(*tree), sources, found);
  }
  if (!found.has_errors()) return text;
  Diagnostic& d =
      diagnostics.add(Code::cannot_import, source, "the imported file is not valid: " + found.sorted()[0].message);
  if (found.sorted()[0].code == Code::not_text)
    d.notes.push_back("convert an older file to UTF-8 with `iconv -f latin1 -t utf-8`");
  return std::nullopt;
}

}  // namespace muster::driver
