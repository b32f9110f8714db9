#include "targets/slurm/lift/first_node.h"

#include <algorithm>
#include <span>

#include "compiler/base/text.h"
#include "compiler/shell/launchers.h"
#include "compiler/shell/programs.h"
#include "targets/slurm/lift/meeting.h"
#include "targets/slurm/lift/portable.h"
#include "targets/slurm/read/import.h"

namespace muster::targets::slurm::lifting {
namespace {

// Commands of the shell, and tools that handle files: they start nothing on another node.
bool stays_here(const Command& c) {
  const shell::Doing& what = c.own;
  using enum shell::Effect;
  return !what.is({unknown, works, serves, monitors, submits}) && !what.is(shell::elsewhere) &&
         !is_one_of(c.program(), {"scp", "scancel"}) && !what.is(shell::Subject::handlers) &&
         !what.is(shell::Subject::anything);
}

class FirstNode {
 public:
  explicit FirstNode(Lifter& lifter) : lifter_(lifter) {}

  // The first command that is not known to stay on its node; nullptr: none.
  const Command* leaves() const {
    for (std::uint32_t i = 0; i < lifter_.body.commands.size(); ++i)
      if (!stays(i)) return &lifter_.body.commands[i];
    return nullptr;
  }

  bool run(std::span<const Span> without) {
    if (!lifter_.shape.counted)
      return lifter_.refuse("Slurm decides how the tasks lie on the nodes", lifter_.script.body);
    if (lifter_.refuses_signal()) return false;
    for (const std::string_view name : {"gpus-per-task", "ntasks-per-gpu", "gpus-per-socket"})
      if (const Directive* d = effective(lifter_.script, name); d != nullptr && lifter_.shape.tasks > 1)
        return lifter_.refuse("`--" + std::string(name) + "` gives each task its own GPUs", d->whole);
    for (std::size_t i = 0; i < lifter_.statements.size(); ++i)
      if (!take_address(i) || !keeps_nodes(i)) return false;
    return write(without);
  }

 private:
  bool stays(std::uint32_t index) const {
    const Command& c = lifter_.body.commands[index];
    if (c.words.empty() || c.own.is({shell::Effect::prints})) return true;
    bool launches = false;
    for (const Launch& l : lifter_.body.launches) {
      if (l.command != index) continue;
      if (!stays(l)) return false;
      launches = true;
    }
    if (launches) return true;
    if (!c.words[0].literal) return false;
    return is_function(lifter_.body, c.program()) || stays_here(c) || hooks_conda(c);
  }

  static bool hooks_conda(const Command& c) {
    return c.program() == "eval" && c.words.size() == 2 && c.words[1].text.find("conda") != std::string::npos;
  }

  bool stays(const Launch& l) const {
    switch (l.kind) {
      case Launcher::python: return true;
      case Launcher::torchrun:
      case Launcher::accelerate: return true;
      case Launcher::deepspeed: return l.option("hostfile") == nullptr && !l.nodes.stated();
      case Launcher::container: return !l.program.empty() && starts_python(l.program.front());
      default: return false;
    }
  }
  static bool starts_python(const Word& word) {
    const std::string_view name = base_name(word.text);
    return word.literal && (name.starts_with("python") || name == "torchrun" || name == "accelerate");
  }

  // `head=$(scontrol show hostnames | head -n 1)` is this node.
  bool take_address(std::size_t i) {
    const Statement& s = lifter_.statements[i];
    const std::string_view own = lifter_.sources.text(s.span);
    if (own.find("scontrol") == std::string_view::npos || s.kind == StatementKind::noise) return true;
    const std::size_t value = own.find('=') + 1;
    const bool alone = s.commands.size() == 1 && names_of(lifter_.body, s).size() == 1;
    const Meeting meeting = alone ? meeting_of(trimmed(own.substr(value), " \t\"")) : Meeting::none;
    const bool address = meeting == Meeting::address;
    if (!address && meeting != Meeting::host_count)
      return lifter_.refuse("only Slurm knows what " + shown(lifter_.sources, s) + " finds", s.span);
    instead_.push_back(
        {s.span, std::string(own.substr(0, value)) + (address ? "$(hostname)" : std::to_string(lifter_.shape.nodes))});
    lines_.push_back({s.span, "variable", Fate::mended, "script",
                      address ? "the program runs on this node" : "the number of nodes", true});
    return true;
  }

