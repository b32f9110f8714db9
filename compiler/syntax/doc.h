// Doc comments: what is directly above a declaration, or behind it on its line.
#pragma once

#include <string>

#include "compiler/base/source.h"
#include "compiler/syntax/ast.h"

namespace muster::syntax {

// The text of the comment lines directly above `declared`, without `#`, joined by blanks; else of the comment
// that follows on its line. "" if there is none.
std::string doc_of(const ast::File& file, const Sources& sources, Span declared);

}  // namespace muster::syntax
