// The tables of what batch systems and operators give a running program.
#include <algorithm>
#include <set>
#include <string>

#include "targets/contract/wanted.h"
#include "targets/given_names.h"
#include "targets/slurm/read/body.h"
#include "targets/variables.h"
#include "tests/catch.h"

namespace given_names_test {

using namespace muster::targets;

TEST_CASE("each name of a batch system has one row, and its equal is a variable of the contract") {
  const auto known = slurm::slurm_variable_names();
  const auto ours = contract::names_of({}, {});
  for (const BatchSystem system : {BatchSystem::slurm, BatchSystem::pbs, BatchSystem::lsf}) {
    std::set<std::string_view> seen;
    for (const GivenName& row : given_names(system)) {
      INFO(row.name);
      CHECK(seen.insert(row.name).second);
      CHECK(given_name(system, row.name) == &row);
      CHECK_FALSE(meaning_text(row.meaning).empty());
      const std::string_view equal = contract_name(row.meaning);
      if (!equal.empty() && equal != "PWD") CHECK(ours.contains(equal));
      if (system == BatchSystem::slurm) CHECK(std::find(known.begin(), known.end(), row.name) != known.end());
    }
    CHECK(seen.size() >= 10);
  }
  CHECK(given_name(BatchSystem::lsf, "SLURM_JOB_ID") == nullptr);
}

TEST_CASE("each target says what a program finds there") {
  for (const Target& target : all_targets()) {
    const auto variables = variables_of(target);
    INFO(target.name);
    CHECK(variables.size() >= 6);
    const auto has = [&](std::string_view name) {
      return std::any_of(variables.begin(), variables.end(), [&](const TargetVariable& v) { return v.name == name; });
    };
    CHECK(has("SLURM_JOB_ID") == (target.capabilities.plane == muster::model::PlaneKind::slurm));
    CHECK(has("PBS_JOBID") == (target.name == "pbs"));
    CHECK(has("LSB_JOBID") == (target.name == "lsf"));
    CHECK(has("KUBERNETES_SERVICE_HOST") == (target.capabilities.plane == muster::model::PlaneKind::kubernetes));
    CHECK(has("SKYPILOT_NODE_RANK") == (target.capabilities.plane == muster::model::PlaneKind::skypilot));
    CHECK(has("DSTACK_NODE_RANK") == (target.capabilities.plane == muster::model::PlaneKind::dstack));
    if (target.name == "kueue") CHECK((has("PET_NODE_RANK") && has("RAY_IP") && has("OMPI_MCA_*")));
    if (target.name == "jobset") CHECK_FALSE((has("PET_NODE_RANK") || has("RAY_IP") || has("OMPI_MCA_*")));
  }
}

}  // namespace given_names_test
