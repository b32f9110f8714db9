// Trees without places. Inside compiler/twin only.
#pragma once

#include "compiler/syntax/ast.h"

namespace muster::twin {

// The formatter spells what has a place as its file does; what came from a document it has to spell anew.
ast::Expr without_places(ast::Expr expr);
void drop_places(ast::File& file);

}  // namespace muster::twin
