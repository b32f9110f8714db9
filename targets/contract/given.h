// Names of a batch system or an operator that a text reads: each has a giver where the text runs, or it is refused.
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
  Span span;             // of the text
  FieldRef field;        // that holds it
  std::size_t line = 0;  // of the text, from 1; 0: of words
  bool has_own = false;  // the text, the workload or the site sets it, or the text has a default
  bool printed = false;  // into the log alone
};

std::vector<SystemRead> names_of_systems(const plan::Plan& plan, const plan::RolePlan& shape);

// A word in that line of a text (from 1; 0: in the words that begin there); `text` itself where it is not found.
Span place_in(Span text, std::string_view word, std::size_t line, const Sources* sources);

// Refuses each that nothing gives, once, unless it is only printed. `gives`: what the target sets; `where`: "pods",
// "Slurm". With `sources` at the line that reads it.
void refuse_ungiven(Account& account, const std::vector<SystemRead>& reads,
                    const std::function<bool(std::string_view)>& gives, std::string_view where, const Sources* sources);

}  // namespace muster::targets::contract
