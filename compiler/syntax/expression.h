// Precedence: a flat list of operands and operators to a tree.
#pragma once

#include <utility>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/syntax/ast.h"

namespace muster::syntax {

// `not`, `-` and a primary; prefixes in the order written.
struct Operand {
  std::vector<std::pair<ast::Op, Span>> prefixes;
  ast::Expr primary;
};

struct FlatExpression {
  std::vector<Operand> operands;
  std::vector<std::pair<ast::Op, Span>> operators;  // one fewer than operands
};

// Binding strength; `not` is between `and` and the comparisons.
constexpr int not_level = 3, compare_level = 4, negate_level = 8;
int level(ast::Op op);

// At most max_operators signs (parse.h). Loose to tight: or · and · not · comparisons and in (not chained) · .. · + - ·
// * / · unary -.
ast::Expr build_expression(FlatExpression flat, Diagnostics& diagnostics);

}  // namespace muster::syntax
