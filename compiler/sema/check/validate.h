// What one value of a workload says of another: conflicts and needs. Inside compiler/sema only.
#pragma once

#include <optional>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/model/workload.h"

namespace muster::sema {

void validate_workload(const model::Workload& workload, Diagnostics& diagnostics);
// Replicas, ports, probes, secrets, the order of roles: part of the above, in a file of its own.
void validate_needs(const model::Workload& workload, Diagnostics& diagnostics);
// That run references name what the workload has: part of the above.
void validate_references(const model::Workload& workload, const model::Role& role, Diagnostics& diagnostics);
// That `depends-on` names workloads, and that they do not wait for each other in a circle.
void validate_order(const std::vector<model::Workload>& workloads, Diagnostics& diagnostics);

// Node to the nodes that it waits for.
using Graph = std::vector<std::vector<std::size_t>>;
// A node that waits for itself by way of others, or for one that does. Linear.
std::optional<std::size_t> find_cycle(const Graph& graph);

// A path that is absolute, without `..` and without control characters. Reports otherwise.
bool check_absolute(const model::Located<std::string>& path, std::string_view what, Diagnostics& diagnostics);
// The same for a relative path that stays below its folder.
bool check_relative(const model::Located<std::string>& path, std::string_view what, Diagnostics& diagnostics);

}  // namespace muster::sema
