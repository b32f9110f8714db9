// How many pods of an object are up at a time and what each of them holds: the one count of a manifest.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "targets/kubernetes/read/manifest.h"

namespace muster::targets::kubernetes {

// The objects that an autoscaler of the file chooses the pods of.
using Scaled = std::set<const Object*>;
Scaled scaled_objects(const Manifest& manifest);

// The pods that are up at a time, a number a template; nullopt where an autoscaler, each node or a later value decides.
std::vector<std::optional<std::int64_t>> pods_up(const Object& object, const Scaled& scaled);

// What a container that requests nothing of a resource holds: nothing, or what is not known.
enum class Unrequested : std::uint8_t { is_unknown, is_nothing };

// The most of a resource ("": of GPUs; others in thousandths) that the containers of a pod hold at a time: the sum of
// those that run together, or one that runs before them. What is claimed from a driver (`resourceClaims`), parts of
// GPUs and numbers that are filled in later are not known.
std::optional<std::int64_t> held(const PodTemplate& pods, std::string_view resource,
                                 Unrequested unrequested = Unrequested::is_unknown);

// The GPUs of one container; nullopt: parts of GPUs, those of other vendors, a number that is filled in later.
std::optional<std::int64_t> gpus_held(const Container& container);

}  // namespace muster::targets::kubernetes
