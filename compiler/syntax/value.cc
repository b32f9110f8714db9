#include "compiler/syntax/value.h"

#include <algorithm>
#include <string>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/base/units.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/parse.h"

namespace muster::syntax {
namespace {

using Kind = ast::Expr::Kind;

// Most values are one word, and a matrix has many: the parser is asked about the others only.
std::optional<Kind> kind_of_word(std::string_view text) {
  if (text == "true" || text == "false") return Kind::boolean;
  if (is_word(text)) return Kind::path;
  if (all_digits(text)) return Kind::number;
  const bool plain = !text.empty() && is_digit(text[0]) && text.find_first_of(" \t_") == std::string_view::npos;
  if (plain && std::holds_alternative<Quantity>(parse_quantity(text))) return Kind::quantity;
  return std::nullopt;
}

void move_to(ast::Expr& expr, Span place) {
  expr.span = place;
  for (ast::Expr& operand : expr.operands) move_to(operand, place);
}

}  // namespace

std::optional<ast::Expr> parse_value(std::string_view text, Span place) {
  ast::Expr out;
  if (const auto kind = kind_of_word(text)) {
    out.kind = *kind;
    out.text = text;
    out.span = place;
    return out;
  }
  Sources sources;
  Diagnostics diagnostics;
  auto file = parse(sources, sources.add("value", "let value = " + std::string(text) + "\n"), diagnostics);
  if (!file || file->bindings.size() != 1 || !file->blocks.empty() || !file->templates.empty() ||
      !file->parameters.empty() || !file->imports.empty() || !file->comments.empty())
    return std::nullopt;
  out = std::move(file->bindings[0].value);
  move_to(out, place);
  return out;
}

}  // namespace muster::syntax
