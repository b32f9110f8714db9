#include "targets/carriers.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "compiler/base/text.h"
#include "compiler/data/read.h"
#include "targets/kubernetes/names.h"
#include "targets/shell.h"

namespace muster::targets {
namespace {

using data::Member;
using data::Node;
using model::Role;

// A field, and the marks by which its lines are known: alternatives with ` | ` between them, of which the first that is
// there counts; ` + ` joins marks that carry it together. In a script a mark is a part of a line. In a manifest it is
// `key`, `key: value`, `[name]` (the item of a list that has this name), `=text` (a text which contains it) or `~part`
// (a part of a line). {name}, {NAME} and {key} are of the field's detail, {as} is what the report says, and {value} is
// what the user wrote.
struct Row {
  Field field;
  std::string_view marks;
};

constexpr Row rows_of_scripts[] = {
#include "targets/batch/carriers.inc"
};
constexpr Row rows_of_manifests[] = {
#include "targets/kubernetes/carriers.inc"
};

// That of the field, else of the block that it is in.
std::string_view marks_of(std::span<const Row> rows, Field field) {
  for (const Row& row : rows)
    if (row.field == field) return row.marks;
  for (const Row& row : rows)
    if (model::is_or_below(field, row.field)) return row.marks;
  return {};
}

std::vector<std::string_view> split(std::string_view text, std::string_view by) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(by, at), text.size());
    if (end > at) out.push_back(text.substr(at, end - at));
    at = end + by.size();
  }
  return out;
}

std::string words_of(const std::vector<std::string>& argv) {
  std::string out;
  for (const std::string& word : argv) out += (out.empty() ? "" : " ") + sh_word(word);
  return out;
}

// As a part of the name of a function.
std::string shell_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<std::string> texts(const std::vector<model::Located<std::string>>& words) {
  std::vector<std::string> out;
  for (const auto& word : words) out.push_back(word.value);
  return out;
}

// What is told of an entry without a row: "--nodes=8, the default of …" is carried by "--nodes=8".
std::string first_words(std::string_view as) {
  for (const std::string_view word : {"label ", "annotation ", "a very large "})
    if (as.starts_with(word)) as.remove_prefix(word.size());
  for (const std::string_view end : {", ", " of ", " and ", " by ", " in ", " at ", " with "})
    as = as.substr(0, as.find(end));
  return std::string(as);
}

// What a role has of the software that is not the site's image.
const model::Script* prelude_of(const Role& role) {
  const auto* own = role.software ? std::get_if<model::SoftwareSpec>(&role.software->value) : nullptr;
  return own != nullptr && own->prelude ? &own->prelude->value : nullptr;
}

// The words of the server's command that a key of `serve` gives.
std::vector<std::string> words_of_server(const model::Serve& serve, Field key) {
  if (key == Field::serve_args) return {words_of(texts(serve.args))};
  if (key == Field::serve_model && serve.model) return {sh_word(serve.model->value)};
  if (key != Field::serve_engine || !serve.engine) return {};
  return {serve.engine->value == model::Engine::vllm ? "vllm" : "sglang"};
}

// The scalars of a user's own YAML, "key: value".
void add_leaves(const Node& node, std::vector<std::string>& out) {
  for (const Node& item : node.items) add_leaves(item, out);
  for (const Member& member : node.members) {
    if (member.value.is_scalar()) out.push_back(member.key + ": " + member.value.text);
    add_leaves(member.value, out);
  }
}

std::vector<std::string> leaves_of(const std::string& yaml) {
  Sources sources;
  std::vector<std::string> out;
  for (const data::Document& document : data::read_yaml(sources, sources.add("", yaml)).documents)
    add_leaves(document.root, out);
  return out;
}

std::vector<std::string> names_of(const model::NamedList<model::FabricAttachment>& fabrics) {
  std::vector<std::string> out;
  for (const model::FabricAttachment& fabric : fabrics) {
    if (fabric.resource) out.push_back(fabric.resource->value);
    for (const model::EnvVar& variable : fabric.env) out.push_back(variable.name);
    if (fabric.prelude) out.push_back(fabric.prelude->value.bytes);
  }
  return out;
}

struct Asked {
  const model::Workload& workload;
  const model::Site& site;
};

