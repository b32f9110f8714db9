#include "compiler/sema/check/block_writer.h"

#include <stdexcept>
#include <utility>

#include "compiler/syntax/format.h"

namespace muster::sema {
namespace {

using ast::Expr;

Expr expr(Expr::Kind kind, std::string text) {
  Expr out;
  out.kind = kind;
  out.text = std::move(text);
  return out;
}

ast::Name name_of(const std::string& text) { return {text, {}, !syntax::is_word(text)}; }
ast::Name key_of(const std::string& text) { return {text, {}, !syntax::is_key(text)}; }

std::string_view digits(std::string_view& text) {
  const std::string_view out = text.substr(0, text.find_first_not_of("0123456789"));
  text.remove_prefix(out.size());
  return out;
}

// `8`, `0.5`, `1e-4`: a NUMBER of the grammar.
bool is_number(std::string_view text) {
  if (digits(text).empty()) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (digits(text).empty()) return false;
  }
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return !digits(text).empty() && text.empty();
}

// Lines with their ends; what a "…" of one line each can carry.
std::vector<Expr> lines(std::string_view bytes) {
  std::vector<Expr> out;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
    out.push_back(text_expr(std::string(bytes.substr(0, end))));
    bytes.remove_prefix(end);
  }
  return out;
}

}  // namespace

Expr text_expr(std::string text) { return expr(Expr::Kind::text, std::move(text)); }
Expr text_expr(const model::Text& text) {
  if (const std::string* axis = text.axis()) return expr(Expr::Kind::variable, *axis);
  Expr out = expr(Expr::Kind::text, text.bytes);
  for (const model::Reference& reference : text.references) {
    const std::string first(model::name(reference.to));
    Expr hole = expr(Expr::Kind::variable, first + (first.empty() ? "" : ".") + reference.name);
    hole.at = static_cast<std::uint32_t>(reference.at);
    out.operands.push_back(std::move(hole));
  }
  return out;
}

Expr symbol_expr(std::string_view word) { return expr(Expr::Kind::path, std::string(word)); }
Expr boolean_expr(bool value) { return expr(Expr::Kind::boolean, value ? "true" : "false"); }
Expr quantity_expr(std::string spelling) { return expr(Expr::Kind::quantity, std::move(spelling)); }

Expr number_expr(std::int64_t number) {
  std::string digits = std::to_string(number);
  if (number >= 0) return expr(Expr::Kind::number, std::move(digits));
  return operation_expr(ast::Op::negate, {expr(Expr::Kind::number, digits.substr(1))});
}

Expr list_expr(std::vector<Expr> elements) {
  Expr out = expr(Expr::Kind::list, {});
  out.operands = std::move(elements);
  return out;
}

Expr operation_expr(ast::Op op, std::vector<Expr> operands) {
  Expr out = expr(Expr::Kind::operation, {});
  out.op = op;
  out.operands = std::move(operands);
  return out;
}

Expr name_expr(const std::string& name) { return syntax::is_word(name) ? symbol_expr(name) : text_expr(name); }

Expr scalar_expr(const std::string& text) { return is_number(text) ? expr(Expr::Kind::number, text) : text_expr(text); }

Expr fact_expr(const model::FactValue& value) {
  if (const bool* b = std::get_if<bool>(&value)) return boolean_expr(*b);
  if (const std::int64_t* i = std::get_if<std::int64_t>(&value)) return number_expr(*i);
  return name_expr(std::get<std::string>(value));
}

BlockWriter::BlockWriter(const BlockSchema& schema, const std::string& label, Span span, Diagnostics& diagnostics)
    : schema_(&schema), diagnostics_(&diagnostics) {
  block_.kind.text = schema.name;
  if (!label.empty() && holds(label, schema.name, span)) block_.label = name_of(label);
}

bool BlockWriter::holds(std::string_view bytes, std::string_view what, Span span) const {
  if (syntax::fits_text(bytes)) return true;
  diagnostics_->add(Code::not_text, span, "`" + std::string(what) + "` is not valid UTF-8 or contains a NUL byte")
      .notes.push_back("convert the input to UTF-8 first");
  return false;
}

