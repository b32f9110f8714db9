// What `muster fmt` does to one file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"
#include "compiler/syntax/ast.h"

namespace muster::sema {

// Writes `_` in the keys and kinds of blocks as `-`, where the schema reads them as the same: not in
// blocks that take any key (env, labels, facts), not in what the schema does not know.
void canonical_keys(ast::File& file);

// The file in the one style. nullopt: it has syntax errors, or (E0806, our fault) the proof failed that
// the result has the same tree and the same comments and stays as it is when it is formatted again.
std::optional<std::string> reformat(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics);

}  // namespace muster::sema
