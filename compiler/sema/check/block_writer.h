// A block of syntax under construction: one call a key, which writes nothing where there is nothing to
// say. Keys are checked against the schema, so that a mistake of ours cannot make a file that does not
// read. Inside compiler/sema only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/units.h"
#include "compiler/model/workload.h"
#include "compiler/sema/schema/schema.h"
#include "compiler/syntax/ast.h"

namespace muster::sema {

// Expressions without a place.
ast::Expr text_expr(std::string text);
ast::Expr text_expr(const model::Text& text);  // with its references; of an axis alone `$name`
ast::Expr symbol_expr(std::string_view word);
ast::Expr number_expr(std::int64_t number);
ast::Expr boolean_expr(bool value);
ast::Expr quantity_expr(std::string spelling);
ast::Expr list_expr(std::vector<ast::Expr> elements);
ast::Expr operation_expr(ast::Op op, std::vector<ast::Expr> operands);
// A bare word where it can be one, else a text.
ast::Expr name_expr(const std::string& name);
// A number where the text is spelt like one, else a text: what reads back as a scalar of these bytes.
ast::Expr scalar_expr(const std::string& text);
ast::Expr fact_expr(const model::FactValue& value);

class BlockWriter {
 public:
  // `label` may be empty.
  BlockWriter(const BlockSchema& schema, const std::string& label, Span span, Diagnostics& diagnostics);

  void put(std::string_view key, ast::Expr value);
  void text(std::string_view key, const std::string& value, Span span);
  void text(std::string_view key, const model::Optional<std::string>& value);
  void text(std::string_view key, const model::Text& value, Span span);
  // YAML: of several lines a heredoc, where one can hold it.
  void document(std::string_view key, const std::string& value, Span span);
  void document(std::string_view key, const model::Optional<std::string>& value);
  void texts(std::string_view key, const std::vector<model::Located<std::string>>& values);
  void texts(std::string_view key, const std::vector<model::Located<model::Text>>& values);
  void name(std::string_view key, const model::Optional<std::string>& value);
  void names(std::string_view key, const std::vector<model::Located<std::string>>& values);
  void integer(std::string_view key, const model::Optional<std::int64_t>& value);
  void flag(std::string_view key, bool value, bool fallback = false);
  void flag(std::string_view key, const model::Optional<bool>& value);
  void script(std::string_view key, const model::Script& value, Span span);
  void script(std::string_view key, const model::Optional<model::Script>& value);
  template <class Quantity>
  void quantity(std::string_view key, const model::Optional<Quantity>& value) {
    if (value) put(key, quantity_expr(to_string(value->value)));
  }
  // The word of an enumerator, whose index it is.
  template <class Enum>
  void symbol(std::string_view key, Enum value) {
    put(key, symbol_expr(schema_->key(key)->symbols[static_cast<std::size_t>(value)]));
  }
  template <class Enum>
  void symbol(std::string_view key, Enum value, Enum fallback) {
    if (value != fallback) symbol(key, value);
  }
  template <class Enum>
  void symbols(std::string_view key, const std::vector<model::Located<Enum>>& values) {
    std::vector<ast::Expr> symbols;
    for (const auto& v : values)
      symbols.push_back(symbol_expr(schema_->key(key)->symbols[static_cast<std::size_t>(v.value)]));
    put(key, list_expr(std::move(symbols)));
  }

  void item(ast::Item item) { block_.items.push_back(std::move(item)); }

  // A block inside this one; end() puts it there.
  BlockWriter begin(std::string_view kind, const std::string& label = {}, Span span = {}) const;
  void end(BlockWriter inner);
  ast::Block take() { return std::move(block_); }
  bool empty() const { return block_.items.empty(); }
  const BlockSchema& schema() const { return *schema_; }

  bool holds(std::string_view bytes, std::string_view what, Span span) const;  // false: reported

 private:
  const BlockSchema* schema_;
  Diagnostics* diagnostics_;
  ast::Block block_;
};

}  // namespace muster::sema
