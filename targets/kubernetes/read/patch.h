// Changes of objects as kustomize makes them: strategic merge patches, and JSON patches (RFC 6902). Each value keeps
// the place where it is written, in the file of the object or in that of the patch.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/data/tree.h"

namespace muster::targets::kubernetes {

// Whether a text holds patches of RFC 6902: a list of operations.
bool is_json_patch(const data::Node& root);

// Merges a patch into an object: maps are merged, null removes a key, and lists of Kubernetes' own kinds are merged by
// the key that they have there, where those of the patch come first; other lists are replaced, as all of a `custom`
// kind are. Returns why it cannot be merged; "": it was. `deleted`: the patch removes the whole object.
std::string merge_patch(data::Node& object, const data::Node& patch, bool custom, bool& deleted);

// Applies the operations in their order. Returns why one of them cannot be applied; then the object is not to be used.
std::string apply_json_patch(data::Node& object, const data::Node& operations);

// The number of values in a tree.
std::size_t count_values(const data::Node& root);

}  // namespace muster::targets::kubernetes
