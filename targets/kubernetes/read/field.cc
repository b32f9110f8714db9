#include "targets/kubernetes/read/field.h"

#include <algorithm>
#include <charconv>

#include "compiler/base/byte_set.h"

namespace muster::targets::kubernetes {
namespace {

constexpr std::string_view word_of_true = "true";

std::string path_of_member(const std::string& path, std::string_view key) {
  constexpr ByteSet of_paths("./[");
  const bool quoted = of_paths.find_in(key) != std::string_view::npos;
  std::string out;
  out.reserve(path.size() + key.size() + 4);  // as the longest below
  out.append(path).append(quoted ? "[\"" : path.empty() ? "" : ".").append(key);
  if (quoted) out += "\"]";
  return out;
}

Field member_field(const Field& map, const data::Member& member) {
  return {&member.value, path_of_member(map.path, member.key), member.key, member.key_span,
          map.aliased || member.value.aliased};
}

}  // namespace

Field root_field(const data::Node& node) { return {&node, "", {}, {}, node.aliased}; }

Field Field::get(std::string_view wanted) const {
  if (node != nullptr)
    for (const data::Member& member : node->members)
      if (member.key == wanted) return member_field(*this, member);
  return {};
}

Field Field::at(std::string_view dotted) const {
  Field field = *this;
  while (field && !dotted.empty()) {
    const std::size_t dot = dotted.find('.');
    field = field.get(dotted.substr(0, dot));
    dotted = dot == std::string_view::npos ? std::string_view() : dotted.substr(dot + 1);
  }
  return field;
}

std::vector<Field> Field::items() const {
  std::vector<Field> out;
  if (node == nullptr) return out;
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    const data::Node& item = node->items[i];
    Field field{&item, path + "[" + std::to_string(i) + "]", {}, {}, aliased || item.aliased};
    if (field) out.push_back(std::move(field));
  }
  return out;
}

std::vector<Field> Field::members() const {
  std::vector<Field> out;
  if (node == nullptr) return out;
  for (const data::Member& member : node->members)
    if (Field field = member_field(*this, member)) out.push_back(std::move(field));
  return out;
}

bool Field::is_true_text() const {
  return node != nullptr && node->kind == data::Node::Kind::text && text() == word_of_true;
}

std::string_view Field::text() const {
  return node == nullptr || node->is_list() || node->is_map() ? std::string_view() : std::string_view(node->text);
}

std::optional<std::int64_t> Field::whole() const {
  const std::string_view digits = text();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::vector<Field> matches(const Field& root, std::string_view pattern) {
  std::vector<Field> found{root};
  while (!pattern.empty()) {
    const std::size_t dot = pattern.find('.');
    std::string_view step = pattern.substr(0, dot);
    pattern = dot == std::string_view::npos ? std::string_view() : pattern.substr(dot + 1);
    const bool each = step.ends_with("[]");
    if (each) step.remove_suffix(2);
    std::vector<Field> next;
    for (const Field& field : found) {
      std::vector<Field> here = step == "*" ? field.members() : std::vector<Field>{field.get(step)};
      if (each) here = here[0].items();
      for (Field& f : here)
        if (f) next.push_back(std::move(f));
    }
    found = std::move(next);
  }
  return found;
}

}  // namespace muster::targets::kubernetes
