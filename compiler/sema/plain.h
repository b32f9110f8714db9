// Whether a tree holds values alone, so that nothing is to be expanded. Inside compiler/sema only.
#pragma once

#include "compiler/syntax/ast.h"

namespace muster::sema {

// No variable, `if`, `when`, `from`, `assert` or built-in in it.
bool is_plain(const ast::Block& block);

}  // namespace muster::sema
