// Annotations `lint.muster/allow` in `target NAME { object = … }`.
#include <algorithm>

#include "compiler/data/read.h"
#include "lint/suppress.h"
#include "lint/target_block/place.h"
#include "lint/target_block/reduced.h"
#include "lint/target_block/target_block.h"
#include "targets/kubernetes/read/field.h"

namespace muster::lint {
namespace {

namespace k8s = targets::kubernetes;

// The words of the annotation where they are in the file as they are, else the line or the option that has them.
Span place_of(const Sources& sources, const BlockOption& option, const k8s::Field& field, std::string_view line) {
  const Span around = place_in(sources, option, field.path, line);
  const std::size_t at = around.known() ? sources.text(around).find(field.text()) : std::string_view::npos;
  if (at == std::string_view::npos) return around;
  const auto begin = around.begin + static_cast<std::uint32_t>(at);
  return {around.file, begin, begin + static_cast<std::uint32_t>(field.text().size())};
}

// What is never read (SUP004).
Finding unread(Span where) {
  Finding f = finding(RuleId::unreadable_suppression, where,
                      "`lint.muster/allow` is ignored in a pod template; write it as an annotation of `object`");
  f.subject = "suppression";
  f.path = allow_annotation;
  return f;
}

// Of an option that is YAML.
void read(const SpecScene& scene, const BlockOption& option, bool decided, Suppressions& out) {
  const Sources& sources = scene.context.sources;
  Sources patch;
  const std::uint32_t file = patch.add("patch", option.option->value.value);
  const data::Documents documents = data::read_yaml(patch, file);
  if (documents.documents.size() != 1 || !documents.documents[0].root.is_map()) return;
  const k8s::Field words =
      k8s::root_field(documents.documents[0].root).at("metadata.annotations").get(allow_annotation);
  if (!words) return;
  const Span where =
      place_of(sources, option, words, patch.line(file, patch.position(file, words.key_span.begin).line));
  if (option.option->name == "pod") return out.findings.push_back(unread(where));
  const std::size_t before = out.items.size();
  read_annotation(words.text(), where, {}, "suppression", sources, out);
  for (Suppression& s : std::span(out.items).subspan(before)) {
    s.block = true;
    s.subject = scene.workload.id;
    if (decided) continue;
    s.path = "target." + option.block->target + ".";
    s.elsewhere = true;  // where the workload goes to that target it may be needed
  }
}

}  // namespace

void read_target_block_allows(const SpecScene& scene, Suppressions& out) {
  const targets::Target* decided =
      scene.result.plan ? targets::find_target(scene.result.plan->decision.target) : nullptr;
  for (const model::TargetOptions& block : scene.workload.targets)
    for (const model::RawOption& option : block.options)
      if (option.name == "object" || option.name == "pod")
        read(scene, {&block, &option}, decided != nullptr && carries(*decided, block), out);
}

}  // namespace muster::lint