void BlockWriter::put(std::string_view key, Expr value) {
  const bool open = schema_->extras.any_key;
  if (!open && schema_->key(key) == nullptr)
    throw std::logic_error(std::string(schema_->name) + " has no key " + std::string(key));
  if (holds(key, schema_->name, {})) block_.items.push_back({ast::Setting{key_of(std::string(key)), std::move(value)}});
}

void BlockWriter::text(std::string_view key, const std::string& value, Span span) {
  if (holds(value, key, span)) put(key, text_expr(value));
}

void BlockWriter::text(std::string_view key, const model::Text& value, Span span) {
  if (holds(value.bytes, key, span)) put(key, text_expr(value));
}

void BlockWriter::text(std::string_view key, const model::Optional<std::string>& value) {
  if (value) text(key, value->value, value->span);
}

void BlockWriter::texts(std::string_view key, const std::vector<model::Located<std::string>>& values) {
  std::vector<Expr> list;
  for (const auto& v : values)
    if (holds(v.value, key, v.span)) list.push_back(text_expr(v.value));
  if (!values.empty()) put(key, list_expr(std::move(list)));
}

void BlockWriter::texts(std::string_view key, const std::vector<model::Located<model::Text>>& values) {
  std::vector<Expr> list;
  for (const auto& v : values)
    if (holds(v.value.bytes, key, v.span)) list.push_back(text_expr(v.value));
  if (!values.empty()) put(key, list_expr(std::move(list)));
}

void BlockWriter::name(std::string_view key, const model::Optional<std::string>& value) {
  if (value && holds(value->value, key, value->span)) put(key, name_expr(value->value));
}

void BlockWriter::names(std::string_view key, const std::vector<model::Located<std::string>>& values) {
  std::vector<Expr> list;
  for (const auto& v : values)
    if (holds(v.value, key, v.span)) list.push_back(name_expr(v.value));
  if (list.size() == 1) put(key, std::move(list.front()));
  else if (!values.empty()) put(key, list_expr(std::move(list)));
}

void BlockWriter::integer(std::string_view key, const model::Optional<std::int64_t>& value) {
  if (value) put(key, number_expr(value->value));
}

void BlockWriter::flag(std::string_view key, bool value, bool fallback) {
  if (value != fallback) put(key, boolean_expr(value));
}

void BlockWriter::flag(std::string_view key, const model::Optional<bool>& value) {
  if (value) put(key, boolean_expr(value->value));
}

void BlockWriter::script(std::string_view key, const model::Script& value, Span span) {
  if (!holds(value.bytes, key, span)) return;
  const bool heredoc = syntax::fits_heredoc(value.bytes);
  Expr out = expr(heredoc ? Expr::Kind::heredoc : Expr::Kind::call, heredoc ? value.bytes : value.interpreter);
  if (heredoc) out.tag = value.interpreter;
  else out.operands = lines(value.bytes);
  put(key, std::move(out));
}

void BlockWriter::document(std::string_view key, const std::string& value, Span span) {
  if (!holds(value, key, span)) return;
  if (value.find('\n') == std::string::npos || !syntax::fits_heredoc(value)) return put(key, text_expr(value));
  Expr out = expr(Expr::Kind::heredoc, value);
  out.tag = "yaml";
  put(key, std::move(out));
}

void BlockWriter::document(std::string_view key, const model::Optional<std::string>& value) {
  if (value) document(key, value->value, value->span);
}

void BlockWriter::script(std::string_view key, const model::Optional<model::Script>& value) {
  if (value) script(key, value->value, value->span);
}

BlockWriter BlockWriter::begin(std::string_view kind, const std::string& label, Span span) const {
  const BlockSchema* inner = schema_->block(kind);
  if (inner == nullptr) throw std::logic_error(std::string(schema_->name) + " has no block " + std::string(kind));
  return BlockWriter(*inner, label, span, *diagnostics_);
}

void BlockWriter::end(BlockWriter inner) { block_.items.push_back({inner.take()}); }

}  // namespace muster::sema
