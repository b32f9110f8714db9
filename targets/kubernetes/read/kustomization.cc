#include "targets/kubernetes/read/kustomization.h"

#include <algorithm>
#include <array>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"

namespace muster::targets::kubernetes {
namespace {

// A file's name is one line; the rest are patches in place.
void add_path(std::vector<std::string>& paths, const Field& field) {
  const std::string_view text = field.text();
  if (!text.empty() && text.size() < 4096 && text.find('\n') == std::string_view::npos &&
      text.find("://") == std::string_view::npos)
    paths.emplace_back(text);
}

// Keys that change objects in a way that is not read.
constexpr std::array<std::string_view, 8> unread_keys = {"components",   "transformers", "generators",
                                                         "replacements", "helmCharts",   "helmChartInflationGenerator",
                                                         "vars",         "openapi"};

bool is_empty(const Field& field) {
  return !field || (field.items().empty() && field.members().empty() && field.text().empty());
}

PatchTarget target_of(const Field& target, std::string& unread) {
  for (const char* key : {"labelSelector", "annotationSelector"})
    if (target.get(key)) unread = std::string("`") + key + "`";
  return {std::string(target.get("group").text()), std::string(target.get("version").text()),
          std::string(target.get("kind").text()), std::string(target.get("name").text()),
          std::string(target.get("namespace").text())};
}

// An item of one of the lists of patches: a path, a text, or a map with one of them.
void add_change(const Field& item, Kustomization& out) {
  KustomizePatch patch;
  const bool is_map = item.node != nullptr && item.node->is_map();
  Field written = item;
  if (is_map) written = item.get("path") ? item.get("path") : item.get("patch");
  const std::string_view text = written.text();
  const bool inline_text = is_map ? !item.get("path") : text.find('\n') != std::string_view::npos;
  if (text.empty()) return;
  (inline_text ? patch.text : patch.path) = std::string(text);
  patch.where = written.span();
  patch.target = target_of(item.get("target"), patch.unread);
  for (const Field& option : item.get("options").members())
    if (option.is_true()) patch.unread = "`" + std::string(option.key) + "`";
  out.changes.push_back(std::move(patch));
}

void read_names(const Field& root, Kustomization& out) {
  out.prefix = std::string(root.get("namePrefix").text());
  out.suffix = std::string(root.get("nameSuffix").text());
  out.name_space = std::string(root.get("namespace").text());
  for (const Field& item : root.get("replicas").items())
    if (item.get("count")) out.replicas.push_back({std::string(item.get("name").text()), *item.get("count").node});
  for (const std::string_view key : unread_keys)
    if (out.unread.empty() && !is_empty(root.get(key))) out.unread = "`" + std::string(key) + "`";
}

// A workload that the API server would reject: it must say which pods are its own.
bool lacks_selector(const Object& object) {
  constexpr std::array<std::string_view, 3> kinds = {"Deployment", "StatefulSet", "DaemonSet"};
  const bool selects = std::find(kinds.begin(), kinds.end(), object.kind) != kinds.end();
  return selects && object.api_version == "apps/v1" && !object.root.at("spec.selector");
}

// No container has an image, and no operator adds one.
bool lacks_images(const Object& object) {
  std::size_t containers = 0;
  for (const PodTemplate& pods : object.pods)
    for (const Container& c : pods.containers) {
      if (c.field.get("image")) return false;
      ++containers;
    }
  return containers > 0 && object.known->complete;
}

// `replicas: #{replicas}#`: what the release tasks of Azure DevOps replace. YAML reads a comment, and no value.
Span token_between_hashes(const Sources& sources, std::uint32_t file) {
  const std::string_view text = sources.text(file);
  for (std::size_t at = text.find(": #{"); at != std::string_view::npos; at = text.find(": #{", at + 1)) {
    if (const BlankFound found = blank_at(text, In::yaml, at + 2))
      return {file, static_cast<std::uint32_t>(found.begin), static_cast<std::uint32_t>(found.end)};
  }
  return {};
}

// The word in the comments above the first object: `# DEPRECATED: use modular.yaml`.
Span head_says_deprecated(const Sources& sources, std::uint32_t file) {
  constexpr std::string_view word = "DEPRECATED";
  const std::string_view text = sources.text(file);
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t end = std::min(text.find('\n', line), text.size());
    const std::string_view all = text.substr(line, end - line), content = trimmed(all);
    if (!content.empty() && content.front() != '#' && content != "---") return {};
    const std::size_t at = all.find_first_not_of("# \t");
    if (at != std::string_view::npos && all.substr(at).starts_with(word)) {
      const auto begin = static_cast<std::uint32_t>(line + at);
      return {file, begin, begin + static_cast<std::uint32_t>(word.size())};
    }
    line = end + 1;
  }
  return {};
}

}  // namespace

