// Several sites asked about the same workloads, and ranked.
#pragma once

#include "cli/site_ranking.h"

namespace muster::cli {

// For each workload the sites in order: where the gang fits, where that is not known, where it does not; of equals as
// they were given. Each site that lost says why; what `ask` names is said of every site that could decide. Exit code 1
// if no site takes some workload.
int decide_sites(const SitesRequest& request);

}  // namespace muster::cli
