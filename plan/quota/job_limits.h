// Limits of one job, and of how many a user runs: those of a queue, and of a tenant's accounts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/model/site.h"
#include "compiler/model/workload.h"
#include "plan/plan.h"
#include "plan/quota/amounts.h"

namespace muster::plan {

// What a job of these amounts is over, each limit a level: refused, or unknown where the job counts less on other nodes
// that the scheduler may choose (`least`, see least_of_job).
std::vector<Level> over_limits(const model::Queue& queue, const Amounts& job, const Amounts& least);
std::vector<Level> over_limits(const model::Tenant& tenant, const Amounts& job, const Amounts& least);

// The jobs of so many units to a batch system: each replica or point that starts by itself is one, a gang is one.
std::int64_t jobs_of(const model::Workload& workload, std::int64_t units);

// Whether so many units are, with the jobs of others, more than the queue runs of one user at a time.
std::optional<Certificate> over_jobs(const model::Queue& queue, const model::Workload& workload,
                                     const model::Plane& plane, std::int64_t units, std::int64_t others = 0);

}  // namespace muster::plan
