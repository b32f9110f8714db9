// Manifests as trees, and the few words that build them. One emitter writes them: data::to_yaml, which quotes what
// a reader of YAML 1.1 would take for a boolean, a date or an octal number.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/data/tree.h"

namespace muster::targets::kubernetes {

using data::Node;

// Scalars. A text is always read back as a text, however it looks.
Node text(std::string_view value);
Node number(std::int64_t value);
Node truth(bool value);
// A node that put() and map() leave out.
inline Node nothing() { return {}; }

Node list(std::vector<Node> items);
Node texts(std::span<const std::string> items);
// A map in the order given, without members that are nothing; map({}) is `{}`.
struct Entry {
  std::string_view key;
  mutable Node value;  // map() takes it
};
Node map(std::initializer_list<Entry> members);

// The node with a comment (of one or several lines) above it.
Node with_comment(Node node, std::string_view comment);

// Sets a key of a map, in its place if it was there; nothing is left out.
void put(Node& map, std::string_view key, Node value);
// The value of a key of a map; what was not there is put there as an empty map. The reference holds until the map
// gets another key.
Node& at(Node& map, std::string_view key);
// `metadata.annotations` and `metadata.labels` of an object or a pod template.
Node& annotations_of(Node& object);
Node& labels_of(Node& object);
// Adds an item to the list below a key.
void append(Node& map, std::string_view key, Node item);

// Bytes as `command`, `args` and `env` take them: Kubernetes replaces `$(NAME)` there and `$$` by `$`, so that
// the `$` of these is doubled; `$(seq 3)` names no variable and stays.
std::string expandable(std::string_view bytes);

// A size as a quantity: the shortest exact one, "80G", "64Gi" or plain bytes.
std::string quantity(Size size);
// An amount of a resource: a number where it is one.
Node amount(std::int64_t count);
Node amount(Size size);

// Merges a patch as `kubectl` does: maps member by member; lists of things with names by name, `name: "*"` meaning
// each that is there; other lists grow. Returns the paths at which both said something different of one value: there
// the patch was not applied.
std::vector<std::string> merge(Node& into, const Node& patch);

}  // namespace muster::targets::kubernetes
