#include "compiler/sema/schema/inherit.h"

#include <string>
#include <unordered_set>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/sema/schema/overlay.h"

namespace muster::sema {
namespace {

// The names of keys, or of blocks without a label, of a body.
template <class Item>
std::unordered_set<std::string> names_of(const ast::Block& body) {
  std::unordered_set<std::string> out;
  for (const ast::Item& item : body.items) {
    if constexpr (std::is_same_v<Item, ast::Setting>) {
      if (const auto* s = std::get_if<ast::Setting>(&item.value)) out.insert(dashed(s->key.text));
    } else {
      if (const auto* b = std::get_if<ast::Block>(&item.value); b != nullptr && !b->label)
        out.insert(dashed(b->kind.text));
    }
  }
  return out;
}

}  // namespace

ast::Block inherit(const ast::Block& from, const ast::Block& own, const BlockSchema& schema, Diagnostics& diagnostics) {
  const auto keys = names_of<ast::Setting>(own), blocks = names_of<ast::Block>(own);
  std::vector<ast::Item> base;
  for (const ast::Item& item : from.items) {
    bool takes = schema.extras.conditions;
    if (const auto* s = std::get_if<ast::Setting>(&item.value)) {
      const std::string name = dashed(s->key.text);
      takes = schema.key(name) != nullptr && !blocks.contains(name);
    } else if (const auto* b = std::get_if<ast::Block>(&item.value)) {
      const std::string name = dashed(b->kind.text);
      takes = schema.block(name) != nullptr && !keys.contains(name);
    }
    if (takes) base.push_back(item);
  }
  ast::Block out = own;
  out.items = overlay(std::move(base), own.items, schema, diagnostics);
  return out;
}

void without_blocks(ast::Block& block, std::string_view kind) {
  std::erase_if(block.items, [&](const ast::Item& item) {
    const auto* inner = std::get_if<ast::Block>(&item.value);
    return inner != nullptr && dashed(inner->kind.text) == kind;
  });
}

}  // namespace muster::sema