Kustomization read_kustomization(const Sources& sources, std::uint32_t file) {
  Kustomization out;
  const data::Documents documents = data::read_yaml(sources, file);
  for (const data::Document& document : documents.documents) {
    const Field root = root_field(document.root);
    for (const char* key : {"resources", "bases", "components"})
      for (const Field& item : root.get(key).items()) add_path(out.resources, item);
    for (const char* key : {"patches", "patchesStrategicMerge", "patchesJson6902"})
      for (const Field& item : root.get(key).items()) add_path(out.patches, item.get("path") ? item.get("path") : item);
    for (const char* key : {"patchesStrategicMerge", "patchesJson6902", "patches"})
      for (const Field& item : root.get(key).items()) add_change(item, out);
    read_names(root, out);
    for (const Field& item : root.get("images").items())
      if (const std::string_view name = item.get("name").text(); !name.empty()) out.images.emplace_back(name);
  }
  return out;
}

bool has_patch_directive(const data::Node& node) {
  const auto below = [](const auto& value) { return has_patch_directive(value); };
  return std::any_of(node.items.begin(), node.items.end(), below) ||
         std::any_of(node.members.begin(), node.members.end(), [&](const data::Member& member) {
           return member.key == "$patch" || has_patch_directive(member.value);
         });
}

Purpose purpose_of(const Manifest& manifest, const Sources& sources, std::uint32_t file) {
  const std::string_view text = sources.text(file);
  if (text.starts_with("#@ load(") || text.find("\n#@ load(") != std::string_view::npos)
    return {PurposeKind::templated, "ytt", "it has `#@ load(`", {}, true};
  if (const Span token = token_between_hashes(sources, file); token.known())
    return {PurposeKind::templated, "", "`" + printable(sources.text(token), 40) + "` is a value to fill in", token,
            true};
  for (const Object& object : manifest.objects)
    if (blank_in(object.name, In::refused).form == "capitals")  // no object may be named so
      return {PurposeKind::templated, "", "`" + std::string(object.name) + "` is a name to fill in",
              object.root.at("metadata.name").span(), true};
  const Object* first = nullptr;
  std::string_view lacks;
  for (const Object& object : manifest.objects) {
    if (object.pods.empty()) continue;
    const std::string_view part = has_patch_directive(*object.root.node) ? "$patch"
                                  : lacks_selector(object)               ? "selector"
                                  : lacks_images(object)                 ? "image"
                                                                         : "";
    if (part.empty()) return {};
    if (first == nullptr) first = &object, lacks = part;
  }
  if (first == nullptr) return {};
  return {PurposeKind::patch, "kustomize",
          "`" + first->subject() + (lacks == "$patch" ? "` has `$patch`" : "` has no " + std::string(lacks)),
          first->root.get("kind").span()};
}

Purpose purpose_as_deprecated(const Sources& sources, std::uint32_t file) {
  const Span where = head_says_deprecated(sources, file);
  if (!where.known()) return {};
  return {PurposeKind::archived, "", "its head says `DEPRECATED`", where, true};
}

Purpose purpose_as_printed(const Manifest& manifest) {
  const bool pods = std::all_of(manifest.objects.begin(), manifest.objects.end(), [](const Object& object) {
    return object.is("", "Pod") && object.root.at("status.phase");
  });
  if (manifest.objects.empty() || (!pods && manifest.objects.size() == 1)) return {};
  for (const Object& object : manifest.objects)
    if (!object.root.at("metadata.uid") || !object.root.get("status")) return {};
  const Object& first = manifest.objects.front();
  return {PurposeKind::printed, "", "`" + first.subject() + "` has a `uid` and a `status`",
          first.root.get("status").span(), true};
}

}  // namespace muster::targets::kubernetes
