// What the API server says to who creates an object of Kubernetes.
#pragma once

#include <optional>
#include <string_view>

#include "why/decide/scene.h"

namespace muster::why {

// Sets `create.*` and `service-account.*`.
void add_creation(std::string_view text, Place place, Case& out);
// What kubectl was refused: nothing of it is in the cluster, whatever else is. nullopt: it was not.
std::optional<Subject> refusal_of(const Facts& facts);

}  // namespace muster::why
