// The members of a block of the model, each as the key that compiler/model/fields.def gives it: what differs from the
// default, and what must be there. Inside compiler/sema only.
#pragma once

#include <string>
#include <vector>

#include "compiler/model/members.h"
#include "compiler/sema/check/block_writer.h"
#include "compiler/sema/check/writers.h"

namespace muster::sema {

// One value by its type.
inline void write(BlockWriter& out, const KeySchema& key, const std::string& value, Span span) {
  if (!out.holds(value, key.name, span)) return;
  if (key.type == Type::name || key.type == Type::symbol) out.put(key.name, name_expr(value));
  else if (key.type == Type::number) out.put(key.name, scalar_expr(value));
  else out.put(key.name, text_expr(value));
}
inline void write(BlockWriter& out, const KeySchema& key, const model::Text& value, Span span) {
  out.text(key.name, value, span);
}
inline void write(BlockWriter& out, const KeySchema& key, bool value, Span) {
  out.put(key.name, key.type == Type::symbol ? symbol_expr(key.symbols[value]) : boolean_expr(value));
}
inline void write(BlockWriter& out, const KeySchema& key, std::int64_t value, Span) {
  out.put(key.name, key.type == Type::percent ? quantity_expr(std::to_string(value) + "%") : number_expr(value));
}
inline void write(BlockWriter& out, const KeySchema& key, Size value, Span) {
  out.put(key.name, quantity_expr(to_string(value)));
}
inline void write(BlockWriter& out, const KeySchema& key, Duration value, Span) {
  out.put(key.name, quantity_expr(to_string(value)));
}
inline void write(BlockWriter& out, const KeySchema& key, const model::Count& value, Span) {
  out.put(key.name, count_expr(value));
}
inline void write(BlockWriter& out, const KeySchema& key, const model::Script& value, Span span) {
  out.script(key.name, value, span);
}
template <class Enum>
requires std::is_enum_v<Enum>
void write(BlockWriter& out, const KeySchema& key, Enum value, Span) {
  out.put(key.name, symbol_expr(key.symbols[static_cast<std::size_t>(value)]));
}

template <class T>
void write_member(BlockWriter& out, const KeySchema& key, const T& value, const T& usual) {
  if (key.required || value != usual) write(out, key, value, {});
}
inline void write_member(BlockWriter& out, const KeySchema& key, const std::string& value, const std::string&) {
  if (!value.empty()) write(out, key, value, {});
}
template <class T>
void write_member(BlockWriter& out, const KeySchema& key, const model::Located<T>& value,
                  const model::Located<T>& usual) {
  if (key.required || value.value != usual.value) write(out, key, value.value, value.span);
}
template <class T>
void write_member(BlockWriter& out, const KeySchema& key, const model::Optional<T>& value, const model::Optional<T>&) {
  if (value) write(out, key, value->value, value->span);
}
inline void write_member(BlockWriter& out, const KeySchema& key, const std::vector<model::Located<std::string>>& value,
                         const std::vector<model::Located<std::string>>&) {
  if (key.type == Type::names) out.names(key.name, value);
  else out.texts(key.name, value);
}
inline void write_member(BlockWriter& out, const KeySchema& key, const std::vector<model::Located<model::Text>>& value,
                         const std::vector<model::Located<model::Text>>&) {
  out.texts(key.name, value);
}
template <class Enum>
void write_member(BlockWriter& out, const KeySchema& key, const std::vector<model::Located<Enum>>& value,
                  const std::vector<model::Located<Enum>>&) {
  if (!value.empty()) out.symbols(key.name, value);
}

template <class Block>
void write_members(BlockWriter& out, const Block& block) {
  const Block usual{};
  model::each_member<Block>([&](model::Field field, auto member) {
    const KeySchema* key = out.schema().key(model::key(field));  // a site's `defaults` have not all of a workload's
    if (key != nullptr) write_member(out, *key, block.*member, usual.*member);
  });
}

// A block that is its label and its members.
template <class Block>
void write_block(BlockWriter& out, std::string_view kind, const Block& block, const std::string& label = {}) {
  BlockWriter inner = out.begin(kind, label, block.span);
  write_members(inner, block);
  out.end(std::move(inner));
}

}  // namespace muster::sema
