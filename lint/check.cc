#include "lint/check.h"

#include "lint/annotation.h"
#include "lint/diagnosed.h"
#include "lint/manifest.h"
#include "lint/slurm.h"
#include "targets/slurm/read/script.h"

namespace muster::lint {
namespace {

namespace k8s = targets::kubernetes;

// What a manifest's objects are found to be, and what they say may stay.
std::vector<Finding> check_objects(std::uint32_t file, const Context& context, Suppressions& suppressions,
                                   Diagnostics& diagnostics) {
  const k8s::Manifest manifest = k8s::read_manifest(context.sources, file);
  std::vector<Finding> findings;
  check_manifest(manifest, context, findings);
  for (const k8s::Object& object : manifest.objects) {
    if (const k8s::Field allow = object.annotation(allow_annotation))
      read_annotation(allow.text(), allow.span(), object.root.span(), context.sources, suppressions);
    for (const k8s::PodTemplate& pods : object.pods)
      if (const k8s::Field allow = pods.annotation(allow_annotation); allow && pods.metadata.path != "metadata")
        suppressions.findings.push_back(unread_annotation(allow.span(), "the object"));
  }
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
    if (of_rule && (!settings.selection.contains(f.rule) || f.since > settings.selection.profile)) return;
    out.push_back({std::move(f), "", State::open, ""});
    const Suppression* s = find_suppression(out.back().finding, suppressions, settings.as_of);
    if (s != nullptr) out.back().state = State::suppressed, out.back().reason = s->reason;
  };
  for (Finding& f : findings) add(std::move(f));
  for (Finding& f : leftovers(suppressions, settings.selection, settings.as_of)) add(std::move(f));
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
  if (kind == Input::script) findings = check_script(context, file, settings.command_line);
  else findings = check_objects(file, context, suppressions, diagnostics);
  suppressions.items.insert(suppressions.items.end(), settings.accepted.begin(), settings.accepted.end());
  return judge(std::move(findings), suppressions, settings);
}

}  // namespace muster::lint
