// What the API server says to who creates an object of Kubernetes.
#pragma once

#include <string_view>
#include <vector>

#include "why/decide/scene.h"

namespace muster::why {

// Sets `create.*` and `service-account.*`.
void add_creation(std::string_view text, Place place, Case& out);
// What kubectl was refused: nothing of it is in the cluster, whatever else is.
std::vector<Subject> refused_objects(const Facts& facts);

}  // namespace muster::why
