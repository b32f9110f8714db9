// Limits of accounts and their users, beside those of a queue and of quotas.
#pragma once

#include <cstdint>
#include <optional>

#include "plan/plan.h"

namespace muster::plan {

// Jobs that others of the files have at the same time.
struct JobsBefore {
  std::int64_t of_tenant = 0;
  std::int64_t of_account_in_queue = 0;
};

// The limit of the tenant's accounts, or of an account in the queue, that so many units of the workload are over;
// nullopt: none. Whoever submits the files is one user.
std::optional<Certificate> over_account(const model::Tenant* tenant, const model::Queue* queue,
                                        const model::Workload& workload, const model::Plane& plane, std::int64_t units,
                                        JobsBefore before = {});

// Adds it to the level of policy, where something refuses already as a remark. `placed`: its first role.
void hold_to_account(const model::Tenant* tenant, const model::Queue* queue, const model::Workload& workload,
                     const model::Plane& plane, const RolePlan& placed, Fit& fit);

// Of an urgent workload that must wait: whether a preemption makes room for it is not known.
void note_preemption(const model::Workload& workload, Fit& fit);

}  // namespace muster::plan
