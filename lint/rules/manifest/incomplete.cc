// SLM022 unfilled-template, of manifests: patches of kustomizations, templates of charts, test data and archived files.
// What is merged or rendered first says nothing of the result, but a secret in it is one.
#include "compiler/base/text.h"
#include "lint/overlays.h"
#include "lint/rules/manifest/manifest.h"
#include "lint/rules/manifest/scene.h"
#include "lint/rules/text_secrets.h"

namespace muster::lint {
namespace {

using targets::PurposeKind;

std::string sentence(const targets::Purpose& purpose) {
  switch (purpose.kind) {
    case PurposeKind::templated:
      if (purpose.engine != "Helm") return "this is a form to fill in, so only its secrets are checked";
      return "the templates of a chart are not checked, only what `helm template` writes";
    case PurposeKind::test_data: return said_of_folder(purpose.kind);
    case PurposeKind::archived:
      if (purpose.where.known()) return "this file is kept but not applied, so only its secrets are checked";
      return said_of_folder(purpose.kind);
    case PurposeKind::printed: return "these objects are what a cluster printed, so only their secrets are checked";
    default: return "this is a patch of another manifest, so it is not checked as an object of its own";
  }
}

}  // namespace

bool is_kept(const targets::Purpose& purpose) {
  return purpose.kind == PurposeKind::test_data || purpose.kind == PurposeKind::archived ||
         purpose.kind == PurposeKind::printed;
}

targets::Purpose manifest_purpose(const k8s::Manifest& manifest, const Context& context, std::uint32_t file) {
  if (context.overlays != nullptr) {
    const std::string& name = context.sources.name(file);
    if (targets::Purpose purpose = context.overlays->purpose_of(name); !purpose.is_complete()) return purpose;
    // Whoever names such a file asks about what runs; in a repository it is a record.
    if (context.overlays->was_found(name))
      for (targets::Purpose purpose :
           {k8s::purpose_as_printed(manifest), k8s::purpose_as_deprecated(context.sources, file)})
        if (!purpose.is_complete()) return purpose;
  }
  return k8s::purpose_of(manifest, context.sources, file);
}

void check_incomplete_manifest(const targets::Purpose& purpose, const k8s::Manifest& manifest, const Context& context,
                               std::uint32_t file, std::vector<Finding>& findings) {
  std::vector<Finding> found;
  const Reporter report{found};
  if (purpose.kind == PurposeKind::templated) check_text_secrets(context.sources, file, "the file", report);
  else check_secrets(ManifestScene{manifest, context, report});
  if (is_kept(purpose)) std::erase_if(found, is_weak_secret);
  append_in_order(std::move(found), findings);
  if (context.overlays != nullptr && !context.overlays->is_first(context.sources.name(file))) return;
  const std::string& name = context.sources.name(file);
  if (context.overlays != nullptr && context.overlays->is_merged(name)) return;  // what becomes of it is judged
  Span where = purpose.where;
  if (!where.known()) where = {file, 0, static_cast<std::uint32_t>(context.sources.line(file, 1).size())};
  Finding f = unclear(RuleId::unfilled_template, where, sentence(purpose));
  f.notes.push_back("this is " + described(purpose) + ": " + purpose.why);
  if (const std::string why = context.overlays != nullptr ? context.overlays->why_apart(name) : ""; !why.empty())
    f.notes.push_back("it is not merged with the object that it changes: " + printable(why, 300));
  findings.push_back(std::move(f));
}

}  // namespace muster::lint
