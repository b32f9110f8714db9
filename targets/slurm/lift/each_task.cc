#include "targets/slurm/lift/each_task.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/base/text.h"
#include "compiler/shell/launchers.h"
#include "targets/names_read.h"
#include "targets/slurm/lift/alike.h"
#include "targets/slurm/lift/meeting.h"
#include "targets/slurm/lift/portable.h"
#include "targets/slurm/lift/step_options.h"
#include "targets/slurm/lift/step_variables.h"

namespace muster::targets::slurm::lifting {
namespace {

class EachTask {
 public:
  explicit EachTask(Lifter& lifter) : lifter_(lifter) {}

  bool run() {
    if (!lifter_.shape.counted)
      return lifter_.refuse("Slurm decides how the tasks lie on the nodes", lifter_.script.body);
    if (lifter_.refuses_signal()) return false;
    if (!find_step() || !take_step()) return false;
    for (std::size_t i = 0; i < lifter_.statements.size(); ++i)
      if (i != step_ && !gone_.contains(i)) sort_out(i);
    add_readers_of_once();
    if (!drop_what_nothing_reads()) return false;
    return write();
  }

 private:
  const Statement& statement(std::size_t i) const { return lifter_.statements[i]; }
  std::string_view text(std::size_t i) const { return lifter_.sources.text(statement(i).span); }

  const Launch* srun_of(std::size_t i) const {
    for (const Launch& l : lifter_.body.launches)
      if (l.kind == Launcher::srun && l.command == statement(i).first() && l.parent < 0) return &l;
    return nullptr;
  }

  // The last step is the program; what runs before it prepares.
  bool find_step() {
    bool found = false;
    for (std::size_t i = 0; i < lifter_.statements.size(); ++i)
      if (statement(i).kind == StatementKind::program) step_ = i, found = true;
    if (!found) return lifter_.refuse("no program is started at the top level", lifter_.script.body);
    launch_ = srun_of(step_);
    if (!starts_steps_inside(step_))
      return lifter_.refuse(
          "the batch shell starts the program on the first of " + counted(lifter_.shape.nodes, "node"),
          statement(step_).span);
    if (launch_ == nullptr || launch_->het || launch_->program.empty())
      return lifter_.refuse(shown(lifter_.sources, statement(step_)) + " is not one srun", statement(step_).span);
    for (std::size_t i = 0; i <= step_; ++i) take_meeting_id(i);
    if (!is_same(step_))
      return lifter_.refuse("a word of the step has a value that each task would work out anew", statement(step_).span);
    for (std::size_t i = 0; i < step_; ++i)
      if (statement(i).kind == StatementKind::program && !prepares(i)) return false;
    for (std::size_t i = step_ + 1; i < lifter_.statements.size(); ++i)
      if (!leaves_no_trace(i)) return lifter_.refuse("something is done after the step", statement(i).span);
    return true;
  }

  // Behind the step: `deactivate`, `module purge`.
  bool leaves_no_trace(std::size_t i) const {
    const StatementKind kind = statement(i).kind;
    return kind == StatementKind::noise || kind == StatementKind::ends || kind == StatementKind::environment;
  }

  // `--rdzv_id $RANDOM`: a number that all of them have; the job's is one too.
  void take_meeting_id(std::size_t i) {
    constexpr std::string_view random = "$RANDOM";
    const std::string_view own = text(i);
    for (std::size_t at = 0; (at = own.find(random, at)) != std::string_view::npos; at += random.size()) {
      const std::string_view before = own.substr(0, at);
      const bool id = before.ends_with("--rdzv_id ") || before.ends_with("--rdzv_id=") ||
                      before.ends_with("--rdzv-id ") || before.ends_with("--rdzv-id=");
      if (!id) continue;
      const auto begin = static_cast<std::uint32_t>(statement(i).span.begin + at);
      const Span span{statement(i).span.file, begin, begin + static_cast<std::uint32_t>(random.size())};
      ids_.push_back(span);
      lifter_lines_.push_back(
          {span, "rdzv-id", Fate::mended, "script", "the job's id is the same in all tasks", true, {"rdzv-id"}});
    }
  }

