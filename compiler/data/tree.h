// A YAML or JSON document as a tree with places. It knows no schema: Kubernetes manifests, the
// output of kubectl and the language's data twin are all read into it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"

namespace muster::data {

struct Member;
class Found;

struct Node {
  enum class Kind : std::uint8_t { null, boolean, integer, number, text, list, map };
  Kind kind = Kind::null;
  // Of a scalar its value, as scalar.h says: "true" of `yes`, "8" of `010`, "" of null. Of a map for to_yaml its
  // anchor.
  std::string text;
  bool quoted = false;
  bool aliased = false;         // copied in by an alias (`*name`) or `<<`; to_yaml writes an alias to its anchor
  std::vector<Node> items;      // of a list
  std::vector<Member> members;  // of a map, in the order of the file
  std::string comment{};        // for to_yaml: is above the value's key or dash
  Span span;                    // of a copy: the place of the alias; of what is in the copy: where it was written

  bool is_map() const { return kind == Kind::map; }
  bool is_list() const { return kind == Kind::list; }
  bool is_scalar() const { return !is_map() && !is_list(); }
  // The first item of a list, or an absent node.
  const Node& first() const;
  bool is_true() const { return kind == Kind::boolean && text == "true"; }
  bool is_false() const { return kind == Kind::boolean && text == "false"; }
  // Of an integer that fits; of a text it is nothing, however the text looks.
  std::optional<std::int64_t> integer() const;
  // The value of a key of a map, or an absent node, which answers absent to everything.
  Found get(std::string_view key) const;
  // get() along a dotted path without list indices: "spec.template.spec".
  Found at(std::string_view path) const;
};

struct Member {
  std::string key;
  Span key_span;
  Node value;
};

// What get() found. `->` and `*` of what was not found give a null node, so a chain of them cannot crash; a pointer is
// for who wants to know whether it is there.
class Found {
 public:
  Found(std::nullptr_t) : node_(nullptr) {}
  explicit Found(const Node* node) : node_(node) {}
  operator const Node*() const { return node_; }
  const Node& operator*() const { return node_ != nullptr ? *node_ : absent(); }
  const Node* operator->() const { return &**this; }

 private:
  friend struct Node;
  static const Node& absent();
  const Node* node_;
};

}  // namespace muster::data
