// The limits of a Slurm cluster: those of a QOS to queues, accounts to tenants with quotas. Inside
// targets/slurm only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/model/fleet.h"
#include "compiler/model/site.h"
#include "targets/site_import/left_out.h"
#include "targets/slurm/read/cluster.h"

namespace muster::targets::slurm {

// Sets the QOS of a queue, if its partition takes only one, and the tightest of its limits. Returns
// remarks about the queue.
std::vector<std::string> add_limits(const Cluster& cluster, const PartitionRecord& partition, model::Queue& queue);

// Why no job may run in the partition, where a limit of it or of its QOS is 0; "": jobs may.
std::string why_closed(const Cluster& cluster, const PartitionRecord& partition);

// Settings of QOS that no queue holds, all of those that no partition names.
void leave_out_qos(const Cluster& cluster, LeftOut& left_out);

struct TenantRecord {
  model::Tenant tenant;
  std::vector<std::string> remarks;
};

// One tenant an account, with what it may have at most of each pool: a limit of the account or of one
// above it. Without associations the accounts that partitions name. `own` is the cluster whose rows count.
std::vector<TenantRecord> tenants_of(const Cluster& cluster, const std::vector<model::Queue>& queues,
                                     const model::Fleet* fleet, std::string_view own, LeftOut& left_out);

}  // namespace muster::targets::slurm
