// Kueue's quotas as flavors, cohorts and tenants of a site. Inside targets/kubernetes only.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/model/site.h"
#include "targets/kubernetes/read/cluster.h"
#include "targets/site_import/left_out.h"
#include "targets/site_import/machines.h"

namespace muster::targets::kubernetes {

// A queue of the site that leads to a ClusterQueue, for the workloads of a namespace.
struct QueueUse {
  std::string name_space, label, cluster_queue;
};

struct ImportedQuotas {
  std::vector<model::Flavor> flavors;  // those of several pools; one of a single pool has the pool's name
  std::vector<model::Cohort> cohorts;
  std::vector<model::Tenant> tenants;
  std::vector<std::pair<std::string, std::string>> remarks;  // below the site: "tenant ml", text
};

// A namespace is a tenant of each ClusterQueue that its queues lead to. A ClusterQueue that several namespaces share,
// or none uses, is a cohort: its quota is of all of them. `pools_of`: the pools of each flavor. A tenant whose queues
// are fewer than those of the site names them.
ImportedQuotas import_quotas(const ClusterObjects& objects, const model::Fleet* fleet,
                             const std::map<std::string, std::set<std::string>>& pools_of,
                             const std::vector<QueueUse>& uses, std::size_t queues_of_site, LeftOut& left_out,
                             Diagnostics& diagnostics);

}  // namespace muster::targets::kubernetes
