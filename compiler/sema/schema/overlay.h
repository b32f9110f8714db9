// A body laid over another: a workload over its template, a role or an option over its workload. Inside compiler/sema
// only.
#pragma once

#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/sema/schema/schema.h"
#include "compiler/syntax/ast.h"

namespace muster::sema {

// Settings of `over` replace those of `base`, or with `+=` add to its list; blocks of the same kind and
// label merge; require, prefer and assert add up. Short forms (`nodes` for resources.nodes) count as what
// they are short for.
std::vector<ast::Item> overlay(std::vector<ast::Item> base, std::vector<ast::Item> over, const BlockSchema& schema,
                               Diagnostics& diagnostics);

}  // namespace muster::sema
