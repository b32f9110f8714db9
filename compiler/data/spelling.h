// Where the bytes of a scalar's value are in its spelling.
#pragma once

#include "compiler/base/spelling.h"
#include "compiler/data/tree.h"

namespace muster::data {

// Of a text of YAML or JSON, in any of their styles. Without pieces where its spelling cannot be followed to the end:
// `\u` escapes, the name of an alias. Linear in the size of the scalar.
Spelling spelling_of(const Sources& sources, const Node& scalar);

}  // namespace muster::data
