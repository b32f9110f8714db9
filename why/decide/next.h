// What would show more of a workload of Kubernetes than the facts do.
#pragma once

#include <set>
#include <string>

#include "why/decide/case.h"
#include "why/facts.h"

namespace muster::why {

// Sets `next.space`, the namespace of what the facts are about; `next.owner`, "job train", where its pods are described
// and it is not; `next.pods` where no pod is described.
void add_next(const Facts& facts, const std::set<std::string>& focus, Case& out);

}  // namespace muster::why
