// Several sites asked about the same workloads, and ranked.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/common_options.h"
#include "cli/decide_report.h"
#include "driver/session.h"

namespace muster::cli {

struct SitesRequest {
  CommonOptions common;
  std::string profile;   // as of --profile
  std::string workload;  // only this one; "": all
  std::string format;    // text, json or markdown
  std::vector<std::string> sites;
  std::vector<std::pair<std::string, std::string>> overrides;
  DecideAsk ask;
};

// For each workload the sites in order: where the gang fits, where that is not known, where it does not; of equals as
// they were given. Each site that lost says why; what `ask` names is said of every site that could decide. Exit code 1 if no site takes some workload.
int decide_sites(const SitesRequest& request);

}  // namespace muster::cli
