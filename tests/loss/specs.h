// Workloads from a seed: shapes of work, and on them keys of the schema with values that are not their defaults.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/property/random.h"

namespace muster::loss {

// Every key of the schema of a workload, its open blocks included: "resources.nodes", "mount.path", "env.*",
// "role.primary". A key of a role or of an option of `any-of` is that of the workload.
std::vector<std::string> schema_keys();

// The same of a path as a workload wrote it: "role.learn.mount.data.path" is mount.path.
std::string key_of(std::string_view written);

// The keys for which the generator has a value.
std::vector<std::string> known_keys();

// The text of a workload `w`, and of others that it names. `wanted`: a key that it has to set where a shape takes it;
// "" leaves all to chance.
std::string random_spec(property::Random& random, std::string_view wanted);

}  // namespace muster::loss
