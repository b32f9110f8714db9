// Who puts variables of its own into the pods of an object.
#pragma once

#include "targets/kubernetes/operator_names.h"
#include "targets/kubernetes/read/manifest.h"

namespace muster::targets::kubernetes {

// The kubelet, and the operator of the object's kind.
Givers givers_of(const Object& object);

// The variables that the operator sets in the pods as the object and the runtime beside it are: a Job only has an index
// where it is Indexed, a Job of Volcano what its plugins set. Empty where a runtime that is not in the file decides.
std::vector<const OperatorName*> variables_set(const Object& object, const Manifest& manifest);

}  // namespace muster::targets::kubernetes
