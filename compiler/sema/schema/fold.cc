#include <charconv>
#include <limits>

#include "compiler/base/units.h"
#include "compiler/sema/schema/reader.h"

namespace muster::sema {
namespace {

// One multiplication of two 64-bit amounts fits.
__extension__ using Wide = __int128;

using ast::Expr;
using ast::Op;

// A literal as one integer and what it counts (index into Quantity, or -1 for a plain number).
struct Amount {
  std::int64_t value = 0;
  int unit = -1;
};

std::optional<Amount> amount(const Expr& expr) {
  if (expr.kind == Expr::Kind::number) {
    Amount out;
    const auto [end, error] = std::from_chars(expr.text.data(), expr.text.data() + expr.text.size(), out.value);
    if (error != std::errc() || end != expr.text.data() + expr.text.size()) return std::nullopt;
    return out;
  }
  if (expr.kind != Expr::Kind::quantity) return std::nullopt;
  const auto parsed = parse_quantity(expr.text);
  const auto* quantity = std::get_if<Quantity>(&parsed);
  if (quantity == nullptr) return std::nullopt;
  Amount out;
  out.unit = static_cast<int>(quantity->index());
  switch (quantity->index()) {
    case 0: out.value = std::get<Size>(*quantity).bytes; break;
    case 1: out.value = std::get<Duration>(*quantity).ms; break;
    case 2: out.value = std::get<Rate>(*quantity).bits_per_second; break;
    default: out.value = std::get<Percent>(*quantity).millis; break;
  }
  return out;
}

std::string print(const Amount& a) {
  switch (a.unit) {
    case 0: return to_string(Size{a.value});
    case 1: return to_string(Duration{a.value});
    case 2: return to_string(Rate{a.value});
    case 3: return to_string(Percent{a.value});
    default: return std::to_string(a.value);
  }
}

// Whether a quotient makes sense: of numbers, of quantities of one kind, of a quantity and a number.
bool divides(const Amount& a, const Amount& b) {
  return b.value != 0 && (b.value != -1 || a.value != std::numeric_limits<std::int64_t>::min()) &&
         (b.unit < 0 || b.unit == a.unit);
}

// nullopt where the operation makes no sense: a time times a size, a division with a rest.
std::optional<Amount> apply(Op op, const Amount& a, const Amount& b) {
  Wide value = 0;
  int unit = a.unit;
  switch (op) {
    case Op::add:
    case Op::subtract:
      if (a.unit != b.unit) return std::nullopt;
      value = static_cast<Wide>(a.value) + (op == Op::add ? b.value : -static_cast<Wide>(b.value));
      break;
    case Op::multiply:
      if (a.unit >= 0 && b.unit >= 0) return std::nullopt;
      unit = a.unit >= 0 ? a.unit : b.unit;
      value = static_cast<Wide>(a.value) * b.value;
      break;
    case Op::divide:
      if (!divides(a, b) || a.value % b.value != 0) return std::nullopt;
      unit = b.unit >= 0 ? -1 : a.unit;
      value = a.value / b.value;
      break;
    default: return std::nullopt;
  }
  constexpr Wide limit = std::numeric_limits<std::int64_t>::max() / 4;
  if (value > limit || value < -limit) return std::nullopt;
  return Amount{static_cast<std::int64_t>(value), unit};
}

Expr literal(const Amount& a, Span span) {
  Expr out;
  out.kind = a.unit >= 0 ? Expr::Kind::quantity : Expr::Kind::number;
  out.text = print(a);
  out.span = span;
  return out;
}

}  // namespace

ast::Expr fold(const ast::Expr& expr, Diagnostics& diagnostics) {
  if (expr.kind != Expr::Kind::operation) return expr;
  if (expr.op == Op::negate) {
    const Expr inner = fold(expr.operands[0], diagnostics);
    const auto a = amount(inner);
    if (a) return literal({-a->value, a->unit}, expr.span);
    Expr out = expr;
    if (inner.kind == Expr::Kind::number) out = inner, out.text.insert(0, "-"), out.span = expr.span;
    return out;
  }
  const bool arithmetic =
      expr.op == Op::add || expr.op == Op::subtract || expr.op == Op::multiply || expr.op == Op::divide;
  if (!arithmetic) return expr;
  const Expr left = fold(expr.operands[0], diagnostics), right = fold(expr.operands[1], diagnostics);
  const auto a = amount(left), b = amount(right);
  if (a && b)
    if (const auto result = apply(expr.op, *a, *b)) return literal(*result, expr.span);
  const bool whole = a && b && expr.op == Op::divide && divides(*a, *b) && (a->unit < 0 || b->unit >= 0);
  if (whole)
    diagnostics.add(Code::wrong_type, expr.span, "`" + left.text + " / " + right.text + "` is not a whole number",
                    "write `floor(…)` or `ceil(…)` around it");
  else
    diagnostics.add(
        Code::wrong_type, expr.span,
        "`" + std::string(ast::spelling(expr.op)) + "` cannot combine " + describe(left) + " and " + describe(right),
        "expected whole numbers, or a quantity and a whole number");
  return literal({0, a ? a->unit : -1}, expr.span);
}

std::optional<ast::Expr> rounded_quotient(const ast::Expr& left, const ast::Expr& right, bool up, Span span) {
  const auto a = amount(left), b = amount(right);
  if (!a || !b || !divides(*a, *b) || (a->unit >= 0 && b->unit < 0)) return std::nullopt;
  std::int64_t quotient = a->value / b->value;
  const bool rest = a->value % b->value != 0, below_zero = (a->value < 0) != (b->value < 0);
  if (rest && up != below_zero) quotient += up ? 1 : -1;
  return literal({quotient, -1}, span);
}

std::string describe(const ast::Expr& expr) {
  switch (expr.kind) {
    case Expr::Kind::number: return "the number `" + expr.text + "`";
    case Expr::Kind::quantity: {
      const auto parsed = parse_quantity(expr.text);
      const auto* quantity = std::get_if<Quantity>(&parsed);
      return (quantity != nullptr ? std::string(noun(*quantity)) : std::string("a quantity")) + " `" + expr.text + "`";
    }
    case Expr::Kind::text: return "a string";
    case Expr::Kind::boolean: return "`" + expr.text + "`";
    case Expr::Kind::variable: return "`$" + expr.text + "`";
    case Expr::Kind::path: return (expr.is_symbol() ? "the symbol `" : "the fact `") + expr.text + "`";
    case Expr::Kind::ratio: return "`" + expr.text + ":" + expr.tag + "`";
    case Expr::Kind::heredoc: return "a heredoc";
    case Expr::Kind::list: return "a list";
    case Expr::Kind::call: return "a call of `" + expr.text + "`";
    case Expr::Kind::choice: return "an `if`";
    case Expr::Kind::operation: return expr.op == Op::range ? "a range" : "an expression";
  }
  return "an expression";
}

}  // namespace muster::sema
