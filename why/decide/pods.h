// Pods and events of Kubernetes by their names and ages.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "why/facts.h"

namespace muster::why {

// The pod that an event is about; "" for another object.
std::string_view pod_of(const Object& event);
// The set that a pod belongs to by its name: "train" of "train-0-x7k2p", "run-a" of "run-a-workers-0-1-jlnbl".
std::string set_of(std::string_view pod);
// Whether event `a` is at least as new as `b`, where that is known.
bool is_as_new(const Object& a, const Object& b);
// The accelerator that pods, jobs and workloads ask for, as its vendor names it: "nvidia.com/gpu"; "" where the facts
// show none.
std::string accelerator_asked(const Facts& facts);

struct Condition {
  std::string status, reason, message;
  Place place;
};
// The condition of a type; the newest of several that are the same. nullopt: the object has none.
std::optional<Condition> condition_of(const Object& object, std::string_view type);

}  // namespace muster::why
