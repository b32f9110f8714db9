// What a role or an option does not say, it has from its workload. Inside compiler/sema only.
#pragma once

#include "compiler/base/diagnostic.h"
#include "compiler/sema/schema/schema.h"
#include "compiler/syntax/ast.h"

namespace muster::sema {

// `own` over those items of `from` that `schema`, the schema of the result, takes; places stay.
// `software = …` and `software { … }` replace each other, and so do the forms of `code`.
ast::Block inherit(const ast::Block& from, const ast::Block& own, const BlockSchema& schema, Diagnostics& diagnostics);

// Takes out the blocks of a kind.
void without_blocks(ast::Block& block, std::string_view kind);

}  // namespace muster::sema