  bool take_option(const LaunchOption& option) {
    if (option.name == "mpi" && option.value && option.value->literal) {
      options_.push_back("--mpi=" + option.value->text);
      lifter_lines_.push_back(
          {option.span, "--mpi", Fate::raw, "target slurm", "pods have no such plugin", true, {"launcher"}});
      return true;
    }
    StepOption said = step_option(option, lifter_.shape);
    if (said.fate == StepFate::refused || said.fate == StepFate::environment)
      return lifter_.refuse(said.note.empty() ? "`--export` sets variables of the step" : said.note, option.span);
    if (said.fate == StepFate::kept) options_.push_back(said.text);
    else if (said.differs.empty())
      lifter_lines_.push_back({option.span, "--" + option.name, Fate::dropped, said.note, {}});
    else
      lifter_lines_.push_back({option.span, "--" + option.name, Fate::mended, "logs", said.note, true, said.differs});
    return true;
  }

  // `export SLURM_CPU_BIND=cores`: in the text that each task runs, no srun reads it any more.
  bool take_variables() {
    std::set<std::string> taken;
    for (const StepVariable& variable : variables_of_step(lifter_.body, *launch_)) {
      if (!take_option(variable.option)) return false;
      taken.insert(variable.name);
    }
    for (std::size_t i = 0; i < step_ && !taken.empty(); ++i) {
      const std::vector<std::string> names = names_of(lifter_.body, statement(i));
      const bool only = std::all_of(names.begin(), names.end(),
                                    [&](const std::string& name) { return taken.contains(name) && !is_read(name, i); });
      if (!names.empty() && only) drop(i, "an option of srun says it");
    }
    return true;
  }

  bool take_step() {
    for (const LaunchOption& option : launch_->options)
      if (!take_option(option)) return false;
    if (!take_variables()) return false;
    const Span program = launch_->program.front().span;
    if (program.begin <= launch_->span.begin || !program_is_apart(lifter_.body, *launch_))
      return lifter_.refuse("the step is in a variable", launch_->span);
    without_.push_back({launch_->span.file, launch_->span.begin, program.begin});
    for (const Redirect& r : lifter_.body.commands[statement(step_).first()].redirects) {
      if (!writes_file(r)) continue;
      const Span whole = whole_of(lifter_.sources, r);
      without_.push_back(whole);
      lifter_lines_.push_back(
          {whole,
           "redirection",
           Fate::mended,
           "logs",
           "the log of the job has the output, not `" + printable(base_name(r.target.text), 60) + "`",
           true,
           {std::string(base_name(r.target.text))}});
    }
    if (const Statement& s = statement(step_); s.commands.size() > 1) {  // behind the step: a tee, or what only prints
      const Command& first = lifter_.body.commands[s.first()];
      if (lifter_.body.commands[s.commands[1]].piped) {
        without_.push_back({s.span.file, first.span.end, s.span.end});
        lifter_lines_.push_back(
            {s.span,
             "tee",
             Fate::mended,
             "logs",
             "the log of the job has the output, not that file",
             true,
             {"tee", "exit", std::string(base_name(lifter_.body.commands[s.commands[1]].words.back().text))}});
      }
    }
    return reads_no_name_of_tasks();
  }

  // In the batch shell it is zero, another node's, or not set.
  bool reads_no_name_of_tasks() {
    const Span body = lifter_.script.body;
    for (const NameRead& read : names_read(lifter_.sources.text(body))) {
      const auto begin = body.begin + static_cast<std::uint32_t>(read.at);
      const Span at{body.file, begin, begin + static_cast<std::uint32_t>(read.name.size())};
      if (read.later || !differs_in_tasks(read.name, lifter_) || is_of_noise(at) || is_of_unread(at)) continue;
      return lifter_.refuse("the batch shell's `" + std::string(read.name) + "` is not that of the tasks", at);
    }
    return true;
  }

