#include "targets/slurm/lift/text_left.h"

#include <algorithm>
#include <span>

#include "compiler/base/text.h"
#include "compiler/shell/launchers.h"
#include "compiler/shell/programs.h"
#include "targets/slurm/lift/each_task.h"
#include "targets/slurm/lift/environment.h"
#include "targets/slurm/lift/first_node.h"
#include "targets/slurm/lift/portable.h"
#include "targets/slurm/lift/software.h"
#include "targets/slurm/lift/step_options.h"

namespace muster::targets::slurm::lifting {
namespace {

bool is_step(shell::Launcher kind) {
  const shell::Starts starts = row_of(kind).starts;
  return starts == shell::Starts::tasks || starts == shell::Starts::workers || starts == shell::Starts::jobs;
}

// `differs`: what is another way without the step.
bool only_srun_says_nothing(Lifter& lifter, const Launch& launch, std::vector<ImportLine>& differs) {
  if (is_of_other_system(launch)) return lifter.refuse(starts_elsewhere(lifter.sources, launch), launch.span);
  if (launch.kind != Launcher::srun)
    return lifter.refuse("`" + std::string(shell::name(launch.kind)) + "` starts what Slurm has to know", launch.span);
  if (launch.het || launch.program.empty() || lifter.body.commands[launch.command].inside >= 0)
    return lifter.refuse("a step that only Slurm can start", launch.span);
  for (const LaunchOption& option : launch.options) {
    const StepOption said = step_option(option, lifter.shape);
    if (said.fate == StepFate::refused || said.fate == StepFate::environment)
      return lifter.refuse(said.note.empty() ? "`--export` sets variables of a step" : said.note, option.span);
    if (!said.differs.empty())
      differs.push_back({option.span, "--" + option.name, Fate::mended, "logs", said.note, true, said.differs});
  }
  return true;
}

// `srun OPTIONS python` of one task on one node is `python`: the bytes from `srun` to the program go.
bool steps_of_one_task(Lifter& lifter, std::vector<Span>& without) {
  if (!lifter.shape.counted || !lifter.shape.one_task())
    return lifter.refuse("it starts tasks by itself", lifter.script.body);
  if (lifter.refuses_signal()) return false;
  std::vector<ImportLine> differs;
  for (const Launch& launch : lifter.body.launches) {
    if (!is_step(launch.kind)) continue;
    if (!only_srun_says_nothing(lifter, launch, differs)) return false;
    if (lifter.body.commands[launch.command].background)
      return lifter.refuse("steps in the background wait for each other, programs do not", launch.span);
    const Span program = launch.program.front().span;
    if (!program.known() || program.begin <= launch.span.begin || !program_is_apart(lifter.body, launch))
      return lifter.refuse("a step that only Slurm can start", launch.span);
    without.push_back({launch.span.file, launch.span.begin, program.begin});
  }
  for (ImportLine& line : differs) lifter.add(std::move(line));
  return true;
}

// The lines at the head of the text, before anything that they could depend on.
std::span<const Statement> head_of(const Lifter& lifter) {
  std::size_t end = 0;
  for (const Statement& s : lifter.statements) {
    if (s.kind != StatementKind::noise && s.kind != StatementKind::environment && s.kind != StatementKind::options)
      break;
    // `pip list` prints what is loaded.
    const Command& c = lifter.body.commands[s.first()];
    const shell::Doing& what = c.does;
    const bool of_software = what.row != nullptr && what.row->effect == shell::Effect::installs;
    if (s.kind == StatementKind::noise && (of_software || c.program().starts_with("python"))) break;
    ++end;
  }
  return std::span(lifter.statements).first(end);
}

// The text in words of every target; one that has more of Slurm finds its variables on all of them.
void settle_text(Lifter& lifter, TextOf of) {
  auto& text = std::get<model::Script>(lifter.role().program->value);
  if (!reads_slurm(text.bytes)) return;
  if (auto portable = portable_text(text.bytes, lifter, of)) {
    text.bytes = std::move(*portable);
    lifter.line(lifter.script.body, "variables", Fate::lifted, "script",
                "variables of Slurm are replaced by numbers of the job and variables that every target has");
  } else {
    lifter.role().launch.compat = {model::Compat::slurm, lifter.script.span};
    if (of == TextOf::program) text.bytes = with_task_counts(text.bytes, lifter);
  }
}

// The lines that prepare the environment, as software of the site; none where a line needs the text, or files that the
// text's own shell reads are before them.
Environment software_of(const Lifter& lifter) {
  if (lifter.profile_flag() != nullptr) return {};
  Environment environment = environment_of(lifter.sources, lifter.body, head_of(lifter), lifter.stops_at_errors());
  return environment.why.empty() && !environment.verbatim ? environment : Environment{};
}

void take_out(const Lifter& lifter, const Environment& environment, std::vector<Span>& without) {
  for (const Span& span : environment.taken) without.push_back(with_separator(lifter.sources, span));
}

void first_node_with_software(Lifter& lifter) {
  const Environment environment = software_of(lifter);
  std::vector<Span> without;
  take_out(lifter, environment, without);
  if (lift_first_node(lifter, without)) add_software(lifter, environment);
}

}  // namespace

void lift_with_text(Lifter& lifter) {
  model::Role& role = lifter.role();
  std::vector<Span> without;
  if (role.launch.runner.value == model::Runner::batch_script) {
    if (!lifter.shape.one_task()) {
      if (!lifter.script.own_names.empty()) return;  // the steps of another system are not srun's
      if (runs_on_first_node_only(lifter)) return first_node_with_software(lifter);
      if (lift_each_task(lifter)) settle_text(lifter, TextOf::each_task);
      return;
    }
    if (!steps_of_one_task(lifter, without)) return;
    role.launch.runner = {model::Runner::none, {}};
    role.launch.processes.reset();
    for (const Span& span : without) lifter.line(span, "srun", Fate::dropped, "one task needs no step");
    if (!without.empty() && lifter.sees_more_gpus()) lifter.line_of_gpus(without.front());
    if (!without.empty()) lifter.line_of_named_gpus(without.front());
  }
  const Environment environment = software_of(lifter);
  add_software(lifter, environment);
  take_out(lifter, environment, without);
  auto& text = std::get<model::Script>(role.program->value);
  text.bytes = text_of_program(lifter.sources, lifter.script, without);
  settle_text(lifter, TextOf::program);
  lifter.line(lifter.script.body, "text", Fate::kept, "script");
}

}  // namespace muster::targets::slurm::lifting
