// A spec without one of its fields: what a lowering that dropped it would have been given.
#pragma once

#include <string>
#include <vector>

#include "compiler/syntax/ast.h"

namespace muster::loss {

// Takes out what stands at `where`; `whole`: with the block that it stands in. False: it is not there, or has no block.
bool take_out(std::vector<ast::File>& files, Span where, bool whole);

}  // namespace muster::loss
