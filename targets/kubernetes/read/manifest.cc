#include "targets/kubernetes/read/manifest.h"

#include <algorithm>
#include <utility>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"

namespace muster::targets::kubernetes {
namespace {

std::string role_of(const PodPlace& place, const Field& holder) {
  if (!place.role.empty()) return std::string(place.role);
  if (place.holder.ends_with(".*")) return std::string(holder.key);
  if (!place.holder.ends_with("[]")) return "";
  const Field group = holder.get("groupName");
  return std::string(group ? group.text() : holder.get("name").text());
}

void count_pods(PodTemplate& pods, const Field& holder, std::string_view counts) {
  pods.count = 1;
  while (!counts.empty()) {
    const std::string_view path = counts.substr(0, counts.find(' '));
    counts.remove_prefix(std::min(path.size() + 1, counts.size()));
    const Field f = holder.at(path);
    if (!f) continue;
    if (!pods.count_field) pods.count_field = f;
    const auto n = f.whole();
    const bool sane = n && pods.count && *n >= 0 && *n <= 1'000'000 && *pods.count <= 1'000'000;
    pods.count = sane ? std::optional(*n * *pods.count) : std::nullopt;
  }
}

void add_pods(Object& object, const PodPlace& place) {
  const auto holders = place.holder == "." ? std::vector<Field>{object.root} : matches(object.root, place.holder);
  for (const Field& holder : holders) {
    const Field at = holder.at(place.below);
    if (!at || !at.node->is_map()) continue;
    PodTemplate pods;
    pods.place = &place;
    pods.holder = holder;
    pods.role = role_of(place, holder);
    pods.metadata = place.bare ? Field{} : at.get("metadata");
    pods.spec = place.bare ? at : at.get("spec");
    if (!pods.spec) continue;
    count_pods(pods, holder, place.counts);
    pods.containers = containers_of(pods.spec, place.bare);
    object.pods.push_back(std::move(pods));
  }
}

// A group has `size` pods, the leader among them; without a leader template all are made of the other.
void take_out_leader(Object& object) {
  if (object.known == nullptr || object.known->groups.empty() || object.pods.size() != 2) return;
  auto& count = object.pods[1].count;
  count = count ? std::optional(std::max<std::int64_t>(*count - 1, 0)) : std::nullopt;
}

void add_objects(Field root, std::vector<Object>& out) {
  Object& o = out.emplace_back();
  o.api_version = root.get("apiVersion").text();
  o.kind = root.get("kind").text();
  o.name_space = root.at("metadata.namespace").text();
  const Field generated = root.at("metadata.generateName"), own = root.at("metadata.name");
  o.name = own ? own.text() : generated.text();
  o.root = std::move(root);
  o.known = find_kind(o.api_version, o.kind);
  if (o.known != nullptr)
    for (const PodPlace& place : o.known->places)
      if (!place.holder.empty()) add_pods(o, place);
  take_out_leader(o);
  if (o.known != nullptr) return;
  for (Field& held : find_pods(o)) add_objects(std::move(held), out);  // `o` is not valid after the first
}

bool is_object(const Field& root) { return !root.get("apiVersion").text().empty() && !root.get("kind").text().empty(); }

// What is no YAML before a program has filled it in: lines of an engine, or names such as `${TEAM}`, `%USER%` and
// `{user}/server`, with which filled in, and without lines that are nothing else, it can be read.
bool is_template(std::string_view text) {
  std::string filled;
  bool any = false;
  for (const std::string_view line : split(text, '\n')) {
    const bool whole = is_one_blank(line, In::refused);
    any |= whole;
    std::size_t at = whole ? line.size() : 0;
    for (BlankFound b = marked_blank_in(line, In::refused, at); b; b = marked_blank_in(line, In::refused, at)) {
      if (!b.engine.empty()) return true;
      const bool named = b.by != FilledBy::person;
      filled += std::string(line.substr(at, b.begin - at)) +
                (named ? "x" : std::string(line.substr(b.begin, b.end - b.begin)));
      any |= named, at = b.end;
    }
    filled += std::string(line.substr(at)) + '\n';
  }
  if (!any) return false;
  Sources sources;
  const data::Documents read = data::read_yaml(sources, sources.add("filled", std::move(filled)));
  return std::none_of(read.documents.begin(), read.documents.end(),
                      [](const data::Document& d) { return d.diagnostics.has_errors(); });
}

void take(Manifest& out, const data::Document& document, const Sources& sources) {
  const Span span = document.span;
  if (document.diagnostics.has_errors()) {
    const bool templ = is_template(sources.text(span));
    out.skipped.push_back({templ ? Skipped::Why::helm_template : Skipped::Why::unreadable, span});
    if (!templ)
      for (const Diagnostic& d : document.diagnostics.sorted()) out.diagnostics.add(d);
    return;
  }
  Field root = root_field(document.root);
  if (!is_object(root)) {
    out.skipped.push_back({Skipped::Why::not_an_object, span});
    return;
  }
  const bool list = root.get("kind").text().ends_with("List") && root.get("items").node != nullptr;
  if (!list) add_objects(std::move(root), out.objects);
  else
    for (Field& item : root.get("items").items())
      if (is_object(item)) add_objects(std::move(item), out.objects);
}

void index(Manifest& manifest) {
  for (const Object& o : manifest.objects) {
    manifest.by_name.try_emplace(reference(o.name_space, o.kind, o.name), &o);
    for (const PodTemplate& pods : o.pods)
      for (const Field& label : pods.metadata.get("labels").members())
        manifest.by_label[reference(o.name_space, label.key, label.text())].push_back({&o, &pods});
  }
}

}  // namespace

bool PodTemplate::has_accelerator() const {
  return std::any_of(containers.begin(), containers.end(), [](const Container& c) { return c.has_accelerator(); });
}

std::string reference(std::string_view name_space, std::string_view kind_or_label, std::string_view name) {
  return std::string(name_space) + "\n" + std::string(kind_or_label) + "\n" + std::string(name);
}

Manifest read_manifest(const Sources& sources, std::uint32_t file) {
  Manifest out;
  const std::string_view text = sources.text(file);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') {
    data::Document json = data::read_json(sources, file);
    if (!json.diagnostics.has_errors()) out.documents.documents.push_back(std::move(json));
  }
  if (out.documents.documents.empty()) out.documents = data::read_yaml(sources, file);
  out.diagnostics = out.documents.diagnostics;
  for (const data::Document& document : out.documents.documents) take(out, document, sources);
  index(out);
  return out;
}

Manifest manifest_of(std::vector<data::Node> objects) {
  Manifest out;
  for (data::Node& object : objects) {
    const Span span = object.span;
    out.documents.documents.push_back({std::move(object), span, {}});
  }
  for (const data::Document& document : out.documents.documents) add_objects(root_field(document.root), out.objects);
  index(out);
  return out;
}

std::optional<std::int64_t> pod_count(const Object& object) {
  std::int64_t sum = 0;
  for (const PodTemplate& pods : object.pods) {
    if (!pods.count) return std::nullopt;
    if (pods.role != "submitter") sum += *pods.count;
  }
  return sum;
}

}  // namespace muster::targets::kubernetes
