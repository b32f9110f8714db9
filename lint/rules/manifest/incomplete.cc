// SLM022 unfilled-template, of manifests: patches of kustomizations, templates of charts, test data and archived files.
// What is merged or rendered first says nothing of the result, but a secret in it is one, and what does not depend on
// that is what it says.
#include <algorithm>

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
      if (purpose.engine != "Helm") return "this is a form to fill in; what depends on its values is not checked";
      return "what the templates of a chart leave open is not checked, only what `helm template` writes";
    case PurposeKind::archived:
      return "this file is kept but not applied, so its warnings are reported in the profile `strict` only";
    case PurposeKind::printed:
      return "these objects are what a cluster printed, so their warnings are reported in the profile `strict` only";
    default:
      if (purpose.in_part) return "this is a patch of an object that is not here, so only its errors are reported";
      return "this is a patch of another manifest, so it is not checked as an object of its own";
  }
}

// A patch that no kustomization merges here and that a cluster would take as it is.
bool is_whole_object(const k8s::Manifest& manifest, const Context& context, std::uint32_t file) {
  const auto has_pods = [](const k8s::Object& object) { return !object.pods.empty(); };
  return std::any_of(manifest.objects.begin(), manifest.objects.end(), has_pods) &&
         !context.overlays->is_merged(context.sources.name(file)) &&
         k8s::purpose_of(manifest, context.sources, file).kind != PurposeKind::patch;
}

// By the other files of the run; complete, as far as they tell.
targets::Purpose purpose_by_others(const k8s::Manifest& manifest, const Context& context, std::uint32_t file) {
  const std::string& name = context.sources.name(file);
  targets::Purpose purpose = context.overlays->purpose_of(name);
  if (purpose.kind == PurposeKind::patch) purpose.in_part = is_whole_object(manifest, context, file);
  if (purpose.engine == "Helm" && context.sources.text(file).find("{{") == std::string_view::npos) return {};
  if (!purpose.is_complete() || !context.overlays->was_found(name)) return purpose;
  // Whoever names such a file asks about what runs; in a repository it is a record.
  purpose = k8s::purpose_as_printed(manifest);
  return purpose.is_complete() ? k8s::purpose_as_deprecated(context.sources, file) : purpose;
}

// The smallest map of a document that a place is in.
Span map_around(const data::Node& node, std::uint32_t at) {
  const auto holds = [&](Span span) { return span.begin <= at && at < span.end; };
  Span out = node.is_map() && holds(node.span) ? node.span : Span{};
  for (const data::Member& member : node.members)
    if (const Span inner = map_around(member.value, at); inner.known()) out = inner;
  for (const data::Node& item : node.items)
    if (const Span inner = map_around(item, at); inner.known()) out = inner;
  return out;
}

// Where an engine changes a text: the lines that it reads.
class Marks {
 public:
  Marks(const targets::Purpose& purpose, std::string_view text) : text_(text) {
    if (purpose.engine == "Helm") add_all("{{", true);
    else if (purpose.engine == "ytt") add_all("#@", false);
    else if (purpose.where.known()) places_ = {purpose.where.begin};
    if (purpose.engine.empty()) add_all(": #{", true);
    std::sort(places_.begin(), places_.end());
  }
  bool are_in(Span span) const {
    const auto first = std::lower_bound(places_.begin(), places_.end(), span.begin);
    return first != places_.end() && *first < span.end;
  }

 private:
  void add_all(std::string_view mark, bool values_only) {
    for (std::size_t at = text_.find(mark); at != std::string_view::npos; at = text_.find(mark, at + 1))
      if (!values_only || !is_in_comment(at)) places_.push_back(static_cast<std::uint32_t>(at));
  }
  bool is_in_comment(std::size_t at) const {
    const std::size_t begin = text_.rfind('\n', at) + 1;
    const std::size_t first = text_.find_first_not_of(" \t", begin);
    return first <= at && text_[first] == '#';
  }

  std::string_view text_;
  std::vector<std::uint32_t> places_;
};

// A warning may be about what the engine adds; an error stays where the map that it is in is as it will be.
void drop_what_depends(const targets::Purpose& purpose, const k8s::Manifest& manifest, const Context& context,
                       std::uint32_t file, std::vector<Finding>& findings) {
  const Marks marks(purpose, context.sources.text(file));
  const auto depends = [&](const Finding& f) {
    for (const data::Document& document : manifest.documents.documents) {
      if (f.primary.begin < document.span.begin || f.primary.begin >= document.span.end) continue;
      if (!marks.are_in(document.span)) return false;
      if (f.severity != Severity::error) return true;
      const Span around = map_around(document.root, f.primary.begin);
      return marks.are_in(around.known() ? around : document.span);
    }
    return false;
  };
  std::erase_if(findings, depends);
  for (Finding& f : findings) f.fix.reset();
}

}  // namespace

bool is_kept(const targets::Purpose& purpose) {
  return purpose.kind == PurposeKind::test_data || purpose.kind == PurposeKind::archived ||
         purpose.kind == PurposeKind::printed;
}

void keep_warnings_for_strict(std::vector<Finding>& findings) {
  for (Finding& f : findings)
    if (f.severity == Severity::warning) f.severity = Severity::info, f.since = std::max(f.since, Profile::strict);
}

targets::Purpose manifest_purpose(const k8s::Manifest& manifest, const Context& context, std::uint32_t file) {
  if (context.overlays != nullptr)
    if (targets::Purpose purpose = purpose_by_others(manifest, context, file); !purpose.is_complete()) return purpose;
  return k8s::purpose_of(manifest, context.sources, file);
}

// `# Source: chart/templates/pod.yaml`, above the object.
void note_charts(const k8s::Manifest& manifest, const Sources& sources, std::vector<Finding>& findings) {
  constexpr std::string_view mark = "# Source: ";
  for (const data::Document& document : manifest.documents.documents) {
    const Span span = document.span, root = document.root.span;
    if (!root.known() || root.begin < span.begin) continue;
    std::string_view file;
    for (const std::string_view line : split(sources.text(Span{span.file, span.begin, root.begin}), '\n'))
      if (line.starts_with(mark)) file = trimmed(line.substr(mark.size()));
    if (file.empty()) continue;
    for (Finding& f : findings)
      if (f.primary.file == span.file && span.begin <= f.primary.begin && f.primary.begin < span.end)
        f.notes.push_back("rendered from `" + printable(file, 200) + "`");
  }
}

void leave_what_holds(const targets::Purpose& purpose, const k8s::Manifest& manifest, const Context& context,
                      std::uint32_t file, std::vector<Finding>& findings) {
  if (purpose.kind == PurposeKind::templated) drop_what_depends(purpose, manifest, context, file, findings);
  if (purpose.kind == PurposeKind::patch)
    std::erase_if(findings, [](const Finding& f) { return f.severity != Severity::error; });
  if (is_kept(purpose)) keep_warnings_for_strict(findings), std::erase_if(findings, is_weak_secret);
}

void check_incomplete_manifest(const targets::Purpose& purpose, const k8s::Manifest& manifest, const Context& context,
                               std::uint32_t file, std::vector<Finding>& findings) {
  std::vector<Finding> found;
  const Reporter report{found};
  if (purpose.kind == PurposeKind::templated) check_text_secrets(context.sources, file, "the file", report);
  else if (!purpose.in_part) check_secrets(ManifestScene{manifest, context, report});
  append_in_order(std::move(found), findings);
  const bool by_folder = is_kept(purpose) && !purpose.where.known();  // which is said once
  if (by_folder || (context.overlays != nullptr && !context.overlays->is_first(context.sources.name(file)))) return;
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
