// Named cases of a policy: facts, and what must come of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rules/verify.h"

namespace muster::rules {

struct CaseResult {
  std::vector<std::string> fired;     // rows
  std::vector<std::string> failures;  // "`control-plane` is `slurm`, not `kubernetes`"; empty: passed
  std::optional<Cell> cell;           // nullopt: no answer
};

CaseResult run(const model::Policy& policy, const Space& space, const model::Case& test);

struct Coverage {
  std::vector<std::string> missing;  // rows that no case shows, in order
  std::size_t rows = 0;
  std::uint64_t cells = 0, all_cells = 0;  // different ones among the cases, and all
};

// Of the rows that `layer` gave ("": of all).
Coverage coverage(const model::Policy& policy, const Space& space, const std::vector<CaseResult>& results,
                  std::string_view layer);

}  // namespace muster::rules
