// One value that is in no muster file: an option of the command line, a cell of a matrix.
#pragma once

#include <optional>
#include <string_view>

#include "compiler/base/source.h"
#include "compiler/syntax/ast.h"

namespace muster::syntax {

// Reads `16`, `48h`, `bf16`, `["a", "b"]` as the language would; every part of it gets `place`. nullopt where
// the text is not a value.
std::optional<ast::Expr> parse_value(std::string_view text, Span place);

}  // namespace muster::syntax