  // `echo $SLURM_NODEID` is not in the text of the tasks.
  bool is_of_noise(Span read) const {
    return std::any_of(lifter_.statements.begin(), lifter_.statements.end(), [&](const Statement& s) {
      return s.kind == StatementKind::noise && s.span.begin <= read.begin && read.end <= s.span.end;
    });
  }

  // `NODE_RANK=$SLURM_PROCID`: a value of the batch shell, which must have no reader.
  bool is_of_unread(Span read) {
    for (std::size_t i = 0; i < step_; ++i)
      if (statement(i).kind == StatementKind::assigns && statement(i).span.begin <= read.begin &&
          read.end <= statement(i).span.end && !names_of(lifter_.body, statement(i)).empty())
        return once_.insert(i), true;
    return false;
  }

  // What takes its value from one that is worked out once is worked out once too.
  void add_readers_of_once() {
    for (std::size_t i = 0; i < step_; ++i) {
      if (statement(i).kind != StatementKind::assigns || once_.contains(i) || gone_.contains(i)) continue;
      const bool reads = std::any_of(once_.begin(), once_.end(), [&](std::size_t once) {
        const std::vector<std::string> names = names_of(lifter_.body, statement(once));
        return once < i && std::any_of(names.begin(), names.end(),
                                       [&](const std::string& name) { return reads_name(text(i), name); });
      });
      if (reads) once_.insert(i);
    }
  }

  // ---- what is done before ---------------------------------------------------------------------------

  // A step of one task a node, or a program of the batch shell.
  bool prepares(std::size_t i) {
    const Launch* step = srun_of(i);
    if (step == nullptr)
      return !starts_steps_inside(i) || lifter_.refuse("the script starts several programs", statement(i).span);
    const std::int64_t nodes = lifter_.shape.nodes;
    const std::int64_t tasks = step->processes.value.value_or(nodes * lifter_.shape.tasks);
    const bool known = !step->processes.stated() || step->processes.value;
    const std::int64_t on = step->nodes.value.value_or(tasks == 1 ? 1 : nodes);
    const bool each = known && tasks == nodes && on == nodes && step->per_node.value.value_or(1) == 1;
    const bool one = known && tasks == 1 && on == 1;
    if (step->het || step->program.empty() || (!each && !one) || step->option("nodelist") != nullptr ||
        step->option("relative") != nullptr)
      return lifter_.refuse("the script starts several programs", statement(i).span);
    if (each) on_each_node_.insert(i);
    return true;
  }

  bool starts_steps_inside(std::size_t i) const {
    const Span span = statement(i).span;
    return std::any_of(lifter_.body.launches.begin(), lifter_.body.launches.end(), [&](const Launch& l) {
      const shell::Starts starts = row_of(l.kind).starts;
      return starts != shell::Starts::program && l.span.begin >= span.begin && l.span.end <= span.end;
    });
  }

  // Done once on the first node, without a trace in what follows but files.
  bool leaves_only_files(std::size_t i) const {
    const Span span = statement(i).span;
    if (i > step_ || on_each_node_.contains(i)) return i < step_;
    if (statement(i).kind == StatementKind::environment || statement(i).kind == StatementKind::directory) return false;
    for (const Command& c : lifter_.body.commands) {
      if (c.inside >= 0 || c.span.begin < span.begin || c.span.end > span.end) continue;
      if (c.background || changes_shell(lifter_.body, c)) return false;
      for (const Assignment& a : c.assignments)
        if (c.words.empty() && is_read(a.name, i)) return false;
    }
    for (const Scope& scope : lifter_.body.scopes)
      if (scope.kind == ScopeKind::loop && !scope.name.empty() && scope.head.begin >= span.begin &&
          scope.head.end <= span.end && is_read(scope.name, i))
        return false;
    return srun_of(i) != nullptr || !starts_steps_inside(i);
  }

  // ---- what is the same in all tasks --------------------------------------------------------------

  std::size_t ids_in(Span span) const {
    return static_cast<std::size_t>(std::count_if(
        ids_.begin(), ids_.end(), [&](const Span& id) { return id.begin >= span.begin && id.end <= span.end; }));
  }

  bool defines_function(std::size_t i) const { return lifting::defines_function(lifter_.body, statement(i)); }

