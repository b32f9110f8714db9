#include "targets/carrier_marks.h"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include "compiler/base/text.h"
#include "compiler/data/read.h"
#include "targets/lookup.h"
#include "targets/shell.h"

namespace muster::targets {
namespace {

using data::Member;
using data::Node;
using model::Role;

// A field and its marks: ` | ` between alternatives, ` + ` between marks that carry it together. {name} and {NAME} are
// the first word of the field's detail, {path} is all of it; {as} is what the report says; {value} is what the user
// wrote, {first} its first word.
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
constexpr Row rows_of_tasks[] = {
#include "targets/services/carriers.inc"
};

std::span<const Row> rows_of(Form form) {
  switch (form) {
    case Form::manifest: return rows_of_manifests;
    case Form::task: return rows_of_tasks;
    case Form::script: break;
  }
  return rows_of_scripts;
}

// That of the field, else of the block that it is in.
std::string_view row_of(std::span<const Row> rows, Field field) {
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

std::vector<std::string> texts(const std::vector<model::Located<std::string>>& words) {
  std::vector<std::string> out;
  for (const auto& word : words) out.push_back(word.value);
  return out;
}

// Of words with run references: the first words without one, since a target puts values in place of the others.
std::string words_of(const std::vector<model::Text>& words) {
  std::string out;
  for (const model::Text& word : words)
    if (word.is_plain()) out += (out.empty() ? "" : " ") + sh_word(word.bytes);
    else if (!out.empty()) return out;
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
      return {words_of(role.program ? std::get<model::Argv>(role.program->value) : texts_of(role.args))};
    case Field::args: return {words_of(texts_of(role.args))};
    case Field::setup: return {role.setup ? role.setup->value.bytes : std::string()};
    case Field::launch_args: return {words_of(texts(role.launch.args))};
    case Field::target_srun:
    case Field::target_launch:
      for (const model::TargetOptions& block : workload.targets)
        if (field.detail == block.target)
          out.push_back(words_of(texts(field.field == Field::target_srun ? block.srun : block.launch)));
      return out;
    case Field::script_flags: return {words_of(texts(role.script_flags))};
    case Field::workdir: return {role.workdir ? role.workdir->value.bytes : std::string()};
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

}  // namespace

std::string shell_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<Marks> marks_of(const LossEntry& entry, Form form, const Role& role, const model::Workload& workload,
                            const model::Site& site) {
  const std::string_view row = row_of(rows_of(form), entry.field.field);
  std::vector<Marks> out;
  for (const std::string_view together : split(row.empty() ? "{as}" : row, " | ")) {
    Marks& marks = out.emplace_back();
    for (const std::string_view mark : split(together, " + "))
      for (std::string& one : filled(mark, entry, role, {workload, site})) marks.push_back(std::move(one));
  }
  return out;
}

}  // namespace muster::targets
