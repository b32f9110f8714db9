// Names of a batch system or an operator that a text reads: each has a giver where the text runs, or the text is refused.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"
#include "targets/account.h"

namespace muster::targets::contract {

// One that a role's texts, its words or its variables read.
struct SystemRead {
  std::string_view name;
  Span span;                 // of the text
  FieldRef field;            // that holds it
  std::size_t line = 0;      // of the text, from 1; 0: of words
  bool has_own = false;      // the text, the workload or the site sets it, or the text has a default
};

std::vector<SystemRead> names_of_systems(const plan::Plan& plan, const plan::RolePlan& shape);

// Refuses each that nothing gives, once. `gives`: what the target sets; `where`: "pods", "Slurm".
void refuse_ungiven(Account& account, const std::vector<SystemRead>& reads,
                    const std::function<bool(std::string_view)>& gives, std::string_view where);

}  // namespace muster::targets::contract
