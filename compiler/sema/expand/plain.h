// Whether a tree holds values alone, so that nothing is to be expanded. Inside compiler/sema only.
#pragma once

#include "compiler/syntax/ast.h"

namespace muster::sema {

// No `if`, `when`, `from`, `assert` or built-in in it. A variable can only be an axis, where the file declares
// nothing that it could stand for, and those are the checker's.
bool is_plain(const ast::Block& block);

}  // namespace muster::sema
