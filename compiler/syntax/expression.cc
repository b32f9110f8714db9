#include "compiler/syntax/expression.h"

#include <utility>

namespace muster::ast {

std::string spelling(const TypeName& type) {
  return type.element.empty() ? type.name.text : type.name.text + "(" + type.element + ")";
}

const char* spelling(Op op) {
  switch (op) {
    case Op::logical_or: return "or";
    case Op::logical_and: return "and";
    case Op::equal: return "==";
    case Op::not_equal: return "!=";
    case Op::at_most: return "<=";
    case Op::at_least: return ">=";
    case Op::less: return "<";
    case Op::greater: return ">";
    case Op::in: return "in";
    case Op::range: return "..";
    case Op::add: return "+";
    case Op::subtract: return "-";
    case Op::multiply: return "*";
    case Op::divide: return "/";
    case Op::logical_not: return "not";
    case Op::negate: return "-";
  }
  return "";
}

}  // namespace muster::ast

namespace muster::syntax {

using ast::Expr;
using ast::Op;

int level(Op op) {
  switch (op) {
    case Op::logical_or: return 1;
    case Op::logical_and: return 2;
    case Op::logical_not: return not_level;
    case Op::range: return 5;
    case Op::add:
    case Op::subtract: return 6;
    case Op::multiply:
    case Op::divide: return 7;
    case Op::negate: return negate_level;
    default: return compare_level;
  }
}

namespace {

Span join(Span a, Span b) { return {a.file, a.begin, b.end}; }

// Climbs over the flat list; its recursion is bounded by the number of levels and of prefixes,
// which the prescan limits.
class Climber {
 public:
  Climber(FlatExpression flat, Diagnostics& diagnostics) : flat_(std::move(flat)), diagnostics_(diagnostics) {}

  Expr climb(int minimum) {
    Expr left = operand();
    while (next_ < flat_.operators.size() && level(flat_.operators[next_].first) >= minimum) {
      const auto [op, span] = flat_.operators[next_++];
      Expr right = climb(level(op) + 1);
      if (level(op) == compare_level && next_ < flat_.operators.size() &&
          level(flat_.operators[next_].first) == compare_level)
        diagnostics_.add(Code::syntax, flat_.operators[next_].second, "comparisons cannot be chained",
                         "join two comparisons with `and`");
      left = combine(op, std::move(left), std::move(right));
    }
    return left;
  }

 private:
  static Expr combine(Op op, Expr left, Expr right) {
    const Span span = join(left.span, right.span);
    const bool flatten = op == Op::logical_or || op == Op::logical_and;
    if (flatten && left.kind == Expr::Kind::operation && left.op == op) {  // keeps long chains flat
      left.grouped = false;
      left.operands.push_back(std::move(right));
      left.span = span;
      return left;
    }
    Expr out;
    out.kind = Expr::Kind::operation;
    out.op = op;
    out.span = span;
    out.operands.push_back(std::move(left));
    out.operands.push_back(std::move(right));
    return out;
  }

  Expr operand() {
    Operand& current = flat_.operands[position_];
    if (prefix_ == current.prefixes.size()) {
      ++position_;
      prefix_ = 0;
      return std::move(current.primary);
    }
    const auto [op, span] = current.prefixes[prefix_++];
    Expr out;
    out.kind = Expr::Kind::operation;
    out.op = op;
    out.operands.push_back(climb(op == Op::logical_not ? not_level + 1 : negate_level));
    out.span = join(span, out.operands[0].span);
    return out;
  }

  FlatExpression flat_;
  Diagnostics& diagnostics_;
  std::size_t position_ = 0;  // operand
  std::size_t prefix_ = 0;    // of that operand
  std::size_t next_ = 0;      // operator
};

}  // namespace

ast::Expr build_expression(FlatExpression flat, Diagnostics& diagnostics) {
  if (flat.operators.empty() && flat.operands[0].prefixes.empty()) return std::move(flat.operands[0].primary);
  return Climber(std::move(flat), diagnostics).climb(0);
}

}  // namespace muster::syntax
