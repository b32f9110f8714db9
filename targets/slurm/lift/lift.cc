#include "targets/slurm/lift/lift.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "targets/slurm/lift/keys.h"
#include "targets/slurm/lift/lifter.h"
#include "targets/slurm/lift/own_text.h"
#include "targets/slurm/lift/ray_block.h"
#include "targets/slurm/lift/step_counts.h"
#include "targets/slurm/lift/task_values.h"
#include "targets/slurm/lift/text_left.h"
#include "targets/slurm/option_table.h"

namespace muster::targets::slurm {
namespace {

using namespace lifting;

bool is_not_text(const Script& script, Span span) {
  return std::any_of(script.not_text.begin(), script.not_text.end(),
                     [&](Span gone) { return gone.begin <= span.begin && span.end <= gone.end; });
}

// What the job is, by the keys that the directives became.
JobShape shape_of(const Imported& imported, const Script& script, const Meaning& meaning) {
  const model::Role& role = imported.workload.roles.front();
  JobShape shape;
  shape.nodes = role.resources.nodes ? role.resources.nodes->value.high : 1;
  shape.tasks = role.launch.processes ? role.launch.processes->value : 1;
  shape.asked = shape.tasks;
  if (!role.launch.processes && meaning.job().tasks_per_node) shape.asked = *meaning.job().tasks_per_node;
  else if (!role.launch.processes && meaning.job().tasks) shape.asked = *meaning.job().tasks / shape.nodes;
  shape.gpus = role.gpus();
  if (meaning.job().cpus_per_task) shape.cpus_per_task = *meaning.job().cpus_per_task;
  shape.array = imported.workload.sweep.has_value();
  for (const model::TargetOptions& target : imported.workload.targets)
    for (const model::RawOption& option : target.options)
      if (find_option(Tool::sbatch, option.name) == nullptr) shape.of_plugins.push_back(option);
  for (const model::TargetOptions& target : imported.workload.targets)
    for (const model::RawOption& option : target.options)
      if (is_one_of(option.name, {"nodes", "ntasks", "ntasks-per-node", "tasks-per-node", "cpus-per-task", "array",
                                  "ntasks-per-gpu", "distribution", "overcommit"}))
        shape.counted = false;
  const bool tasks_said = effective(script, "ntasks") != nullptr || effective(script, "ntasks-per-node") != nullptr;
  const bool divides =
      (meaning.job().gpus_total || meaning.job().gpus_per_node) && meaning.job().gpus_per_task && !tasks_said;
  shape.counted &= !divides;  // Slurm works the tasks out of the two
  return shape;
}

bool is_bash(const Imported& imported) {
  const auto& program = imported.workload.roles.front().program;
  const auto* text = program ? std::get_if<model::Script>(&program->value) : nullptr;
  return text != nullptr && is_one_of(text->interpreter, {"bash", "sh"});
}

// A text that starts its own steps is one for Slurm alone.
void grade_the_text(Imported& imported) {
  const model::Launch& launch = imported.workload.roles.front().launch;
  if (launch.runner.value == model::Runner::batch_script) imported.grade = Grade::wrapped;
  else if (launch.compat.value == model::Compat::slurm) imported.grade = Grade::with_compat;
  else imported.grade = Grade::with_script;
}

void lift_text(const Sources& sources, const Script& script, const Body& body, const Meaning& meaning,
               const PlaneWords& plane, Imported& imported) {
  grade_the_text(imported);
  if (!body.shell || !is_bash(imported)) {
    imported.reason = "the text is not for bash";
    return;
  }
  if (!body.problems.empty()) {
    imported.reason = "bash would not read the text: " + body.problems.front().message;
    imported.reason_at = body.problems.front().span;
    return;
  }
  Lifter lifter{
      sources, script, body, plane, imported, shape_of(imported, script, meaning), statements_of(sources, body)};
  lifter.shape.names = &script.own_names;
  lifter.arguments = arguments_of(sources, body);
  lifter.shape.arguments = &lifter.arguments;
  if (imported.workload.sweep)
    lifter.task_values = task_values_of(body, *imported.workload.sweep, lifter.arguments.named);
  lifter.shape.task_values = &lifter.task_values;
  std::erase_if(lifter.statements, [&](const Statement& s) { return is_not_text(script, s.span); });
  take_counts_of_step(lifter);
  const std::vector<Statement> whole = lifter.statements;
  const std::vector<ImportLine> taken = lifter.taken;
  const bool of_ray = take_ray_block(lifter) || !lifter.why.empty();
  if (lift_to_keys(lifter)) return write_counts_of_step(lifter);
  lifter.statements = whole, lifter.taken = taken, lifter.shape.ray = false;
  imported.reason = std::move(lifter.why);
  imported.reason_at = lifter.why_at;
  lifter.why.clear();
  lift_with_text(lifter);
  take_arguments_of_text(lifter);
  lines_of_own_text(lifter);
  grade_the_text(imported);
  if (imported.grade != Grade::wrapped) write_counts_of_step(lifter);
  if (imported.grade != Grade::wrapped || lifter.why.empty() || of_ray) return;
  imported.reason = std::move(lifter.why);
  imported.reason_at = lifter.why_at;
}

}  // namespace

void lift(const Sources& sources, const Script& script, const Body& body, const Meaning& meaning,
          const PlaneWords& plane, Imported& imported) {
  lift_text(sources, script, body, meaning, plane, imported);
  std::stable_sort(imported.lines.begin(), imported.lines.end(),
                   [](const ImportLine& a, const ImportLine& b) { return a.span.begin < b.span.begin; });
}

}  // namespace muster::targets::slurm