  // With the names of the nodes a program may reach them by itself.
  bool keeps_nodes(std::size_t i) {
    const Statement& s = lifter_.statements[i];
    if (s.kind == StatementKind::noise || (!instead_.empty() && instead_.back().span.begin == s.span.begin))
      return true;
    const std::string_view own = lifter_.sources.text(s.span);
    for (const std::string_view word : {"NODELIST", "hostfile", "HOSTFILE", "deepy.py"})
      if (own.find(word) != std::string_view::npos)
        return lifter_.refuse(shown(lifter_.sources, s) + " may start processes on other nodes", s.span);
    return true;
  }

  // Slurm counts tasks for a step that it does not count for the batch shell of a job that asks for none.
  std::string guard() const {
    std::string out = "[ \"$MUSTER_NODE_RANK\" = 0 ] || exit 0  # the first node has all the work\n";
    if (!asks_for_tasks()) out += "unset SLURM_NTASKS SLURM_NPROCS  # of the step, not of the job\n";
    return out;
  }
  bool asks_for_tasks() const {
    return lifter_.given("ntasks") || lifter_.given("ntasks-per-node") || lifter_.given("tasks-per-node");
  }

  // A count of tasks that the job no longer has.
  static bool reads_tasks(std::string_view text) {
    for (const std::string_view name : {"SLURM_NTASKS", "SLURM_NPROCS", "SLURM_TASKS_PER_NODE", "SLURM_CPUS_PER_TASK"})
      if (text.find(name) != std::string_view::npos) return true;
    return false;
  }

  bool write(std::span<const Span> without) {
    std::string text = text_of_program(lifter_.sources, lifter_.script, without, instead_);
    const bool reads = reads_slurm(text);
    auto portable = reads ? portable_text(text, lifter_, TextOf::first_node) : std::nullopt;
    if (portable) text = std::move(*portable);
    if (reads && !portable && lifter_.shape.tasks > 1 && reads_tasks(text))
      return lifter_.refuse("the text counts tasks that it does not start", lifter_.script.body);
    model::Role& role = lifter_.role();
    if (reads && !portable) role.launch.compat = {model::Compat::slurm, lifter_.script.span};
    role.launch.runner = {model::Runner::none, {}};
    tasks_become_cpus();
    std::get<model::Script>(role.program->value).bytes = guard() + text;
    for (ImportLine& line : lines_) lifter_.add(std::move(line));
    lifter_.line(
        lifter_.script.body, "text", Fate::kept, "script",
        "runs on the first of " + counted(lifter_.shape.nodes, "node") + ", as in the script; `nodes = 1` would do");
    return true;
  }

  void tasks_become_cpus() {
    model::Role& role = lifter_.role();
    role.launch.processes.reset();
    const std::int64_t tasks = lifter_.shape.tasks;
    if (tasks == 1) return;
    if (!role.resources.cpus && !lifter_.given("cpus-per-gpu") && !lifter_.given("exclusive"))
      role.resources.cpus = model::unplaced(model::Amount<std::int64_t>{false, tasks, tasks});
    for (ImportLine& line : lifter_.out.lines) {
      if (line.as != "launch.processes") continue;
      line.fate = Fate::approximated;
      line.as = "resources.cpus";
      line.note = "the script starts no tasks, so " + std::to_string(tasks) + " tasks become CPUs of their node";
    }
  }

  Lifter& lifter_;
  std::vector<TextInstead> instead_;
  std::vector<ImportLine> lines_;
};

}  // namespace

bool runs_on_first_node_only(const Lifter& lifter) {
  const bool steps = std::any_of(lifter.body.launches.begin(), lifter.body.launches.end(), [](const Launch& l) {
    return row_of(l.kind).starts == shell::Starts::tasks || row_of(l.kind).starts == shell::Starts::workers;
  });
  return lifter.shape.nodes > 1 && !steps;
}

bool lift_first_node(Lifter& lifter, std::span<const Span> without) {
  FirstNode lifting(lifter);
  if (const Command* c = lifting.leaves())
    return lifter.refuse("`" + printable(c->program(), 40) + "` may start processes on other nodes", c->span);
  return lifting.run(without);
}

}  // namespace muster::targets::slurm::lifting
