// A value of a manifest with its path, so that messages can name it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/data/tree.h"

namespace muster::targets::kubernetes {

// A handle: it is valid as long as the tree. A field that is not there, or null, is false; asking it for
// more gives fields that are false.
struct Field {
  const data::Node* node = nullptr;
  std::string path;      // "spec.containers[0].image"; keys with dots as `labels["a.b/c"]`
  std::string_view key;  // of a member of a map
  Span key_span;
  bool aliased = false;  // the text it is in is used in several places

  explicit operator bool() const { return node != nullptr && node->kind != data::Node::Kind::null; }
  Span span() const { return node != nullptr ? node->span : Span{}; }

  Field get(std::string_view key) const;
  Field at(std::string_view dotted_path) const;
  std::vector<Field> items() const;    // of a list, nulls left out
  std::vector<Field> members() const;  // of a map, nulls left out

  bool is_true() const { return node != nullptr && node->is_true(); }
  bool is_false() const { return node != nullptr && node->is_false(); }
  // Of a label, an annotation or a variable, whose values are texts: whether it is "true".
  bool is_true_text() const;
  // The value of a scalar as text, "" for everything else.
  std::string_view text() const;
  // A whole number, also where it was quoted; nullopt for everything else, such as "500m" or a template.
  std::optional<std::int64_t> whole() const;
};

Field root_field(const data::Node& node);

// The fields that a pattern names: `*` stands for every member of a map, `[]` for every item of a list.
// "spec.tasks[].template".
std::vector<Field> matches(const Field& root, std::string_view pattern);

}  // namespace muster::targets::kubernetes
