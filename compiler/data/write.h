// Documents to text. Deterministic; what is written reads back as the same tree.
#pragma once

#include <string>

#include "compiler/data/tree.h"

namespace muster::data {

// Two spaces a level; a list of scalars is on one line where it fits. Numbers and words as spelt.
std::string to_json(const Node& root);

// In block style. Texts are without quotes where every YAML reader takes them for texts (`no`, `010` and
// `1:30` are quoted), and texts of several lines as they are, after `|`. A value's comment is above it.
// Maps with an anchor are written with it, and their copies as the alias.
std::string to_yaml(const Node& root);

}  // namespace muster::data
