// The facts a decision is made on, each with where its value came from.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/model/fleet.h"
#include "compiler/model/policy.h"
#include "compiler/model/site.h"
#include "compiler/model/workload.h"
#include "plan/decide/compilation.h"
#include "plan/plan.h"

namespace muster::plan {

// What facts are derived from. Everything may be missing but `overrides`.
struct FactRequest {
  const model::Workload* workload = nullptr;  // nullptr: `decide --fact` alone
  Compilation workloads;
  const model::Site* site = nullptr;
  bool site_given = false;  // by the user; the built-in site states nothing
  const model::Fleet* fleet = nullptr;
  const model::Queue* queue = nullptr;                         // whose pools are the only ones, if it names some
  std::span<const model::FactDeclaration> declared;            // of the policy in force; they win over ours
  std::vector<std::pair<std::string, std::string>> overrides;  // --fact NAME=VALUE, in order; the last wins
};

// One value a fact, by strength: command line, the workload's `facts`, the site's `facts`, derived,
// fallback (nothing is known of it). `_` equals `-` in names. Without a workload only what is stated
// or follows from the site is there; the policy's defaults do the rest. A value of a wrong type or
// outside its range, and a name that neither we nor the policy know, are reported as bad_fact and
// left out. Order: ours, then the policy's own as they were stated.
Facts derive_facts(const FactRequest& request, Diagnostics& diagnostics);

// The facts that the site answers for and that are not stated: the author of a workload cannot change them.
std::vector<std::string_view> facts_of_site(const Facts& facts);

// What the author of a workload does not choose: the cluster, and what the workload is. Its size is left.
std::vector<std::string_view> facts_not_of_author();

// Whether all roles must start together: by kind train, mpi and rl; the others replica by replica.
bool starts_as_a_whole(const model::Workload& workload);

}  // namespace muster::plan
