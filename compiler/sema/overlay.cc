#include "compiler/sema/overlay.h"

#include <algorithm>
#include <string>

namespace muster::sema {
namespace {

std::string kebab(std::string text) {
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

bool same_block(const ast::Block& a, const ast::Block& b) {
  const auto label = [](const ast::Block& block) { return block.label ? block.label->text : std::string(); };
  return kebab(a.kind.text) == kebab(b.kind.text) && label(a) == label(b);
}

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
    const KeySchema* key = setting != nullptr ? schema.key(kebab(setting->key.text)) : nullptr;
    (key != nullptr && !key->short_for.empty() ? moved : out).push_back(std::move(item));
  }
  for (ast::Item& item : moved) {
    const auto& setting = std::get<ast::Setting>(item.value);
    const KeySchema* key = schema.key(kebab(setting.key.text));
    block_of(out, key->short_for, setting.key.span).items.push_back(std::move(item));
  }
  return out;
}

void append_list(ast::Setting& base, ast::Setting over, Diagnostics& diagnostics) {
  const auto list = [](ast::Expr e) {
    if (e.kind == ast::Expr::Kind::list) return e;
    ast::Expr out;
    out.kind = ast::Expr::Kind::list;
    out.span = e.span;
    out.operands.push_back(std::move(e));
    return out;
  };
  if (base.value.kind != ast::Expr::Kind::list && over.value.kind != ast::Expr::Kind::list) {
    diagnostics.add(Code::wrong_type, over.key.span, "`+=` adds to a list, and `" + over.key.text + "` is none")
        .labels.push_back({base.key.span, "the template's"});
    return;
  }
  base.value = list(std::move(base.value));
  for (ast::Expr& e : list(std::move(over.value)).operands) base.value.operands.push_back(std::move(e));
}

// `gpu = A100:4` says the count too: it replaces a `gpus` as well.
void drop_counted(std::vector<ast::Item>& base, const ast::Setting& over) {
  if (over.key.text != "gpu" || over.value.kind != ast::Expr::Kind::ratio) return;
  std::erase_if(base, [](const ast::Item& item) {
    const auto* s = std::get_if<ast::Setting>(&item.value);
    return s != nullptr && s->key.text == "gpus";
  });
}

void lay_setting(std::vector<ast::Item>& base, ast::Setting over, Diagnostics& diagnostics) {
  drop_counted(base, over);
  for (ast::Item& item : base) {
    auto* setting = std::get_if<ast::Setting>(&item.value);
    if (setting == nullptr || kebab(setting->key.text) != kebab(over.key.text)) continue;
    if (over.append) return append_list(*setting, std::move(over), diagnostics);
    *setting = std::move(over);
    return;
  }
  over.append = false;
  base.push_back({std::move(over)});
}

// command and script are one choice: the one written last stands.
void drop_other_program(std::vector<ast::Item>& base, const std::vector<ast::Item>& over) {
  const auto has = [](const std::vector<ast::Item>& items, std::string_view key) {
    return std::any_of(items.begin(), items.end(), [&](const ast::Item& item) {
      const auto* s = std::get_if<ast::Setting>(&item.value);
      return s != nullptr && s->key.text == key;
    });
  };
  for (const auto& [mine, other] : {std::pair("command", "script"), std::pair("script", "command")})
    if (has(over, mine))
      std::erase_if(base, [&](const ast::Item& item) {
        const auto* s = std::get_if<ast::Setting>(&item.value);
        return s != nullptr && s->key.text == other;
      });
}

std::vector<ast::Item> lay(std::vector<ast::Item> base, std::vector<ast::Item> over, Diagnostics& diagnostics) {
  drop_other_program(base, over);
  for (ast::Item& item : over) {
    if (auto* setting = std::get_if<ast::Setting>(&item.value)) {
      lay_setting(base, std::move(*setting), diagnostics);
      continue;
    }
    auto* block = std::get_if<ast::Block>(&item.value);
    const auto found = std::find_if(base.begin(), base.end(), [&](const ast::Item& i) {
      const auto* b = std::get_if<ast::Block>(&i.value);
      return block != nullptr && b != nullptr && same_block(*b, *block);
    });
    if (found == base.end()) base.push_back(std::move(item));
    else {
      auto& into = std::get<ast::Block>(found->value);
      into.items = lay(std::move(into.items), std::move(block->items), diagnostics);
    }
  }
  return base;
}

}  // namespace

std::vector<ast::Item> overlay(std::vector<ast::Item> base, std::vector<ast::Item> over, const BlockSchema& schema,
                               Diagnostics& diagnostics) {
  return lay(in_long_form(std::move(base), schema), in_long_form(std::move(over), schema), diagnostics);
}

}  // namespace muster::sema
