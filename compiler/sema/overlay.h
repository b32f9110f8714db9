// One block over another: what a role or an option does not say, it has from the workload. Inside compiler/sema only.
#pragma once

#include "compiler/sema/schema.h"
#include "compiler/syntax/ast.h"

namespace muster::sema {

// `top` with those items of `base` that `schema` takes and `top` does not say itself; places stay. A key
// and its short form, `software = …` and `software { … }`, `command` and `script` replace each other;
// blocks without a name are laid over each other key by key; conditions add up.
ast::Block overlay(const ast::Block& base, const ast::Block& top, const BlockSchema& schema);

}  // namespace muster::sema
