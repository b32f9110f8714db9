// What prepares the environment of the program, as the software of a site.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/model/workload.h"
#include "targets/slurm/lift/statements.h"

namespace muster::targets::slurm::lifting {

struct Environment {
  model::SoftwareSpec software;
  std::string name;         // for people, made of what is loaded: "env-chem"
  std::vector<Span> taken;  // the statements that it replaces
  std::string why;          // what stands against it; "" where it is lifted
  Span why_at;
  bool relative = false;       // a line has another meaning in another folder
  bool reads_task_id = false;  // a line depends on the number of the task in its array
  bool verbatim = false;       // as a prelude in the script's own words

  bool empty() const { return taken.empty(); }
};

// Of the statements that prepare the environment, in their order. Where the keys of the language have the same order,
// they become keys; else the lines are kept as they are, with the assignments that they read.
// `stops_at_errors`: the script ends where a command fails.
Environment environment_of(const Sources& sources, const Body& body, std::span<const Statement> statements,
                           bool stops_at_errors);

}  // namespace muster::targets::slurm::lifting
