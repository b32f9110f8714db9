#include "targets/slurm/lift/each_task.h"

#include <algorithm>
#include <array>
#include <set>

#include "compiler/base/text.h"
#include "targets/slurm/lift/step_options.h"

namespace muster::targets::slurm::lifting {
namespace {

// What has the same result on every node, for every task.
constexpr std::array same_everywhere = std::to_array<std::string_view>(
    {"expr", "basename", "dirname", "seq",     "wc",     "cat",     "head",   "tail",     "sed",
     "awk",  "grep",     "cut",     "tr",      "echo",   "printf",  "pwd",    "realpath", "readlink",
     "bc",   "nproc",    "sort",    "uniq",    "[",      "[[",      "test",   "((",       "true",
     ":",    "shift",    "exit",    "return",  "export", "declare", "local",  "typeset",  "readonly",
     "set",  "cd",       "module",  "ml",      "source", ".",       "ulimit", "conda",    "unset",
     "eval", "hash",     "let",     "getopts", "which",  "command"});

bool is_told_by_runner(std::string_view name) {
  return is_one_of(name, {"MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK", "LOCAL_RANK"});
}

// The text reads `$NAME` or `${NAME…`.
bool reads_name(std::string_view text, std::string_view name) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string_view::npos; at += name.size()) {
    const std::size_t end = at + name.size();
    const bool begins = at > 0 && (text[at - 1] == '$' || text[at - 1] == '{' || text[at - 1] == '(');
    if (begins && (end == text.size() || !is_name_char(text[end]))) return true;
  }
  return false;
}

class EachTask {
 public:
  explicit EachTask(Lifter& lifter) : lifter_(lifter) {}

  bool run() {
    if (!lifter_.shape.counted)
      return lifter_.refuse("Slurm decides how the tasks lie on the nodes", lifter_.script.body);
    const Directive* signal = effective(lifter_.script, "signal");
    if (signal != nullptr && signal->value && signal->value->find("B:") != std::string::npos)
      return lifter_.refuse("a signal is sent to the batch shell", signal->whole);
    if (!find_step() || !take_step()) return false;
    for (std::size_t i = 0; i < lifter_.statements.size(); ++i)
      if (i != step_) sort_out(i);
    if (!drop_what_nothing_reads()) return false;
    write();
    return true;
  }

 private:
  const Statement& statement(std::size_t i) const { return lifter_.statements[i]; }
  std::string_view text(std::size_t i) const { return lifter_.sources.text(statement(i).span); }

  const Launch* srun_of(std::size_t i) const {
    for (const Launch& l : lifter_.body.launches)
      if (l.kind == Launcher::srun && l.command == statement(i).first() && l.parent < 0) return &l;
    return nullptr;
  }

  bool find_step() {
    std::size_t found = 0;
    for (std::size_t i = 0; i < lifter_.statements.size(); ++i) {
      if (statement(i).kind != StatementKind::program) continue;
      if (found++ > 0) return lifter_.refuse("the script starts several programs", statement(i).span);
      step_ = i;
    }
    if (found == 0) return lifter_.refuse("no program is started at the top level", lifter_.script.body);
    launch_ = srun_of(step_);
    if (launch_ == nullptr || launch_->het || launch_->program.empty())
      return lifter_.refuse("the program is not started by one srun", statement(step_).span);
    for (std::size_t i = step_ + 1; i < lifter_.statements.size(); ++i)
      if (statement(i).kind != StatementKind::noise && statement(i).kind != StatementKind::ends)
        return lifter_.refuse("something is done after the step", statement(i).span);
    return true;
  }

