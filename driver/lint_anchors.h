// What a muster file suppresses, by where it stands: comments, `allow` blocks, annotations in `target` blocks.
#pragma once

#include <vector>

#include "compiler/base/source.h"
#include "compiler/syntax/ast.h"
#include "lint/suppress.h"

namespace muster::driver {

// Each suppression of a file with its anchor: the blocks around it by kind and name, and of a comment its line. One
// whose end is computed has the text of it in the anchor; an `object` that is computed may hold an annotation for any
// rule, and has no anchor.
std::vector<lint::Suppression> anchored(const ast::File& file, const Sources& sources);

// Does to the suppressions of a run what mark_proposed has done to those of one of its files.
void mark_as(const std::vector<lint::Suppression>& marked, std::vector<lint::Suppression>& items);

}  // namespace muster::driver
