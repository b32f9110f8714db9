// What several sites say of the same workloads, and which of them is the best.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/common_options.h"
#include "cli/decide_report.h"
#include "cli/emit.h"
#include "driver/session.h"
#include "plan/plan.h"
#include "targets/target.h"

namespace muster::cli {

struct SitesRequest {
  CommonOptions common;
  std::string profile;   // as of --profile
  std::string workload;  // only this one; "": all
  std::vector<std::string> sites;
  std::vector<std::pair<std::string, std::string>> overrides{};
  DecideAsk ask{};
  const targets::Target* only = nullptr;  // the one target that may be used; nullptr: any
};

// What one site said of one workload, in words: its session is gone when they are printed.
struct SiteAnswer {
  std::string workload, site, plane, target;
  std::string file;  // with the site
  plan::Verdict verdict = plan::Verdict::does_not_fit;
  bool writes = false;  // `compile` writes a file there
  std::string why;      // why it is not better
  std::string details;  // of --why, --why-not and --flip
  Json policy;          // and what these say, as JSON
};

// Adds an answer for each workload and site. nullopt: all are there; else reported, with the exit code.
std::optional<int> ask_sites(const SitesRequest& request, std::vector<SiteAnswer>& answers);

// 0: it fits there; 1: that is not known; 2: it cannot be written; 3: it does not fit.
int rank_of(const SiteAnswer& answer);

// Those of one workload, the best first; of equals as they were given.
std::vector<const SiteAnswer*> ranked(const std::vector<SiteAnswer>& answers, const std::string& workload);

// The first in the ranking for all workloads together, and why each other one lost: "small: needs …".
struct BestSite {
  std::string site, file;
  std::vector<std::string> others{};
};
BestSite best_site(const std::vector<SiteAnswer>& answers);

}  // namespace muster::cli