// What the user wrote, as it is in a script: words, the bytes of a script, names.
std::vector<std::string> values_of(const FieldRef& field, const Role& role, const Asked& asked) {
  const model::Workload& workload = asked.workload;
  const auto* script = role.program ? std::get_if<model::Script>(&role.program->value) : nullptr;
  std::vector<std::string> out;
  switch (field.field) {
    case Field::command:
    case Field::script:
    case Field::launch_runner:
      if (script != nullptr) return {script->bytes};
      return role.program ? std::vector{words_of(std::get<model::Argv>(role.program->value))} : out;
    case Field::args: return {words_of(texts(role.args))};
    case Field::setup: return {role.setup ? role.setup->value.bytes : std::string()};
    case Field::launch_args: return {words_of(texts(role.launch.args))};
    case Field::script_flags: return {words_of(texts(role.script_flags))};
    case Field::workdir: return {role.workdir ? role.workdir->value : std::string()};
    case Field::software: return {prelude_of(role) != nullptr ? prelude_of(role)->bytes : std::string()};
    case Field::fabric: return names_of(asked.site.fabrics);
    case Field::serve_model:
    case Field::serve_engine:
    case Field::serve_args: return workload.serve ? words_of_server(*workload.serve, field.field) : out;
    case Field::role_depends_on:
      for (const model::RoleStart& start : role.depends_on) out.push_back(shell_name(start.role));
      return out;
    case Field::retry_exit_codes:
      if (!workload.retry) return out;
      out.emplace_back();
      for (const auto& code : workload.retry->exit_codes) out.back() += " " + std::to_string(code.value);
      return out;
    case Field::env:
      for (const model::EnvVar& variable : role.env) out.push_back(variable.name);
      return out;
    case Field::file:
      for (const model::SmallFile& file : role.files)
        if (field.detail.starts_with(file.path.value)) out.push_back(file.bytes);
      return out;
    case Field::mount:
      for (const model::Mount& mount : role.mounts)
        if (mount.name == field.detail) out.push_back(mount.path.value);
      return out;
    case Field::secret:
      for (const model::Secret& secret : role.secrets)
        if (secret.name == field.detail) out.push_back(secret.env ? secret.env->value : secret.file->value);
      return out;
    case Field::target:
      for (const model::TargetOptions& block : workload.targets)
        for (const model::RawOption& option : block.options)
          if (field.detail == block.target + "." + option.name) return leaves_of(option.value.value);
      return out;
    default: return out;
  }
}

// The mark with its names filled in, for each value; none where a name is empty.
std::vector<std::string> filled(std::string_view mark, const LossEntry& entry, const Role& role, const Asked& asked) {
  const std::string& detail = entry.field.detail;
  std::string name = detail.substr(0, detail.find('.'));
  const std::string in_capitals = upper(shell_name(name));
  std::string out(mark);
  for (const auto& [place, value] : {std::pair<std::string_view, std::string>{"{name}", name},
                                     {"{NAME}", in_capitals},
                                     {"{path}", detail},
                                     {"{as}", first_words(entry.as)}})
    if (const std::size_t at = out.find(place); at != std::string::npos) {
      if (value.empty()) return {};
      out.replace(at, place.size(), value);
    }
  const bool first = out.find("{first}") != std::string::npos;
  const std::string_view place = first ? "{first}" : "{value}";
  const std::size_t at = out.find(place);
  if (at == std::string::npos) return {out};
  std::vector<std::string> all;
  for (const std::string& value : values_of(entry.field, role, asked)) {
    const std::string word = first ? value.substr(0, value.find(' ')) : value;
    if (!word.empty()) all.push_back(out.substr(0, at) + word + out.substr(at + place.size()));
  }
  return all;
}

// Whether the part of an object is a role's: its pod template, or the item of a list that has the role's name.
bool names_role(const Node& node, const std::string& role) {
  const Node* labels = node.at("metadata.labels");
  const Node* component = labels == nullptr ? nullptr : labels->get("app.kubernetes.io/component");
  if (component != nullptr && component->text == role) return true;
  for (const char* key : {"name", "groupName"})
    if (const Node* name = node.get(key); name != nullptr && name->text == role)
      return node.get("template") != nullptr || node.get("replicas") != nullptr;
  const Node* own = node.at("metadata.name");
  return own != nullptr && node.get("data") != nullptr && own->text.ends_with("-" + role);
}

void parts_of(const Node& node, const std::string& role, std::vector<const Node*>& out) {
  if (node.is_map() && names_role(node, role)) {
    out.push_back(&node);
    return;
  }
  for (const Node& item : node.items) parts_of(item, role, out);
  for (const Member& member : node.members) parts_of(member.value, role, out);
}

std::string scalar_of(const Node& node) { return node.is_scalar() ? node.text : std::string(); }

class Search {
 public:
  Search(const Sources& sources, std::string_view mark) : sources_(sources), mark_(mark) {
    if (mark.starts_with('[')) name_ = mark.substr(1, mark.size() - 2);
    if (mark.starts_with('=')) text_ = mark.substr(1);
    const std::size_t colon = mark.rfind(": ");
    key_ = mark.substr(0, colon);
    if (colon != mark.npos) value_ = mark.substr(colon + 2);
  }

  void visit(const Node& node) {
    for (const Node& item : node.items) {
      const Node* name = item.get("name");
      if (!name_.empty() && name != nullptr && name->text == name_) add(item.span);
      else visit(item);
    }
    for (const Member& member : node.members) {
      if (is_marked(member)) add({member.key_span.file, member.key_span.begin, member.value.span.end});
      else visit(member.value);
    }
  }

  std::vector<Lines> found;

