#include "compiler/sema/overlay.h"

#include <string>
#include <utility>

#include "compiler/base/text.h"

namespace muster::sema {
namespace {

std::string name_of(const ast::Name& name, const BlockSchema& schema) {
  return schema.extras.any_key ? name.text : dashed(name.text);
}

const ast::Setting* setting(const ast::Block& block, const BlockSchema& schema, std::string_view name) {
  for (const ast::Item& item : block.items)
    if (const auto* s = std::get_if<ast::Setting>(&item.value); s != nullptr && name_of(s->key, schema) == name)
      return s;
  return nullptr;
}

const ast::Block* inner(const ast::Block& block, std::string_view name, const std::optional<ast::Name>& label) {
  for (const ast::Item& item : block.items)
    if (const auto* b = std::get_if<ast::Block>(&item.value); b != nullptr && dashed(b->kind.text) == name)
      if (b->label.has_value() == label.has_value() && (!label || b->label->text == label->text)) return b;
  return nullptr;
}

// Whether `top` says what the key says, under this name or another.
bool says(const ast::Block& top, const BlockSchema& schema, std::string_view name) {
  if (setting(top, schema, name) != nullptr || inner(top, name, std::nullopt) != nullptr) return true;
  if (name == "command") return setting(top, schema, "script") != nullptr;
  if (name == "script") return setting(top, schema, "command") != nullptr;
  const KeySchema* key = schema.key(name);
  if (key == nullptr || key->short_for.empty()) return false;
  const ast::Block* block = inner(top, key->short_for, std::nullopt);
  const BlockSchema* within = schema.block(key->short_for);
  return block != nullptr && within != nullptr && setting(*block, *within, name) != nullptr;
}

// A block of the base, without the keys that `top` says in their short form.
ast::Block without_short_forms(ast::Block block, const ast::Block& top, const BlockSchema& schema) {
  std::erase_if(block.items, [&](const ast::Item& item) {
    const auto* s = std::get_if<ast::Setting>(&item.value);
    if (s == nullptr) return false;
    const std::string name = dashed(s->key.text);
    const KeySchema* key = schema.key(name);
    return key != nullptr && key->short_for == dashed(block.kind.text) && setting(top, schema, name) != nullptr;
  });
  return block;
}

bool taken_over(const ast::Item& item, const ast::Block& top, const BlockSchema& schema) {
  if (const auto* s = std::get_if<ast::Setting>(&item.value)) {
    const std::string name = name_of(s->key, schema);
    return (schema.extras.any_key || schema.key(name) != nullptr) && !says(top, schema, name);
  }
  if (const auto* b = std::get_if<ast::Block>(&item.value)) {
    const std::string name = dashed(b->kind.text);
    return schema.block(name) != nullptr && inner(top, name, b->label) == nullptr &&
           setting(top, schema, name) == nullptr;
  }
  const bool condition =
      std::holds_alternative<ast::Requirement>(item.value) || std::holds_alternative<ast::Preference>(item.value);
  return condition && schema.extras.conditions;
}

}  // namespace

ast::Block overlay(const ast::Block& base, const ast::Block& top, const BlockSchema& schema) {
  ast::Block out = top;
  out.items.clear();
  for (const ast::Item& item : base.items) {
    if (!taken_over(item, top, schema)) continue;
    out.items.push_back(item);
    if (auto* block = std::get_if<ast::Block>(&out.items.back().value))
      *block = without_short_forms(std::move(*block), top, schema);
  }
  for (const ast::Item& item : top.items) {
    out.items.push_back(item);
    auto* block = std::get_if<ast::Block>(&out.items.back().value);
    if (block == nullptr || block->label) continue;
    const BlockSchema* within = schema.block(dashed(block->kind.text));
    const ast::Block* below = within == nullptr ? nullptr : inner(base, within->name, std::nullopt);
    if (below != nullptr) *block = overlay(without_short_forms(*below, top, schema), *block, *within);
  }
  return out;
}

}  // namespace muster::sema
