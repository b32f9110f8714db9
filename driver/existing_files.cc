#include "driver/existing_files.h"

#include <algorithm>
#include <utility>

#include "compiler/base/text.h"
#include "driver/discover.h"
#include "lint/check.h"
#include "targets/kubernetes/read/as_read.h"
#include "targets/kubernetes/read/kustomization.h"
#include "targets/slurm/read/as_read.h"
#include "targets/slurm/read/purpose.h"

namespace muster::driver {
namespace {

namespace k8s = targets::kubernetes;
namespace slurm = targets::slurm;

// The id, which is printed: names of files may hold what a terminal obeys.
std::string in_folder(const std::string& folder, std::string_view name) {
  const std::string id = (folder.empty() ? std::string() : folder + "/") + std::string(name);
  return printable(id, id.size());
}

void report_template(Span where, Diagnostics& diagnostics) {
  diagnostics.add(Code::cannot_import, where, "the file is a template, which is rendered before it is submitted")
      .notes.push_back("pass the rendered file");
}

std::vector<targets::AsRead> read_jobs(std::uint32_t file, const Sources& sources, const std::string& folder,
                                       const model::Site& site, const model::Fleet* fleet) {
  const std::string& path = sources.name(file);
  const std::string name = printable(path.substr(path.rfind('/') + 1));
  const slurm::Script script = slurm::read_script(sources, file);
  const std::vector<slurm::Script> alone = {script};
  std::vector<targets::AsRead> out;
  for (const slurm::Script& one : script.embedded.empty() ? alone : script.embedded) {
    const shell::Body body = slurm::read_body(sources, one);
    const slurm::Meaning meaning = slurm::meaning_of(one, body, {&site, fleet, std::nullopt});
    const std::string number = out.empty() ? std::string() : "-" + std::to_string(out.size() + 1);
    const targets::Purpose purpose = slurm::purpose_of(sources, one, body);
    out.push_back(slurm::as_read(one, body, meaning, purpose, name + number, site, fleet));
    out.back().workload.id = in_folder(folder, out.back().workload.name);
  }
  return out;
}

std::vector<targets::AsRead> read_objects(std::uint32_t file, const Sources& sources, const std::string& folder,
                                          const model::Site& site, const model::Fleet* fleet,
                                          const lint::Overlays& overlays, Diagnostics& diagnostics) {
  const k8s::Manifest manifest = k8s::read_manifest(sources, file);
  targets::Purpose purpose = overlays.purpose_of(sources.name(file));
  if (purpose.is_complete()) purpose = k8s::purpose_of(manifest, sources, file);
  for (const Diagnostic& d : manifest.diagnostics.sorted()) diagnostics.add(d);
  for (const k8s::Skipped& skipped : manifest.skipped)
    if (skipped.why == k8s::Skipped::Why::helm_template) report_template(skipped.span, diagnostics);
  std::vector<targets::AsRead> out;
  for (k8s::ReadObject& read : k8s::as_read(manifest, site, fleet)) {
    out.push_back(std::move(read.as_read));
    out.back().workload.id = in_folder(folder, read.object->subject());
    if (purpose.kind != targets::PurposeKind::patch) continue;
    out.back().unknown = "all of the object: " + purpose.why;
    out.back().refusal.clear(), out.back().least.clear();
  }
  return out;
}

}  // namespace

std::optional<ExistingFile> existing_file(const std::string& name, std::string_view text) {
  for (const std::string_view ending : {".muster", ".muster.json", ".muster.yaml", ".muster.yml"})
    if (name.ends_with(ending)) return std::nullopt;
  if (const auto kind = lint::kind_of(text)) {
    // A muster file on standard input may hold the text of a script.
    const bool piped_spec = name == "-" && *kind == lint::Input::script && !text.starts_with("#!");
    return piped_spec ? std::nullopt : std::optional(ExistingFile{0, *kind});
  }
  if (other_system({name, true}, text)) return ExistingFile{0, lint::Input::script, true};
  return std::nullopt;
}

std::vector<targets::AsRead> read_existing(const ExistingFile& file, const Sources& sources, const std::string& folder,
                                           const model::Site& site, const model::Fleet* fleet,
                                           const lint::Overlays& overlays, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  auto out = file.kind == lint::Input::script
                 ? read_jobs(file.file, sources, folder, site, fleet)
                 : read_objects(file.file, sources, folder, site, fleet, overlays, diagnostics);
  if (out.empty() && diagnostics.size() == before)
    diagnostics.add(Code::nothing_to_do, {}, "`" + sources.name(file.file) + "` has no object that runs pods");
  return out;
}

}  // namespace muster::driver
