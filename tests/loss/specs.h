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

// How many values for keys the generator has.
std::size_t values_count();

// The text of a workload `w`, and of another that it may name. The index goes through all values, again and again; the
// shape and what is set besides is left to chance.
std::string random_spec(property::Random& random, std::size_t index);

}  // namespace muster::loss
