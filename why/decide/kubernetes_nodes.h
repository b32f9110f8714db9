// What FailedScheduling says, and what the nodes of Kubernetes have and give away.
#pragma once

#include <string_view>

#include "why/decide/case.h"
#include "why/facts.h"

namespace muster::why {

// "0/5 nodes are available: 1 Insufficient nvidia.com/gpu, 4 node(s) had untolerated taint(s). … preemption: …": sets
// `sched.*`.
void add_scheduling(std::string_view message, Place place, Case& out);
// Sets `nodes.not-ready`, how many are shown to be so.
void add_not_ready(const Facts& facts, Case& out);
// Of the resource that `sched.*` or the gang is short of: sets `nodes.*`, of the nodes that the pod may have, and
// `sched.main` where reasons differ from node to node and the nodes tell which is the pod's. `pod`: whose tolerations
// and selectors count; nullptr: they are not known.
void add_nodes(const Facts& facts, std::string_view resource, const Object* pod, Case& out);
// An amount of Kubernetes: "16Gi" of memory in MiB, "4" or "4000m" CPUs in whole ones, others as they are.
std::optional<std::int64_t> amount_of(std::string_view resource, std::string_view text);

}  // namespace muster::why
