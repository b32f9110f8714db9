// Who puts variables of its own into the pods of an object.
#pragma once

#include "targets/kubernetes/operator_names.h"
#include "targets/kubernetes/read/manifest.h"

namespace muster::targets::kubernetes {

// The kubelet, and the operator of the object's kind.
Givers givers_of(const Object& object);

}  // namespace muster::targets::kubernetes
