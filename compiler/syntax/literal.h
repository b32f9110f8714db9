// What is inside a literal: escapes of a text, lines of a heredoc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"
#include "compiler/syntax/ast.h"

namespace muster::syntax {

// A "…" text with its quotes, at `span`: escapes decoded, every ${name} an operand of kind variable.
ast::Expr decode_text(std::string_view spelling, Span span, Diagnostics& diagnostics);

// The bytes of a heredoc: lines as read (with their ends), and the white space before `>>>`, which
// is removed from every line; blank lines are exempt. CR LF becomes LF.
std::string decode_heredoc(const std::vector<Span>& lines, std::string_view indent, const Sources& sources,
                           Diagnostics& diagnostics);

// The one spelling of a quantity's unit: `64Gi` is `64GiB`. What is not a quantity comes back as it is.
std::string canonical_quantity(std::string_view spelling);

}  // namespace muster::syntax
