// The members of a block of the model, each from the key that compiler/model/fields.def gives it. Inside
// compiler/sema only.
#pragma once

#include <string>
#include <vector>

#include "compiler/model/members.h"
#include "compiler/sema/check/builders.h"

namespace muster::sema {

// One value by its type.
inline void take(const Value& v, const KeySchema& key, bool& out) {
  out = key.type == Type::symbol ? v.text == key.symbols[1] : v.flag;
}
inline void take(const Value& v, const KeySchema&, std::string& out) { out = v.text; }
inline void take(const Value& v, const KeySchema&, model::Text& out) { out = {v.text, v.references}; }
inline void take(const Value& v, const KeySchema&, std::int64_t& out) { out = v.low; }
inline void take(const Value& v, const KeySchema&, Size& out) { out = {v.low}; }
inline void take(const Value& v, const KeySchema&, Duration& out) { out = {v.low}; }
inline void take(const Value& v, const KeySchema&, model::Count& out) { out = {v.low, v.high}; }
inline void take(const Value& v, const KeySchema&, model::Script& out) { out = {v.tag, v.text}; }
inline void take(const Value& v, const KeySchema&, model::Amount<std::int64_t>& out) {
  out = {v.all, v.low, v.high, !v.text.empty()};
}
inline void take(const Value& v, const KeySchema&, model::Amount<Size>& out) {
  out = {v.all, {v.low}, {v.high}, !v.text.empty()};
}
inline void take(const Value& v, const KeySchema&, std::vector<std::string>& out) {
  for (const Value& element : v.list) out.push_back(element.text);
}
template <class Enum>
requires std::is_enum_v<Enum>
void take(const Value& v, const KeySchema& key, Enum& out) { out = enumerator<Enum>(v.text, key); }

template <class T>
void take(const Value& v, const KeySchema& key, model::Located<T>& out) {
  take(v, key, out.value);
  out.span = v.span;
}
template <class T>
void take(const Value& v, const KeySchema& key, model::Optional<T>& out) {
  // `shm = auto`, `time-limit = default`: a word in place of an amount says that there is none.
  if ((key.type == Type::size || key.type == Type::duration) && !v.text.empty()) return;
  take(v, key, out.emplace());
}
template <class T>
void take(const Value& v, const KeySchema& key, std::vector<model::Located<T>>& out) {
  out.clear();
  for (const Value& element : v.list) take(element, key, out.emplace_back());
}

// Every member whose key the node has.
template <class Block>
void read_members(const Node& node, Block& out) {
  model::each_member<Block>([&](model::Field field, auto member) {
    if (const Entry* entry = node.entry(field)) take(entry->value, *entry->schema, out.*member);
  });
}

template <class Block>
Block read_members(const Node& node) {
  Block out;
  read_members(node, out);
  return out;
}

// A block that may be missing, and its place.
template <class Block>
void read_block_into(const Node* node, std::optional<Block>& out) {
  if (node == nullptr) return;
  out = read_members<Block>(*node);
  out->span = node->span;
}

}  // namespace muster::sema
