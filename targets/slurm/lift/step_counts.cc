#include "targets/slurm/lift/step_counts.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "targets/slurm/read/numbers.h"

namespace muster::targets::slurm::lifting {
namespace {

const Launch* only_step(const Body& body, const std::vector<Statement>& statements) {
  const auto is_program = [](const Statement& s) { return s.kind == StatementKind::program; };
  const auto program = std::find_if(statements.begin(), statements.end(), is_program);
  if (program == statements.end() || std::any_of(program + 1, statements.end(), is_program)) return nullptr;
  const Launch* found = nullptr;
  for (const Launch& launch : body.launches)
    if (launch.command == program->first() && launch.kind == Launcher::srun && launch.parent < 0) found = &launch;
  return found;
}

}  // namespace

void take_counts_of_step(Lifter& lifter) {
  const Launch* step = only_step(lifter.body, lifter.statements);
  if (step == nullptr || !lifter.shape.counted) return;
  JobShape& shape = lifter.shape;
  const auto given = [&](std::string_view option) { return lifter.given(option); };
  // A step that is larger than its job does not start.
  std::vector<std::string> named{"exit"};
  if (!step->program.empty()) named.emplace_back(base_name(step->program.front().text));
  const bool tasks_said =
      given("ntasks") || given("ntasks-per-node") || given("tasks-per-node") || given("ntasks-per-gpu");
  const std::int64_t each = step->per_node.value.value_or(step->processes.value.value_or(0) / shape.nodes);
  const bool even = step->per_node.value || step->processes.value.value_or(1) % shape.nodes == 0;
  if (!tasks_said && even && each > 1 && given("nodes")) {
    shape.tasks = each;
    lifter.taken.push_back({step->span, "ntasks", Fate::approximated, "launch.processes",
                            "the job asks for the tasks of its step", true, named});
  }
  const LaunchOption* cpus = step->option("cpus-per-task");
  const auto count =
      cpus != nullptr && cpus->value && cpus->value->literal ? slurm_number(cpus->value->text) : std::nullopt;
  if (given("cpus-per-gpu") || given("mem-per-cpu") || shape.cpus_per_task || !count || *count < 1 || *count > 1024 ||
      lifter.role().resources.cpus)
    return;
  shape.cpus_per_task = *count;
  shape.cpus_of_step = true;
  lifter.taken.push_back({cpus->span, "cpus-per-task", Fate::approximated, "resources.cpus",
                          "the job asks for the CPUs of its step", true, named});
}

void write_counts_of_step(Lifter& lifter) {
  for (ImportLine& line : lifter.taken) lifter.add(std::move(line));
  if (!lifter.shape.cpus_of_step) return;
  const std::int64_t cpus = *lifter.shape.cpus_per_task * lifter.shape.tasks;
  lifter.role().resources.cpus = model::unplaced(model::Amount<std::int64_t>{false, cpus, cpus});
}

}  // namespace muster::targets::slurm::lifting
