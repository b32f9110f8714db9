#include "driver/port_existing.h"

#include <algorithm>

#include "compiler/base/secret_scan.h"
#include "compiler/base/text.h"
#include "compiler/sema/check/to_syntax.h"
#include "compiler/syntax/parse.h"
#include "driver/importer.h"

namespace muster::driver {
namespace {

using targets::Fate;
using targets::ImportLine;

constexpr std::size_t most_lines = 12;  // of one file
constexpr std::size_t longest_option = 80;

// What people should know before they submit: not what became just the key that it is, nor what a manifest of the same
// kind would have besides.
bool matters(const ImportLine& line) {
  const bool differs = line.fate == Fate::lost || line.fate == Fate::mended || line.fate == Fate::question;
  return differs || (line.fate == Fate::approximated && !line.note.empty() && !line.added);
}

// "lost: queue gpu, line 3: the reason"; a finding of lint names its rule itself.
std::string said_of(const ImportLine& line, const Sources& sources) {
  std::string place = line.note.starts_with(line.option) ? "" : printable(line.option, longest_option);
  if (line.span.known())
    place +=
        (place.empty() ? "line " : ", line ") + std::to_string(sources.position(line.span.file, line.span.begin).line);
  std::string out = std::string(name(line.fate)) + ": " + place;
  if (line.fate == Fate::question && !line.as.empty()) out += ": " + line.as;
  return out + (line.note.empty() ? "" : ": " + line.note);
}

// `may_go`: whether another target than that of the original may be chosen, which does not read its raw options.
void warn(const ImportedFile& file, bool may_go, const Sources& sources, Diagnostics& diagnostics) {
  std::vector<std::string> notes;
  for (const ImportLine& line : file.imported.lines)
    if (matters(line) || (may_go && line.fate == Fate::raw)) notes.push_back(said_of(line, sources));
  const bool wrapped = file.imported.object.empty() && file.imported.grade == targets::Grade::wrapped;
  if (notes.empty() && !wrapped) return;
  Diagnostic& d = diagnostics.add(
      Code::ported, file.imported.lines.empty() ? Span{} : file.imported.lines.front().span,
      "`" + file.imported.workload.name + "` differs from `" + printable(file.path, longest_option) + "`");
  if (wrapped && !file.imported.reason.empty())
    d.notes.push_back("the text stays one for its own system, because " + file.imported.reason);
  const std::size_t shown = std::min(notes.size(), most_lines);
  d.notes.insert(d.notes.end(), notes.begin(), notes.begin() + static_cast<std::ptrdiff_t>(shown));
  if (shown < notes.size())
    d.notes.push_back("and " + std::to_string(notes.size() - shown) + " more, which `muster import` lists");
}

// The target that writes what the file was.
std::string own_target(const targets::Imported& imported) {
  return imported.object.empty() ? std::string("slurm") : imported.target;
}

// That of a batch system reads the same options with Ray inside the job.
bool reads_raw_options(std::string_view target, const targets::Imported& imported) {
  return target == own_target(imported) || (imported.object.empty() && target == "ray-on-slurm");
}

// What only one target reads is lost with another.
void lose_raw_options(targets::Imported& imported) {
  for (ImportLine& line : imported.lines)
    if (line.fate == Fate::raw) line.fate = Fate::lost, line.note = "only target " + own_target(imported) + " has it";
}

bool has_login_shell(const model::Site& site) {
  return std::any_of(site.planes.begin(), site.planes.end(),
                     [](const model::Plane& plane) { return plane.batch() != nullptr && plane.batch()->login_shell; });
}

std::size_t planes_of_family(const model::Site& site, const model::Site& draft) {
  return static_cast<std::size_t>(std::count_if(site.planes.begin(), site.planes.end(), [&](const model::Plane& plane) {
    return plane.traits().family == draft.planes.front().traits().family;
  }));
}

bool has_other_family(const model::Site& site, const model::Site& draft) {
  return planes_of_family(site, draft) < site.planes.size();
}

// Pods that ask for no CPUs or memory ask for none in another kind of object.
void leave_amounts(model::Workload& workload) {
  for (model::Role& role : workload.roles) {
    if (!role.resources.cpus) role.resources.cpus = model::unplaced(model::Amount<std::int64_t>{false, 0, 0, true});
    if (!role.resources.memory) role.resources.memory = model::unplaced(model::Amount<Size>{false, {}, {}, true});
  }
}

// What the originals left to their system is left to this one, where it is one of the same kind: another has no
// amounts of its own.
ast::Block draft_of(const model::Site& draft, const model::Site& site) {
  model::Site out;
  out.name = site.name;
  out.defaults = draft.defaults;
  if (out.defaults && has_other_family(site, draft)) {
    out.defaults->roles.front().resources.cpus.reset();
    out.defaults->roles.front().resources.memory.reset();
  }
  Diagnostics unused;
  return sema::to_syntax(out, unused);
}

// Gives each argument of a script, which has no value, its own name as one: how many nodes it asks for, they do not
// say.
void fill_in(const std::vector<ast::File>& files, std::vector<sema::Given>& set) {
  for (const ast::File& file : files)
    for (const ast::Signature& parameter : file.parameters) {
      const std::string& name = parameter.name.text;
      const bool given = std::any_of(set.begin(), set.end(), [&](const sema::Given& g) { return g.name == name; });
      if (!given && !parameter.fallback) set.push_back({name, parameter.span, name, parameter.span});
    }
}

}  // namespace

std::string imported_name(const std::string& path) { return path + " (imported)"; }

std::vector<sema::Given> split_off(std::vector<sema::Given>& set, const std::vector<ast::File>& files) {
  const auto is_known = [&](const sema::Given& given) {
    return std::any_of(files.begin(), files.end(), [&](const ast::File& file) {
      return std::any_of(file.parameters.begin(), file.parameters.end(),
                         [&](const ast::Signature& p) { return p.name.text == given.name; });
    });
  };
  const auto first = std::stable_partition(set.begin(), set.end(), is_known);
  std::vector<sema::Given> out(std::make_move_iterator(first), std::make_move_iterator(set.end()));
  set.erase(first, set.end());
  return out;
}

Ported port(const std::vector<ExistingFile>& existing, const model::Site& site, std::string_view target,
            const std::vector<sema::Given>& set, bool asks, Sources& sources, Diagnostics& diagnostics) {
  Importer importer(sources, diagnostics, {.command_line = 0, .wrap = false, .may_login = has_login_shell(site)});
  for (const ExistingFile& file : existing) importer.read({std::string(sources.name(file.file)), true}, file.file);
  Ported out;
  for (ImportedFile& file : importer.files()) {
    if (file.text.empty()) continue;
    targets::bring_to_site(file.imported, site);
    const bool own_plane = planes_of_family(site, file.imported.site) > 0;
    if (target.empty() ? !own_plane : !reads_raw_options(target, file.imported)) lose_raw_options(file.imported);
    const bool may_go = target.empty() && (!file.imported.object.empty() || has_other_family(site, file.imported.site));
    if (!file.imported.object.empty() && !has_other_family(site, importer.site()))
      leave_amounts(file.imported.workload);
    Diagnostics found;
    ast::File tree = syntax_of(file.imported.workload, file.imported.parameters, found);
    const Span start = file.imported.lines.empty() ? Span{} : file.imported.lines.front().span;
    const auto text = proven_text(std::move(tree), std::move(found), {}, file.file_name(), start, sources, diagnostics);
    if (!text) continue;
    warn(file, may_go, sources, diagnostics);
    if (auto tree = syntax::parse(sources, sources.add(imported_name(file.path), *text), diagnostics))
      out.files.push_back(std::move(*tree));
  }
  sema::ExpandOptions how;
  for (const ast::File& file : out.files) how.roots.push_back(file.file);
  how.set = set;
  if (asks) fill_in(out.files, how.set);
  out.files = sema::expand(std::move(out.files), how, diagnostics);
  out.draft = draft_of(importer.site(), site);
  return out;
}

}  // namespace muster::driver
