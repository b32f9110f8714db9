// What a queue of pods says: workloads of Kueue, gangs of Volcano.
#pragma once

#include <set>
#include <string>

#include "why/decide/case.h"
#include "why/facts.h"

namespace muster::why {

// Sets `workload.*`, `queue.*`, `cq.*`, `head.*`, `job.suspended`, `owner.queue` and their like. `focus`: the names of
// what the facts are about.
void add_queue(const Facts& facts, const std::set<std::string>& focus, Case& out);
// Sets `gang.*` and `vqueue.*`; `resource`: what the nodes are asked for.
void add_gang(const Facts& facts, const std::string& resource, Case& out);

}  // namespace muster::why
