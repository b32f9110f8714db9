// The parts of a job of several roles or replicas, and their places among its nodes.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"
#include "targets/batch/sections.h"

namespace muster::targets::batch {

struct PartOf {
  const plan::RolePlan* shape;
  bool one_step = false;   // all copies are tasks of one step, a node each
  std::int64_t first = 0;  // node of the whole job, in a plain one
  std::size_t group = 0;   // of the roles on the same nodes; component, in a heterogeneous one
  std::int64_t place = 0;  // in its group
};

// In the order of the roles, those on the same nodes together.
std::vector<PartOf> parts_of(const Job& job);
// What the roles on its nodes ask for together.
const plan::RolePlan& group_of(const Job& job, const PartOf& part);
// The job as the part sees it.
Job job_of(const Job& whole, const PartOf& part);
// The nodes of a role in the script, and the first one of the part.
std::string list_of(const Job& job, const std::string& role);
std::string address_of(const Job& job, const PartOf& part);
// Refuses roles on the same nodes: all, and those that cannot divide them.
void refuse_shared(Job& job, const std::vector<PartOf>& parts);
void refuse_undivided(Job& job, const std::vector<PartOf>& parts);

}  // namespace muster::targets::batch
