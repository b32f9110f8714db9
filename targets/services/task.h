// The task under construction: what it is made from, and its texts, variables and loss entries so far.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/plan.h"
#include "targets/account.h"
#include "targets/contract/references.h"
#include "targets/contract/variables.h"
#include "targets/kubernetes/tree.h"
#include "targets/services/dialect.h"
#include "targets/target.h"

namespace muster::targets::services {

using data::Node;

// A variable that the submitter passes at launch, and where the site has its value; "": in a variable of its name.
struct Passed {
  std::string name;
  std::string from;
};

struct Task : Account {
  const Dialect& dialect;
  const plan::Plan& plan;
  const plan::RolePlan& shape;
  const model::Role& role;
  const model::Plane& plane;
  const model::ServicePlane& service;  // of the plane
  const model::Site& site;
  const LowerOptions& options;

  contract::RunNames names{};
  contract::Wanted wanted{};
  bool has_dir = false, has_tmp = false;  // the text of `run` reads `$dir`, `$tmp`

  std::string image{};                                      // "" without one
  std::string folder{};                                     // of the submission that is brought to the nodes; "": none
  const model::Git* git = nullptr;                          // or a repository
  std::vector<std::pair<std::string, std::string>> envs{};  // known when the file is written
  std::vector<Passed> passed{};                             // secrets
  std::string setup{};                                      // runs on every node before `run`
  std::string run{};                                        // runs on every node
  Node document{};

  model::Runner runner() const { return role.launch.runner.value; }
  bool has_nodes() const { return shape.nodes > 1; }
  std::string system() const { return std::string(dialect.system); }
  bool serves() const { return workload.kind.value == model::Kind::serve; }
  const model::Script* script() const {
    return role.program ? std::get_if<model::Script>(&role.program->value) : nullptr;
  }
  contract::Run of_run() const { return {workload, role, shape, names}; }
  void line(std::string_view text) { run.append(text).append("\n"); }
};

// environment.cc: what is around the program. `add_surroundings` begins `run`; `with_contract` is the lines that set
// the variables which the text reads.
void add_image(Task& task);
void add_surroundings(Task& task);
void add_user_environment(Task& task);
void add_secrets(Task& task);
std::string with_contract(Task& task);

// program.cc: setup, and what `run` ends with. `first`: nothing runs before it.
void add_setup(Task& task, bool first);
void add_program(Task& task);
// A text with its run references as a word of bash; the variables that it reads are wanted. A value that the broker
// does not know is refused on behalf of `field`.
std::string text_word(Task& task, const model::Text& text, const FieldRef& field);

// lower.cc
Lowered lower(const Dialect& dialect, const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics);

}  // namespace muster::targets::services
