// A plan as the file of one task.
#include <algorithm>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/data/write.h"
#include "targets/compiled_mark.h"
#include "targets/contract/given.h"
#include "targets/contract/launch.h"
#include "targets/exports.h"
#include "targets/services/task.h"
#include "targets/shell.h"

namespace muster::targets::services {
namespace {

using model::Kind;
using model::Runner;

// What keeps this plan from this target at all.
bool takes(const Dialect& dialect, const plan::Plan& plan, Diagnostics& diagnostics, Loss& loss) {
  const auto refuse = [&](Span where, const std::string& message, const std::string& help) {
    Diagnostic& d = diagnostics.add(Code::target_refuses, where, message);
    if (!help.empty()) d.notes.push_back(help);
    loss.refused(Field::workload, message);
    for (const model::WrittenField& field : plan.workload->written) loss.refused(field.field, message);
    return false;
  };
  const model::Workload& workload = *plan.workload;
  const std::string name = "target `" + std::string(dialect.target) + "`", system(dialect.system);
  if (plan.site == nullptr || plan.plane == nullptr || plan.plane->kind() != dialect.plane)
    return refuse(workload.span,
                  name + " requires a site with a plane of kind `" + std::string(model::name(dialect.plane)) + "`", "");
  if (plan.roles.empty() || plan.roles[0].role == nullptr)
    return refuse(workload.span, "`" + workload.name + "` was not placed on a plane", "");
  const auto& runner = plan.roles[0].role->launch.runner;
  if (runner.value == Runner::ray)
    return refuse(runner.span.known() ? runner.span : workload.span, system + " does not start Ray clusters for a task",
                  "use target `ray-on-slurm` or `kuberay`, or start Ray in a `script` of your own");
  if (workload.roles.size() > 1)
    return refuse(
        workload.roles[1].span,
        std::string(dialect.one_role) + ", but the workload has " + std::to_string(workload.roles.size()) + " roles",
        "make each role a workload of its own if they need not start together");
  return true;
}

// That all nodes start together, and the other keys that the rows do not say.
void report_whole(Task& task) {
  const model::Workload& w = task.workload;
  const bool apart = w.starts() == model::Gang::none && task.has_nodes();
  if (apart)
    task.approximated(Field::gang, task.dialect.nodes,
                      task.system() + " starts all nodes of a task together or not at all");
  else task.read(Field::gang, task.system() + " starts the program once all nodes of the task are up");
  std::string lost;
  for (const plan::LostOption& option : task.plan.lost) lost += "; " + option.name + ": " + option.why;
  if (!task.loss.covers(Field::any_of)) task.read(Field::any_of, "the choice of option " + w.option + lost);
  task.read_each(Field::facts, "the decision");
  task.read_each(Field::parallelism, "the check of degrees against GPUs");
  for (const model::Allow& allow : task.role.allows) task.read_each({Field::allow, allow.code}, "lint");
  if (w.serve) report_server(task, w.main().program.has_value());
  for (const model::TargetOptions& block : w.targets)
    if (block.target != task.dialect.target) contract::report_elsewhere(task, block);
}

void refuse_names_of_others(Task& task) {
  const auto gives = [&](std::string_view name) {
    return name == "TMPDIR" || name.starts_with(task.dialect.prefix) ||
           task.run.find(std::string(name) + "=") != std::string::npos;
  };
  contract::refuse_ungiven(task, contract::names_of_systems(task.plan, task.shape), gives, task.system(),
                           task.options.sources);
}

// The shell stops at errors where there can be one before the program.
constexpr std::string_view stops = "set -eo pipefail\n";
constexpr std::string_view no_longer_stops = "set +eo pipefail  # the script says itself where it stops\n";

// Whether the setup needs nothing of what the text does before it.
bool is_independent(const Task& task, const std::string& before) {
  // Its programs read what they like of the contract.
  if (task.role.setup && task.role.launch.contract.value == model::Contract::full) return false;
  if (!task.role.setup || !only_sets(before)) return before.empty();
  return std::none_of(task.role.env.begin(), task.role.env.end(), [&](const model::EnvVar& variable) {
    return !variable.value.is_plain() && task.role.setup->value.bytes.find(variable.name) != std::string::npos;
  });
}

void write_texts(Task& task) {
  add_image(task);
  add_surroundings(task);
  add_secrets(task);
  add_user_environment(task);
  const std::string before = std::exchange(task.run, {});
  add_setup(task, is_independent(task, before));
  const std::string made = std::exchange(task.run, {});
  add_program(task);
  const std::string program = std::exchange(task.run, {});
  const std::string front = with_contract(task) + before + made;
  const bool in_place = task.script() != nullptr && program.ends_with(task.script()->bytes);
  if (!only_sets(front)) task.run = std::string(stops) + front + std::string(in_place ? no_longer_stops : "");
  else task.run = front;
  task.run += program;
}

std::string title_of(const Task& task, const std::string& submit) {
  const std::string from = task.options.source.empty() ? "" : " from " + task.options.source;
  return "# " + one_line(task.workload.name + std::string(compiled_mark) + from) + "\n# " + one_line(submit) + "\n";
}

}  // namespace

Lowered lower(const Dialect& dialect, const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics) {
  Lowered lowered;
  if (!takes(dialect, plan, diagnostics, lowered.loss)) return lowered;
  const plan::RolePlan& shape = plan.roles.front();
  Task task{{*plan.workload, diagnostics}, dialect,    plan,   shape, *shape.role, *plan.plane,
            *plan.plane->service(),        *plan.site, options};
  task.wanted = contract::wanted_by(plan, shape);
  contract::check_wanted(task, plan, shape);
  check(task);
  write_texts(task);
  refuse_names_of_others(task);
  dialect.write(task);
  report_whole(task);
  report_rows(task);
  const std::string name = plan.workload->name + "." + std::string(dialect.suffix);
  lowered.submit = dialect.submit(task, name);
  lowered.documents.push_back({name, title_of(task, lowered.submit) + data::to_yaml(task.document)});
  lowered.loss = std::move(task.loss);
  return lowered;
}

}  // namespace muster::targets::services
