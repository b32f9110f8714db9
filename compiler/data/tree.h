// A YAML or JSON document as a tree with places. It knows no schema: Kubernetes manifests, the
// output of kubectl and the language's data twin are all read into it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"

namespace muster::data {

struct Member;

struct Node {
  enum class Kind : std::uint8_t { null, boolean, integer, number, text, list, map };
  Kind kind = Kind::null;
  std::string text;  // of a scalar: decoded if quoted, else as spelt; of a map for to_yaml: its anchor, if it has one
  bool quoted = false;
  bool aliased = false;         // copied in by an alias (`*name`) or `<<`; to_yaml writes an alias to its anchor
  std::vector<Node> items;      // of a list
  std::vector<Member> members;  // of a map, in the order of the file
  std::string comment{};        // for to_yaml: is above the value's key or dash
  Span span;                    // of a copy: the place of the alias; of what is in the copy: where it was written

  bool is_map() const { return kind == Kind::map; }
  bool is_list() const { return kind == Kind::list; }
  bool is_scalar() const { return !is_map() && !is_list(); }
  // The value of a key of a map; nullptr if it is not there or this is not a map.
  const Node* get(std::string_view key) const;
  // get() along a dotted path without list indices: "spec.template.spec".
  const Node* at(std::string_view path) const;
};

struct Member {
  std::string key;
  Span key_span;
  Node value;
};

}  // namespace muster::data
