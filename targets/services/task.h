// The task under construction: what it is made from, and its texts, variables and loss entries so far.
#pragma once

#include <optional>
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

// A variable whose value the file does not hold: one that the submitter passes at launch, with where the site has its
// value ("": in a variable of its name), or one that the broker keeps, with its name there.
struct Passed {
  std::string name;
  std::string from;
  std::string kept{};
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
  std::string workdir{};                                    // "": where the broker starts the text
  std::string folder{};                                     // of the submission that is brought to the nodes; "": none
  const model::Git* git = nullptr;                          // or a repository
  std::vector<std::pair<std::string, std::string>> envs{};  // known when the file is written
  std::vector<Passed> passed{};                             // secrets
  std::string setup{};                                      // runs on every node before the text
  std::string run{};                                        // the text, which runs on every node
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

// checks.cc: refuses what the broker cannot take, before its texts are made; and reports each written field that
// nothing has accounted for.
void check(Task& task);
void report_rows(Task& task);

// environment.cc: what is around the program. `add_surroundings` begins the text; `with_contract` is the lines that set
// the variables which the text reads.
void add_image(Task& task);
void add_surroundings(Task& task);
void add_user_environment(Task& task);
void add_secrets(Task& task);
std::string with_contract(Task& task);

// program.cc: setup, and what the text ends with. `first`: nothing runs before it.
void add_setup(Task& task, bool first);
void add_program(Task& task);
// A text with its run references as a word of bash; the variables that it reads are wanted. A value that the broker
// does not know is refused on behalf of `field`.
std::string text_word(Task& task, const model::Text& text, const FieldRef& field);

// document.cc: what brokers have alike in their files. `merge_block` merges `task` of the user's block for the target.
void merge_block(Task& task);
void report_checkpoint(Task& task);
data::Node variables(const std::vector<std::pair<std::string, std::string>>& envs);
// `image`, `folder` and what else is empty where there is none.
data::Node text_or_nothing(std::string_view value);
std::int64_t gib_up(Size size);
// The models of a role: those that it names, else those of the pools that it may have. What the site calls one.
std::vector<std::string> models_of(const plan::RolePlan& shape);
std::optional<std::string> label_of(const Task& task, const std::string& model);
// Whether an amount is a number of its own.
template <class T>
bool is_given(const model::Optional<model::Amount<T>>& amount) {
  return amount && !amount->value.all && !amount->value.left_to_site;
}

// lower.cc
Lowered lower(const Dialect& dialect, const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics);

}  // namespace muster::targets::services
