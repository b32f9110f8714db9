// Edits of YAML text that keep everything else as it is: comments, order, indentation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/base/source.h"
#include "lint/finding.h"
#include "targets/kubernetes/read/field.h"

namespace muster::lint {

// Each is nullopt where the text cannot be edited exactly: flow style (`{…}`, JSON), an aliased value.

// Adds an entry at the end of a block map. `lines` are the entry's lines, the first at the map's own
// indentation, the others relative to it.
std::optional<Edit> add_to_map(const Sources& sources, const targets::kubernetes::Field& map,
                               const std::vector<std::string>& lines);
// Adds an item at the end of a block list: the lines of its value, without the dash.
std::optional<Edit> add_to_list(const Sources& sources, const targets::kubernetes::Field& list,
                                const std::vector<std::string>& lines);
// Deletes the lines of an entry of a block map that begins on a line of its own.
std::optional<Edit> remove_entry(const Sources& sources, const targets::kubernetes::Field& entry);

}  // namespace muster::lint
