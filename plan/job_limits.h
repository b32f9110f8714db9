// Limits of one job: those of a queue, and of a tenant's accounts.
#pragma once

#include <vector>

#include "compiler/model/site.h"
#include "plan/amounts.h"
#include "plan/plan.h"

namespace muster::plan {

// What a job of these amounts is over, each limit a level: refused, or unknown where the job counts less on other nodes
// that the scheduler may choose (`least`, see least_of_job).
std::vector<Level> over_limits(const model::Queue& queue, const Amounts& job, const Amounts& least);
std::vector<Level> over_limits(const model::Tenant& tenant, const Amounts& job, const Amounts& least);

}  // namespace muster::plan
