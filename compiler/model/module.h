// All that a set of files declares.
#pragma once

#include <vector>

#include "compiler/model/fleet.h"
#include "compiler/model/policy.h"
#include "compiler/model/site.h"
#include "compiler/model/workload.h"

namespace muster::model {

struct Module {
  std::vector<Workload> workloads;
  std::vector<Fleet> fleets;
  std::vector<Site> sites;
  std::vector<Policy> policies;
  std::vector<Case> cases;
};

}  // namespace muster::model