  bool is_same(std::size_t i) const {
    const Span span = statement(i).span;
    if (has_value_of_once(text(i), ids_in(span))) return false;
    return std::all_of(lifter_.body.commands.begin(), lifter_.body.commands.end(), [&](const Command& c) {
      const bool own = i == step_ && lifter_.body.inside(c, ScopeKind::substitution) == nullptr;
      return own || c.inside >= 0 || c.span.begin < span.begin || c.span.end > span.end ||
             (is_alike_in_tasks(lifter_.body, c) &&
              functions_are_alike(lifter_.sources, lifter_.body, lifter_.statements, c.program()));
    });
  }

  void sort_out(std::size_t i) {
    const Statement& s = statement(i);
    if (s.kind == StatementKind::prepares && lifter_.stops_at_errors() && !may_be_repeated(lifter_.body, s))
      return void(once_.insert(i));
    if (s.kind == StatementKind::prepares || defines_function(i)) return;  // may run more than once
    if (i > step_ && s.kind == StatementKind::environment) return drop(i, "has no effect on the program");
    if (s.kind == StatementKind::noise || s.kind == StatementKind::ends || s.kind == StatementKind::function) {
      if (s.kind == StatementKind::noise) drop(i, "has no effect on the program");
      return;
    }
    if (sets_of_runner(s) && !is_same(i)) return drop(i, "the runner sets it");
    if (takes_from_runner(i)) return;
    if (s.kind == StatementKind::program || !is_same(i)) once_.insert(i);
  }

  void drop(std::size_t i, const char* why) {
    gone_.insert(i);
    without_.push_back(with_separator(lifter_.sources, statement(i).span));
    lifter_lines_.push_back({statement(i).span, is_of_names(i) ? "variable" : "noise", Fate::dropped, why, {}});
  }

  bool is_of_names(std::size_t i) const {
    return statement(i).kind != StatementKind::noise && statement(i).kind != StatementKind::environment;
  }

  void lose_hosts(std::size_t i) {
    gone_.insert(i);
    without_.push_back(with_separator(lifter_.sources, statement(i).span));
    lifter_lines_.push_back({statement(i).span, "export", Fate::lost, "",
                             "the program does not find the list of the nodes; SLURM_JOB_NODELIST has it", true,
                             names_of(lifter_.body, statement(i))});
  }

  // `head=$(scontrol show hostnames | head -n 1)` is `head=$MASTER_ADDR`, also by way of an array of the hosts.
  bool takes_from_runner(std::size_t i) {
    const Statement& s = statement(i);
    const std::string_view own = text(i);
    const std::size_t equals = own.find('=');
    const std::vector<std::string> names = names_of(lifter_.body, s);
    if (names.size() != 1 || equals == std::string_view::npos || own.find('\n') != std::string_view::npos) return false;
    const std::string_view value = trimmed(own.substr(equals + 1), " \t\"");
    const bool of_array = value.starts_with("($") && value.ends_with(")") &&
                          hosts_.contains(std::string(value.substr(2, value.size() - 3)));
    Meeting meeting = meeting_of(value, names.front());
    if (meeting == Meeting::hosts || of_array) return hosts_.insert(names.front()), once_.insert(i), true;
    if (meeting == Meeting::host_count) return write_count(i, own.substr(0, equals + 1)), true;
    for (const std::string& array : hosts_)
      if (is_one_of(value, {"${" + array + "[0]}", "${" + array + "}", "$" + array})) meeting = Meeting::address;
    const std::string known(runner_variable(meeting));
    if (known.empty()) return false;
    if (known == names.front()) return drop(i, "the runner sets it"), true;
    instead_[i] = std::string(own.substr(0, equals + 1)) + "$" + known;
    gone_.insert(i);
    std::vector<std::string> told = substituted(lifter_.body, s.span);
    told.push_back(names.front());
    lifter_lines_.push_back(
        {s.span, "variable", Fate::mended, "script",
         std::string("the runner gives its own ") + (meeting == Meeting::address ? "address" : "port"), true, told});
    return true;
  }

