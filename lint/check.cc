#include "lint/check.h"

#include "lint/diagnosed.h"
#include "lint/rules/manifest/manifest.h"
#include "lint/rules/slurm/slurm.h"
#include "lint/suppress.h"
#include "targets/slurm/read/script.h"

namespace muster::lint {
namespace {

namespace k8s = targets::kubernetes;

void add_texts(const data::Node& node, std::vector<Span>& out) {
  for (const data::Member& member : node.members) add_texts(member.value, out);
  for (const data::Node& item : node.items) add_texts(item, out);
  if (node.text.find("muster:") != std::string::npos) out.push_back(node.span);
}

bool contains(Span outer, Span inner) {
  return outer.file == inner.file && outer.begin <= inner.begin && inner.begin < outer.end;
}

// What stands above a later document is for all of it, as what stands above the first one is for the file.
void widen(const data::Document& document, Suppression& s) {
  const Span root = document.root.span;
  if (contains(document.span, s.where) && s.where.begin < root.begin && s.scope.end < root.end)
    s.scope = {root.file, root.begin, root.end};
}

// What comments of a manifest are not: text of a script or a file in it. The others are of the object that they stand
// in.
void settle(const k8s::Manifest& manifest, Suppressions& suppressions) {
  if (suppressions.items.empty() && suppressions.findings.empty()) return;
  std::vector<Span> texts;
  for (const data::Document& document : manifest.documents.documents) add_texts(document.root, texts);
  leave_out(texts, suppressions);
  for (Suppression& s : suppressions.items)
    for (const data::Document& document : manifest.documents.documents) widen(document, s);
  for (const k8s::Object& object : manifest.objects) {
    for (Suppression& s : suppressions.items)
      if (contains(object.root.span(), s.where) || contains(object.root.span(), s.scope)) s.owner = object.subject();
    for (Finding& f : suppressions.findings)
      if (contains(object.root.span(), f.primary)) f.subject = object.subject();
  }
}

// An object's annotation, and those of its pods.
void read_annotations(const k8s::Manifest& manifest, const Sources& sources, Suppressions& out) {
  for (const k8s::Object& object : manifest.objects) {
    if (const k8s::Field allow = object.annotation(allow_annotation))
      read_annotation(allow.text(), allow.span(), object.root.span(), object.subject(), sources, out);
    for (const k8s::PodTemplate& pods : object.pods)
      if (const k8s::Field allow = pods.annotation(allow_annotation))
        for (const k8s::Field* part : {&pods.metadata, &pods.spec})
          read_annotation(allow.text(), allow.span(), part->span(), object.subject(), sources, out);
  }
}

// What a manifest's objects are found to be, and what they say may stay.
std::vector<Finding> check_objects(std::uint32_t file, const Context& context, Suppressions& suppressions,
                                   Diagnostics& diagnostics) {
  const k8s::Manifest manifest = k8s::read_manifest(context.sources, file);
  std::vector<Finding> findings;
  check_manifest(manifest, context, findings);
  settle(manifest, suppressions);
  read_annotations(manifest, context.sources, suppressions);
  for (const k8s::Skipped& skipped : manifest.skipped)
    if (skipped.why == k8s::Skipped::Why::helm_template)
      findings.push_back(unclear(RuleId::unfilled_template, skipped.span,
                                 "something fills this in before Kubernetes sees it: the object is not judged"));
  for (const Diagnostic& d : manifest.diagnostics.sorted()) diagnostics.add(d);
  return findings;
}

}  // namespace

std::vector<Result> judge(std::vector<Finding> findings, Suppressions& suppressions, const CheckSettings& settings) {
  std::vector<Result> out;
  const auto add = [&](Finding f) {
    const bool of_rule = !f.fault && (!f.code || rule_for(*f.code));
    if (of_rule && !settings.selection.contains(f.rule)) return;
    if (of_rule && f.since > settings.selection.profile) {
      find_suppression(f, suppressions, settings.as_of);  // another profile needs it
      return;
    }
    out.push_back({std::move(f), "", State::open, ""});
    const Suppression* s = find_suppression(out.back().finding, suppressions, settings.as_of);
    if (s != nullptr) out.back().state = State::suppressed, out.back().reason = s->reason;
  };
  for (Finding& f : findings) add(std::move(f));
  const bool site_given = settings.context.site != nullptr;
  for (Finding& f : leftovers(suppressions, settings.selection, settings.as_of, site_given)) add(std::move(f));
  for (const Finding& f : suppressions.findings) add(f);
  sort_results(out);
  set_keys(out, settings.context.sources);
  return out;
}

std::optional<Input> kind_of(std::string_view text) {
  if (targets::slurm::is_batch_script(text)) return Input::script;
  return k8s::is_manifest(text) ? std::optional(Input::manifest) : std::nullopt;
}

std::vector<Result> check_file(std::uint32_t file, Input kind, const CheckSettings& settings,
                               Diagnostics& diagnostics) {
  const Context& context = settings.context;
  std::vector<Finding> findings;
  Suppressions suppressions = read_comments(context.sources, file, kind);
  if (kind == Input::script) {
    findings = check_script(context, file, settings.command_line);
    if (!suppressions.items.empty() || !suppressions.findings.empty())
      leave_out(texts_in_script(context.sources, file), suppressions);
  } else {
    findings = check_objects(file, context, suppressions, diagnostics);
  }
  suppressions.items.insert(suppressions.items.end(), settings.accepted.begin(), settings.accepted.end());
  return judge(std::move(findings), suppressions, settings);
}

}  // namespace muster::lint
