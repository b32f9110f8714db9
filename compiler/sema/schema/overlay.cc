#include "compiler/sema/schema/overlay.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "compiler/base/text.h"

namespace muster::sema {
namespace {

// The block of a kind without a label among the items, made if it is not there.
ast::Block& block_of(std::vector<ast::Item>& items, std::string_view kind, Span span) {
  for (ast::Item& item : items)
    if (auto* block = std::get_if<ast::Block>(&item.value); block != nullptr && block->kind.text == kind) return *block;
  ast::Block made;
  made.kind = {std::string(kind), span};
  made.span = span;
  items.push_back({std::move(made)});
  return std::get<ast::Block>(items.back().value);
}

// Short forms moved to where they belong, so that both bodies speak of the same keys.
std::vector<ast::Item> in_long_form(std::vector<ast::Item> items, const BlockSchema& schema) {
  std::vector<ast::Item> out, moved;
  for (ast::Item& item : items) {
    const auto* setting = std::get_if<ast::Setting>(&item.value);
    const KeySchema* key = setting != nullptr ? schema.key(dashed(setting->key.text)) : nullptr;
    (key != nullptr && !key->short_for.empty() ? moved : out).push_back(std::move(item));
  }
  for (ast::Item& item : moved) {
    const auto& setting = std::get<ast::Setting>(item.value);
    const KeySchema* key = schema.key(dashed(setting.key.text));
    block_of(out, key->short_for, setting.key.span).items.push_back(std::move(item));
  }
  return out;
}

// What there is nothing to add to is set.
void settle(ast::Item& item) {
  if (auto* setting = std::get_if<ast::Setting>(&item.value)) setting->append = false;
  if (auto* block = std::get_if<ast::Block>(&item.value))
    for (ast::Item& inner : block->items) settle(inner);
}

// Lays items over those of one block. Items are found by name, so that long bodies take no longer than they are.
class Layer {
 public:
  // `schema` is nullptr for a block that no schema knows.
  Layer(std::vector<ast::Item> base, const BlockSchema* schema, Diagnostics& diagnostics)
      : base_(std::move(base)), schema_(schema), diagnostics_(diagnostics) {
    for (std::size_t i = 0; i < base_.size(); ++i) places_.try_emplace(identity(base_[i]), i);
  }

  std::vector<ast::Item> lay(std::vector<ast::Item> over) {
    drop_what_is_replaced(over);
    for (ast::Item& item : over) lay_item(std::move(item));
    std::erase_if(base_, [](const ast::Item& item) {
      const auto* setting = std::get_if<ast::Setting>(&item.value);
      return setting != nullptr && setting->key.text.empty();
    });
    return std::move(base_);
  }

 private:
  std::string identity(const ast::Item& item) const {
    const bool free = schema_ != nullptr && schema_->extras.any_key;
    if (const auto* s = std::get_if<ast::Setting>(&item.value))
      return "= " + (free ? s->key.text : dashed(s->key.text));
    const auto* b = std::get_if<ast::Block>(&item.value);
    return b == nullptr ? std::string() : "{ " + dashed(b->kind.text) + (b->label ? " " + b->label->text : "");
  }

  ast::Item* find(const std::string& identity) {
    const auto found = identity.empty() ? places_.end() : places_.find(identity);
    return found == places_.end() ? nullptr : &base_[found->second];
  }

  void lay_item(ast::Item item) {
    const std::string name = identity(item);
    const bool twice = !name.empty() && !laid_.insert(name).second;  // for the checker to report
    ast::Item* there = twice ? nullptr : find(name);
    if (there == nullptr) {
      settle(item);
      places_.try_emplace(name, base_.size());
      base_.push_back(std::move(item));
    } else if (auto* block = std::get_if<ast::Block>(&item.value)) {
      auto& into = std::get<ast::Block>(there->value);
      const BlockSchema* inner = schema_ == nullptr ? nullptr : schema_->block(dashed(block->kind.text));
      into.items = Layer(std::move(into.items), inner, diagnostics_).lay(std::move(block->items));
    } else if (auto& setting = std::get<ast::Setting>(item.value); setting.append) {
      append(std::get<ast::Setting>(there->value), std::move(setting));
    } else {
      *there = std::move(item);
    }
  }

  void append(ast::Setting& base, ast::Setting over) {
    using Kind = ast::Expr::Kind;
    if (base.value.kind != Kind::list || over.value.kind != Kind::list) {
      diagnostics_.add(Code::wrong_type, over.key.span, "`+=` requires a list on both sides")
          .labels.push_back({base.key.span, "the template's value"});
      return;
    }
    for (ast::Expr& e : over.value.operands) base.value.operands.push_back(std::move(e));
  }

  // command and script are one choice, `gpu = A100:4` says the count as well, and `software` is a key or a block: the
  // one written last is kept.
  void drop_what_is_replaced(const std::vector<ast::Item>& over) {
    for (const ast::Item& item : over) {
      if (const auto* b = std::get_if<ast::Block>(&item.value); b != nullptr && !b->label)
        drop("= " + dashed(b->kind.text));
      const auto* s = std::get_if<ast::Setting>(&item.value);
      if (s == nullptr) continue;
      drop("{ " + dashed(s->key.text));
      if (s->key.text == "command") drop("= script");
      if (s->key.text == "script") drop("= command");
      if (s->key.text == "gpu" && s->value.kind == ast::Expr::Kind::ratio) drop("= gpus");
    }
  }

  void drop(const std::string& identity) {
    ast::Item* item = find(identity);
    if (item == nullptr) return;
    item->value = ast::Setting{};  // erased at the end: places stay what they are
    places_.erase(identity);
  }

  std::vector<ast::Item> base_;
  const BlockSchema* schema_;
  std::unordered_map<std::string, std::size_t> places_;
  std::unordered_set<std::string> laid_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::vector<ast::Item> overlay(std::vector<ast::Item> base, std::vector<ast::Item> over, const BlockSchema& schema,
                               Diagnostics& diagnostics) {
  return Layer(in_long_form(std::move(base), schema), &schema, diagnostics).lay(in_long_form(std::move(over), schema));
}

}  // namespace muster::sema