 private:
  bool is_marked(const Member& member) const {
    if (!text_.empty()) return scalar_of(member.value).find(text_) != std::string::npos;
    return name_.empty() && member.key == key_ && (value_.empty() || scalar_of(member.value) == value_);
  }

  void add(Span span) {
    const std::uint32_t end = std::max(span.begin, span.end > 0 ? span.end - 1 : 0);
    found.push_back({sources_.position(span.file, span.begin).line, sources_.position(span.file, end).line});
  }

  const Sources& sources_;
  std::string mark_, key_, value_, name_, text_;
};

std::vector<Lines> joined(std::vector<Lines> all) {
  std::sort(all.begin(), all.end(), [](const Lines& a, const Lines& b) { return a.first < b.first; });
  std::vector<Lines> out;
  for (const Lines& one : all)
    if (!out.empty() && one.first <= out.back().last + 1) out.back().last = std::max(out.back().last, one.last);
    else out.push_back(one);
  return out;
}

}  // namespace

struct Carriers::Text {
  std::string_view content;
  std::string name;
  Sources sources{};
  std::optional<data::Documents> objects{};  // of a manifest

  explicit Text(const Document& document) : content(document.content), name(document.name) {
    if (!name.ends_with(".yaml")) return;
    objects = data::read_yaml(sources, sources.add(document.name, document.content));
  }

  // All lines that have a part of this text, which may be of several lines.
  std::vector<Lines> lines_with(std::string_view part, std::size_t from, std::size_t end) const {
    std::vector<Lines> out;
    std::size_t line = 1, counted = 0;
    for (std::size_t at = content.find(part, from); at < end; at = content.find(part, at + 1)) {
      line += static_cast<std::size_t>(std::count(content.begin() + static_cast<std::ptrdiff_t>(counted),
                                                  content.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
      counted = at;
      const std::string_view inner = part.substr(0, part.find_last_not_of('\n') + 1);
      out.push_back({line, line + static_cast<std::size_t>(std::count(inner.begin(), inner.end(), '\n'))});
    }
    return out;
  }

  // The function of a role in a script of several.
  std::pair<std::size_t, std::size_t> part_of(const std::string& role) const {
    const std::size_t at = role.empty() ? content.npos : content.find("\nrole_" + shell_name(role) + "() (\n");
    if (at == content.npos) return {0, content.size()};
    return {at, std::min(content.find("\n)\n", at), content.size())};
  }

  std::vector<Lines> in_part(const std::string& mark, const std::string& role) const {
    if (!objects || mark.starts_with('~')) {
      const std::string_view part = objects ? std::string_view(mark).substr(1) : std::string_view(mark);
      const auto [from, end] = objects ? std::pair<std::size_t, std::size_t>{0, content.size()} : part_of(role);
      return lines_with(part, from, end);
    }
    std::vector<const Node*> parts;
    for (const data::Document& object : objects->documents) {
      if (role.empty()) parts.push_back(&object.root);
      else parts_of(object.root, kubernetes::dns_label(role), parts);
    }
    Search search(sources, mark);
    for (const Node* part : parts) search.visit(*part);
    return std::move(search.found);
  }

  std::vector<Lines> with(const std::string& mark, const std::string& role) const {
    std::vector<Lines> out = in_part(mark, role);
    return out.empty() && !role.empty() ? in_part(mark, "") : out;
  }
};

Carriers::Carriers(std::span<const Document> documents, const model::Workload& workload, const model::Site& site)
    : workload_(workload), site_(site) {
  for (const Document& document : documents) texts_.push_back(std::make_unique<Text>(document));
}

Carriers::~Carriers() = default;

std::vector<Lines> Carriers::lines_of(const LossEntry& entry, const Text& text, std::string_view together) const {
  std::vector<Lines> out;
  for (const std::string_view mark : split(together, " + "))
    for (const Role& role : workload_.roles) {
      if (!entry.field.role.empty() && role.name != entry.field.role) continue;
      for (const std::string& words : filled(mark, entry, role, {workload_, site_})) {
        const std::vector<Lines> found = text.with(words, entry.field.role);
        out.insert(out.end(), found.begin(), found.end());
      }
    }
  return joined(std::move(out));
}

std::vector<Carrier> Carriers::of(const LossEntry& entry) const {
  using Status = LossEntry::Status;
  if (entry.as == "nothing" || (entry.status != Status::exact && entry.status != Status::approximated)) return {};
  std::vector<Carrier> out;
  for (const auto& text : texts_) {
    const std::span<const Row> rows = text->objects ? std::span<const Row>(rows_of_manifests) : rows_of_scripts;
    const std::string_view marks = marks_of(rows, entry.field.field);
    std::vector<Lines> lines;
    for (const std::string_view together : split(marks.empty() ? "{as}" : marks, " | "))
      if (lines.empty()) lines = lines_of(entry, *text, together);
    if (!lines.empty()) out.push_back({text->name, std::move(lines)});
  }
  return out;
}

}  // namespace muster::targets