  void write_count(std::size_t i, std::string_view assignment) {
    instead_[i] = std::string(assignment) + std::to_string(lifter_.shape.nodes);
    gone_.insert(i);
    lifter_lines_.push_back({statement(i).span, "variable", Fate::lifted, "script", "the number of nodes", true});
  }

  bool sets_of_runner(const Statement& s) const {
    const std::vector<std::string> names = names_of(lifter_.body, s);
    return !names.empty() && s.kind == StatementKind::exports &&
           std::all_of(names.begin(), names.end(),
                       [](const std::string& n) { return is_of_runner(model::Runner::processes, n); });
  }

  bool is_read(const std::string& name, std::size_t setter) const {
    for (std::size_t i = 0; i < lifter_.statements.size(); ++i)
      if (i != setter && !gone_.contains(i) && reads_name(text(i), name)) return true;
    return false;
  }

  // A value that each task would work out anew must have no reader.
  bool drop_what_nothing_reads() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::size_t i : std::vector<std::size_t>(once_.rbegin(), once_.rend())) {
        const std::vector<std::string> names = names_of(lifter_.body, statement(i));
        const bool list = names.size() == 1 && hosts_.contains(names.front());
        const bool exported = statement(i).kind == StatementKind::exports;
        if (names.empty() || (exported && !list) ||
            std::any_of(names.begin(), names.end(), [&](const std::string& n) { return is_read(n, i); }))
          continue;
        if (exported) lose_hosts(i);
        else drop(i, "nothing reads it");
        once_.erase(i);
        changed = true;
      }
    }
    for (const std::size_t i : once_)
      if (!leaves_only_files(i))
        return lifter_.refuse(shown(lifter_.sources, statement(i)) + " is done once, not by each task",
                              statement(i).span);
    return true;
  }

  // The text up to the last of what is done before, which runs on each node: what is done once is for the first.
  std::string text_of_setup() const {
    std::string out;
    for (const std::size_t i : of_setup_) {
      const auto instead = instead_.find(i);
      const std::string own = instead == instead_.end() ? std::string(text(i)) : instead->second;
      if (!once_.contains(i)) out += own + "\n";
      else if (on_each_node_.contains(i)) out += without_step(i) + "\n";
      else
        out += "if [ \"$MUSTER_NODE_RANK\" = 0 ]; then\n" + (srun_of(i) == nullptr ? own : without_step(i)) + "\nfi\n";
    }
    const char* end = lifter_.stops_at_errors() ? "" : "true\n";  // the script goes on where the last line fails
    out = lifter_.options_of_shebang() + out + end;
    out = without_cpus(out);
    auto portable = portable_text(out, lifter_, TextOf::setup);
    return portable ? std::move(*portable) : with_task_counts(out, lifter_);
  }

  // A plain value goes to the text that reads it alone.
  void share_out() {
    std::set<std::size_t> rest;
    for (std::size_t i = 0; !once_.empty() && i < lifter_.statements.size(); ++i) {
      if (gone_.contains(i) && !instead_.contains(i)) continue;
      if (i <= *once_.rbegin()) of_setup_.insert(i);
      if (!once_.contains(i)) rest.insert(i);
    }
    for (const std::size_t i : unread(lifter_.sources, lifter_.body, lifter_.statements, of_setup_)) of_setup_.erase(i);
    for (const std::size_t i : unread(lifter_.sources, lifter_.body, lifter_.statements, rest))
      if (of_setup_.contains(i) && !instead_.contains(i))
        without_.push_back(with_separator(lifter_.sources, statement(i).span));
  }

  std::string without_step(std::size_t i) const {
    const Launch& step = *srun_of(i);
    const std::string_view own = text(i);
    const std::uint32_t begin = statement(i).span.begin, program = step.program.front().span.begin;
    return std::string(own.substr(0, step.span.begin - begin)) + std::string(own.substr(program - begin));
  }

  // On each node the step of the setup has one task, whose counts are not those of the job.
  bool knows_its_names(std::string_view text) {
    for (const NameRead& read : names_read(text))
      if (counts_tasks(read.name)) {
        const std::size_t i = first_that_reads(read.name);
        return lifter_.refuse("the setup's `" + std::string(read.name) + "` is not that of the job", statement(i).span);
      }
    return true;
  }
  std::size_t first_that_reads(std::string_view name) const {
    std::size_t i = 0;
    while (i < step_ && text(i).find(name) == std::string_view::npos) ++i;
    return i;
  }

  bool write() {
    if (const auto* flag = lifter_.profile_flag(); flag != nullptr && !once_.empty())
      return lifter_.refuse("what is done once would run without `" + flag->value + "` of the shell", flag->span);
    share_out();
    std::string setup = once_.empty() ? std::string() : text_of_setup();
    if (!knows_its_names(setup)) return false;
    model::Role& role = lifter_.role();
    const Span at = statement(step_).span;
    role.launch.runner = {model::Runner::processes, at};
    role.launch.processes = model::Located<std::int64_t>{lifter_.shape.tasks, at};
    if (!options_.empty()) {
      auto& targets = lifter_.out.workload.targets;
      if (targets.empty()) targets.push_back({"slurm", {}, at});
      for (const std::string& option : options_) targets.front().srun.push_back({option, at});
    }
    if (!once_.empty()) {
      if (reads_slurm(setup)) role.launch.compat = {model::Compat::slurm, at};
      role.setup = model::Located<model::Script>{{"bash", std::move(setup)}, at};
      for (const std::size_t i : once_) {
        without_.push_back(with_separator(lifter_.sources, statement(i).span));
        lifter_.line(statement(i).span, "setup", Fate::mended, "setup",
                     on_each_node_.contains(i)
                         ? "runs on each node before the program"
                         : "runs on the first node; only Slurm makes the other nodes wait for it");
        if (srun_of(i) != nullptr && lifter_.sees_more_gpus()) lifter_.line_of_gpus(statement(i).span);
      }
    }
    for (ImportLine& line : lifter_lines_) lifter_.add(std::move(line));
    std::vector<TextInstead> values;
    for (auto& [i, value] : instead_) values.push_back({statement(i).span, std::move(value)});
    for (const Span id : ids_) values.push_back({id, "$MUSTER_ID"});
    const std::string text = text_of_program(lifter_.sources, lifter_.script, without_, values);
    std::string& program = std::get<model::Script>(role.program->value).bytes;
    program = without_cpus(text);
    lifter_.line_of_ranks(at, !lifter_.shape.cpus_per_task && program == text);
    lifter_.line_of_no_gpus(at);
    if (step_ + 1 < lifter_.statements.size() || statement(step_).commands.size() > 1)
      lifter_.line_of_exit(at, "script", "step");
    lifter_.line(at, "launch", Fate::lifted, "launch.runner",
                 "each task runs the text, which says the same in all of them");
    return true;
  }

  // Slurm sets SLURM_CPUS_PER_TASK only for jobs with --cpus-per-task, but muster gives each step its CPUs.
  std::string without_cpus(const std::string& text) const {
    if (lifter_.given("cpus-per-task")) return text;
    const std::vector<std::string_view> lines = split(text, '\n');
    const bool reads = std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
      return line.find("SLURM_CPUS_PER_TASK") != std::string_view::npos && !trimmed(line).starts_with('#');
    });
    return reads ? "unset SLURM_CPUS_PER_TASK\n" + text : text;
  }

  Lifter& lifter_;
  std::size_t step_ = 0;
  const Launch* launch_ = nullptr;
  std::vector<std::string> options_;
  std::vector<Span> without_;
  std::vector<ImportLine> lifter_lines_;
  std::set<std::size_t> once_, gone_, on_each_node_, of_setup_;
  std::vector<Span> ids_;                       // `$RANDOM` where it is the name of a meeting
  std::set<std::string> hosts_;                 // arrays of the hosts of the job
  std::map<std::size_t, std::string> instead_;  // statements with a value that the runner has
};

}  // namespace

bool lift_each_task(Lifter& lifter) { return EachTask(lifter).run(); }

}  // namespace muster::targets::slurm::lifting