  bool take_step() {
    for (const LaunchOption& option : launch_->options) {
      StepOption said = step_option(option, lifter_.shape);
      if (said.fate == StepFate::refused || said.fate == StepFate::environment)
        return lifter_.refuse(said.note.empty() ? "`--export` sets variables of the step" : said.note, option.span);
      if (said.fate == StepFate::kept) options_.push_back(said.text);
      else lifter_lines_.push_back({option.span, "--" + option.name, Fate::dropped, said.note, {}});
    }
    const Span program = launch_->program.front().span;
    if (program.begin <= launch_->span.begin) return lifter_.refuse("the step is in a variable", launch_->span);
    without_.push_back({launch_->span.file, launch_->span.begin, program.begin});
    if (const Statement& s = statement(step_); s.commands.size() > 1) {  // behind the step: a tee, or what only prints
      const Command& first = lifter_.body.commands[s.first()];
      if (lifter_.body.commands[s.commands[1]].piped) {
        without_.push_back({s.span.file, first.span.end, s.span.end});
        lifter_lines_.push_back(
            {s.span, "tee", Fate::mended, "logs", "the log of the job has the output, not that file"});
      }
    }
    for (const EnvironmentRead& r : lifter_.body.reads)
      if (is_one_of(r.name, {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID", "SLURMD_NODENAME"}) &&
          lifter_.sources.text(r.span).starts_with('$'))
        return lifter_.refuse("the batch shell's `$" + r.name + "` is not that of the tasks", r.span);
    return true;
  }

  // ---- what is the same in all tasks --------------------------------------------------------------

  bool is_same(const Command& c) const {
    const bool writes = std::any_of(c.redirects.begin(), c.redirects.end(), [](const Redirect& r) {
      return r.op.starts_with('>') && r.op.find('&') == std::string::npos && r.target.text != "/dev/null";
    });
    if (writes || c.background) return false;
    if (c.words.empty()) return true;
    const std::string_view name = c.words[0].text;
    const bool function = std::any_of(lifter_.body.scopes.begin(), lifter_.body.scopes.end(),
                                      [&](const Scope& s) { return s.kind == ScopeKind::function && s.name == name; });
    return function || std::find(same_everywhere.begin(), same_everywhere.end(), name) != same_everywhere.end();
  }

  bool is_same(std::size_t i) const {
    const Span span = statement(i).span;
    for (const std::string_view once :
         {"$RANDOM", "$$", "${RANDOM", "$HOSTNAME", "$SECONDS", "$BASHPID", "/dev/urandom"})
      if (text(i).find(once) != std::string_view::npos) return false;
    return std::all_of(lifter_.body.commands.begin(), lifter_.body.commands.end(), [&](const Command& c) {
      return c.inside >= 0 || c.span.begin < span.begin || c.span.end > span.end || is_same(c);
    });
  }

  void sort_out(std::size_t i) {
    const Statement& s = statement(i);
    if (s.kind == StatementKind::prepares) return;  // may run more than once
    if (s.kind == StatementKind::noise || s.kind == StatementKind::ends || s.kind == StatementKind::function) {
      if (s.kind == StatementKind::noise) drop(i, "prints only");
      return;
    }
    if (sets_of_runner(s)) return drop(i, "the runner sets it");
    if (!is_same(i)) once_.insert(i);
  }

  void drop(std::size_t i, const char* why) {
    gone_.insert(i);
    without_.push_back(with_separator(lifter_.sources, statement(i).span));
    lifter_lines_.push_back(
        {statement(i).span, statement(i).kind == StatementKind::noise ? "noise" : "variable", Fate::dropped, why, {}});
  }

  std::vector<std::string> names_set(const Statement& s) const {
    std::vector<std::string> names;
    if (s.kind != StatementKind::assigns && s.kind != StatementKind::exports) return names;
    for (const Assignment& a : lifter_.body.commands[s.first()].assignments) names.push_back(a.name);
    for (const Export& e : lifter_.body.exports)
      if (e.command == s.first()) names.push_back(e.name);
    return names;
  }

  bool sets_of_runner(const Statement& s) const {
    const std::vector<std::string> names = names_set(s);
    return !names.empty() && s.kind == StatementKind::exports &&
           std::all_of(names.begin(), names.end(), [](const std::string& n) { return is_told_by_runner(n); });
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
        const std::vector<std::string> names = names_set(statement(i));
        const bool exported = statement(i).kind == StatementKind::exports;
        if (names.empty() || exported ||
            std::any_of(names.begin(), names.end(), [&](const std::string& n) { return is_read(n, i); }))
          continue;
        drop(i, "nothing reads it");
        once_.erase(i);
        changed = true;
      }
    }
    if (once_.empty()) return true;
    const Statement& s = statement(*once_.begin());
    return lifter_.refuse(shown(lifter_.sources, s) + " is done once, not by each task", s.span);
  }

  void write() {
    model::Role& role = lifter_.role();
    const Span at = statement(step_).span;
    role.launch.runner = {model::Runner::processes, at};
    role.launch.processes = model::Located<std::int64_t>{lifter_.shape.tasks, at};
    if (!options_.empty()) {
      auto& targets = lifter_.out.workload.targets;
      if (targets.empty()) targets.push_back({"slurm", {}, at});
      for (const std::string& option : options_) targets.front().srun.push_back({option, at});
    }
    for (ImportLine& line : lifter_lines_) lifter_.add(std::move(line));
    lifter_.line(at, "launch", Fate::lifted, "launch.runner",
                 "each task runs the text, which says the same in all of them");
    std::get<model::Script>(role.program->value).bytes = text_of_program(lifter_.sources, lifter_.script, without_);
  }

  Lifter& lifter_;
  std::size_t step_ = 0;
  const Launch* launch_ = nullptr;
  std::vector<std::string> options_;
  std::vector<Span> without_;
  std::vector<ImportLine> lifter_lines_;
  std::set<std::size_t> once_, gone_;
};

}  // namespace

bool lift_each_task(Lifter& lifter) { return EachTask(lifter).run(); }

}  // namespace muster::targets::slurm::lifting
