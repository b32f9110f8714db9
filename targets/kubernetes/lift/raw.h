// What no key took, in the form of the object. Inside targets/kubernetes/lift only.
#pragma once

#include "targets/kubernetes/lift/lift.h"
#include "targets/kubernetes/lift/object_lift.h"

namespace muster::targets::kubernetes::lifting {

// Without what only the reader knows: anchors and aliases.
Node plain_copy(const Node& node);
// Adds a line for each part that is left: it goes into a `target` block.
LiftState what_is_left(ObjectLift& lift);
// The object of the imported kind in what a target wrote; nothing without one.
Node written_object(const std::string& written, const Imported& imported);

}  // namespace muster::targets::kubernetes::lifting
