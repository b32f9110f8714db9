// `sweep.points` of an assertion. Inside compiler/sema only.
#pragma once

#include <cstdint>

#include "compiler/syntax/ast.h"

namespace muster::sema {

// Points of the sweep of a block of values; 1 without one. Saturates at a million: the checker reports what is
// too many.
std::int64_t points_of(const ast::Block& block);

// The expression with `sweep.points` filled in.
ast::Expr with_points(ast::Expr expr, std::int64_t points);

}  // namespace muster::sema
