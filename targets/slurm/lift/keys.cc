#include "targets/slurm/lift/keys.h"

#include <algorithm>

#include "compiler/base/secret.h"
#include "compiler/base/secret_scan.h"
#include "compiler/base/text.h"
#include "compiler/model/runner.h"
#include "compiler/shell/bash_names.h"
#include "targets/batch/job.h"
#include "targets/shell.h"
#include "targets/slurm/lift/container.h"
#include "targets/slurm/lift/environment.h"
#include "targets/slurm/lift/export_index.h"
#include "targets/slurm/lift/meeting.h"
#include "targets/slurm/lift/software.h"
#include "targets/slurm/lift/task_values.h"
#include "targets/slurm/lift/text.h"

namespace muster::targets::slurm::lifting {
namespace {

using model::Located;
using model::Runner;

// A value that gives a secret away, by its name, its form or what it holds: a password in a URL.
bool gives_secret_away(const std::string& name, const std::string& value) {
  return is_secret(name, value) || !find_secrets(name + "=" + value).empty();
}

class KeyLifter {
 public:
  explicit KeyLifter(Lifter& lifter) : lifter_(lifter), place_(place_in(lifter.shape, false)), exports_(lifter.body) {}

  bool run() {
    if (!flags_are_known() || !find_program()) return false;
    const std::span<const Statement> before(lifter_.statements.data(), launch_);
    if (const Statement* all = exporting_all(lifter_.body, before))
      return lifter_.refuse(shown(lifter_.sources, *all) + " exports what is set behind it", all->span);
    environment_ = environment_of(lifter_.sources, lifter_.body, before, lifter_.stops_at_errors());
    if (!environment_.why.empty()) return lifter_.refuse(environment_.why, environment_.why_at);
    if (environment_.reads_task_id) lifter_.task_values.clear();  // the tasks keep their numbers
    lifter_.shape.may_contain = starts_in_folder_of_job() && !sets_variables_inside(lifter_.body);
    lifter_.shape.runtime = lifter_.plane.containers;
    program_ = lifted_program(lifter_.sources, lifter_.body, lifter_.statements[launch_].first(), lifter_.shape);
    if (!program_.lifted()) return lifter_.refuse(program_.why, program_.why_at);
    if (!mpi_is_of_plane()) return false;
    if (const auto& folder = lifter_.role().workdir) workdir_ = folder->value;  // of --chdir
    for (const Statement& s : before)
      if (is_taken(s)) keep_gift(s);
      else if (!read(s)) return false;
    if (!folder_is_that_of_words()) return false;
    for (const model::EnvVar& v : lifter_.shape.ray_addresses) put(v);
    for (model::EnvVar& v : program_.env) add_in_front(std::move(v));
    if (!variables_are_apart()) return false;
    write();
    return true;
  }

 private:
  // ---- what is there ---------------------------------------------------------------------------------

  // `#!/bin/bash -l`: a login shell is the plane's.
  bool flags_are_known() {
    for (const auto& flag : lifter_.role().script_flags) {
      if (is_one_of(flag.value, {"-l", "--login"})) {
        if (!lifter_.plane.may_login)
          return lifter_.refuse("a login shell would be that of all imported scripts", flag.span);
        login_ = true;
      } else if (!flag.value.starts_with('-') || flag.value.find_first_not_of("ex", 1) != std::string::npos) {
        return lifter_.refuse("the shell is started with `" + flag.value + "`", flag.span);
      }
    }
    return true;
  }

  // A plane starts the ranks of all its jobs in one way.
  bool mpi_is_of_plane() {
    const auto& plane = lifter_.plane.mpi;
    const bool other = program_.runner == Runner::mpi && program_.mpi && plane && *plane != *program_.mpi;
    return !other || lifter_.refuse("another imported script starts its ranks in another way, and a plane has one",
                                    lifter_.statements[launch_].span);
  }

  bool find_program() {
    std::size_t found = 0;
    for (std::size_t i = 0; i < lifter_.statements.size(); ++i) {
      const Statement& s = lifter_.statements[i];
      if (s.kind == StatementKind::other) return lifter_.refuse(s.why + " needs a shell", s.span);
      if (s.kind != StatementKind::program) continue;
      if (s.redirected) return lifter_.refuse(shown(lifter_.sources, s) + " writes to a file", s.span);
      if (found++ > 0) return lifter_.refuse("the script starts several programs", s.span);
      launch_ = i;
    }
    if (found == 0) return lifter_.refuse("the script starts no program", lifter_.script.body);
    for (std::size_t i = launch_ + 1; i < lifter_.statements.size(); ++i) {
      const Statement& s = lifter_.statements[i];
      if (!is_of_shell(s.kind)) return lifter_.refuse("something is done after the program", s.span);
    }
    return true;
  }

  bool is_taken(const Statement& s) const {
    return std::any_of(environment_.taken.begin(), environment_.taken.end(),
                       [&](const Span& t) { return t.begin == s.span.begin && t.end == s.span.end; });
  }

  bool read(const Statement& s) {
    switch (s.kind) {
      case StatementKind::exports: return read_exports(s);
      case StatementKind::assigns: return read_assignments(s);
      case StatementKind::directory: return read_directory(s);
      case StatementKind::prepares: return read_preparation(s);
      case StatementKind::ends: return lifter_.refuse("the script ends here", s.span);
      default: return true;
    }
  }

  // A container finds its image and what it binds in the folder in which it is started.
  bool starts_in_folder_of_job() {
    return !lifter_.role().workdir &&
           std::none_of(lifter_.statements.begin(), lifter_.statements.end(),
                        [](const Statement& s) { return s.kind == StatementKind::directory; });
  }

  // `OUT=$(pwd)` in front of a `cd` is another folder than the program's.
  bool folder_is_that_of_words() {
    if (!workdir_) return true;
    const auto reads = [](const model::Text& text) {
      return std::any_of(text.references.begin(), text.references.end(), [](const model::Reference& r) {
        return r.to == model::RefersTo::env && is_one_of(r.name, {"PWD", "OLDPWD"});
      });
    };
    if (std::none_of(program_.command.begin(), program_.command.end(), reads)) return true;
    for (const Statement& s : lifter_.statements) {
      const std::string_view own = lifter_.sources.text(s.span);
      const bool works_out = own.find("pwd") != std::string_view::npos || own.find("PWD") != std::string_view::npos;
      if (s.kind == StatementKind::assigns && works_out)
        return lifter_.refuse("a word of the program has the folder from before a `cd`", s.span);
    }
    return true;
  }

  // ---- variables -------------------------------------------------------------------------------------

  // An export among the lines that prepare the environment: these have it on a plane that runs them, and `env` gives it
  // to the program on each other. One that extends itself would be extended twice.
  void keep_gift(const Statement& s) {
    if (s.kind != StatementKind::exports || !environment_.verbatim) return;
    for (const Export& e : lifter_.body.exports) {
      const Word* value = e.value ? &*e.value : assigned_before(e.name, s.first());
      if (e.command != s.first() || value == nullptr) continue;
      const LiftedText lifted = lifted_text(lifter_.sources, *value, place_);
      const bool own = std::none_of(lifted.text.references.begin(), lifted.text.references.end(),
                                    [](const auto& r) { return r.to == model::RefersTo::env; });
      const bool secret = value->literal && gives_secret_away(e.name, value->text);
      const bool can = is_env_name(e.name) && !shell::bash_owns(e.name) && !batch::is_own_name(e.name) &&
                       !is_of_runner(program_.runner, e.name) && !e.name.starts_with("PET_") &&
                       !is_readonly(lifter_.body, e.name);
      const char* only_here = "only a plane that runs the lines of the software has it";
      if (lifted.lifted() && own && !secret && can) put({e.name, lifted.text, s.span});
      else lifter_lines_.push_back({s.span, "export", Fate::approximated, "software", only_here, true, {e.name}});
    }
  }

  bool read_exports(const Statement& s) {
    for (const Export* e : exports_.of(s.first())) {
      const Word* value = e->value ? &*e->value : assigned_before(e->name, s.first());
      // Without a value it is set outside: it is in the environment already.
      if (value != nullptr && !add_variable(e->name, *value, s.span)) return false;
    }
    return true;
  }

  // The last value that the script gives a variable before a command; nullptr where it has only one from outside.
  const Word* assigned_before(const std::string& name, std::uint32_t command) const {
    const Word* found = nullptr;
    for (std::uint32_t i = 0; i < command; ++i) {
      const Command& c = lifter_.body.commands[i];
      if (!c.words.empty() || c.inside >= 0 || !lifter_.body.unconditional(c)) continue;
      for (const Assignment& a : c.assignments)
        if (a.name == name && !a.append) found = &a.value;
    }
    return found;
  }

  // An assignment to a variable of the environment changes it; others are known where they are read.
  bool read_assignments(const Statement& s) {
    for (const Assignment& a : lifter_.body.commands[s.first()].assignments) {
      const bool exported = exports_.before(a.name, s.first());
      const bool usual = is_one_of(a.name, {"PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "HOME", "TMPDIR", "CPATH",
                                            "LIBRARY_PATH", "MANPATH", "CUDA_VISIBLE_DEVICES"});
      if ((exported || usual) && a.append) return lifter_.refuse("`" + a.name + "+=` changes the environment", s.span);
      if ((exported || usual) && !add_variable(a.name, a.value, s.span)) return false;
    }
    return true;
  }

  bool add_variable(const std::string& name, const Word& value, Span at) {
    if (is_of_runner(program_.runner, name)) return drop_of_runner(name, value, at);
    if (program_.runner == Runner::torchrun && name.starts_with("PET_"))
      return lifter_.refuse("`" + name + "` is an option of torchrun", at);
    if (!is_env_name(name) || shell::bash_owns(name) || batch::is_own_name(name))
      return lifter_.refuse("`" + name + "` cannot be set by `env`", at);
    LiftedText lifted = lifted_text(lifter_.sources, value, place_);
    if (!lifted.lifted() && meeting_of(value.text) == Meeting::hosts) return lose_hosts(name, at);
    if (!lifted.lifted() && !take_meeting_place(name, value, lifted)) return lifter_.refuse(lifted.why, at);
    reads_slurm_ |= lifted.reads_slurm;
    for (const model::Reference& r : lifted.text.references)
      if (r.to == model::RefersTo::env && is_one_of(r.name, {"PWD", "OLDPWD"})) folder_read_ = true;
    if (value.literal && gives_secret_away(name, value.text)) return add_secret(name, at);
    const model::EnvVar variable{name, std::move(lifted.text), at};
    put(variable);
    if (lifted.meets) line_of_export(at, Fate::mended, "env", "the first node and a port are muster's own", name);
    else if (extends(variable))
      line_of_export(at, Fate::mended, "env", "where `" + name + "` is not set outside, no `:` is left behind", name);
    else lifter_lines_.push_back({at, "export", Fate::lifted, "env", {}});
    return true;
  }

  // A list that a script makes for itself: no word of the program has it, or that word would not be lifted.
  bool lose_hosts(const std::string& name, Span at) {
    line_of_export(at, Fate::lost, "", "the program does not find the list of the nodes; SLURM_JOB_NODELIST has it",
                   name);
    return true;
  }

  // The entries of `env` have no order, so that none may have the value of another.
  bool variables_are_apart() {
    for (const model::EnvVar& v : env_)
      for (const model::Reference& r : v.value.references)
        if (r.to == model::RefersTo::env && r.name != v.name && place_in_env_.contains(r.name))
          return lifter_.refuse("`" + v.name + "` has the value of another variable of the script", v.span);
    return true;
  }

  // A later value is the one that counts.
  void put(model::EnvVar variable) {
    const auto [known, fresh] = place_in_env_.try_emplace(variable.name, env_.size());
    if (fresh) env_.push_back(std::move(variable));
    else env_[known->second] = std::move(variable);
  }

  void line_of_export(Span at, Fate fate, std::string as, std::string note, const std::string& name) {
    lifter_lines_.push_back({at, "export", fate, std::move(as), std::move(note), true, names_in_container(name)});
  }

  // `NAME=value` in front of the launch.
  void add_in_front(model::EnvVar variable) {
    if (variable.value.is_plain() && gives_secret_away(variable.name, variable.value.bytes))
      add_secret(variable.name, variable.span);
    else put(std::move(variable));
  }

  bool drop_of_runner(const std::string& name, const Word& value, Span at) {
    const std::int64_t world =
        lifter_.shape.nodes * program_.processes.value_or(std::max<std::int64_t>(lifter_.shape.gpus, 1));
    if (name == "WORLD_SIZE" && value.literal && value.text != std::to_string(world) &&
        program_.runner == Runner::processes)
      return lifter_.refuse("WORLD_SIZE is " + value.text + ", but " + std::to_string(world) + " processes start", at);
    line_of_export(at, Fate::dropped, "the runner sets it", not_run(lifter_.body, at), name);
    return true;
  }

  bool add_secret(const std::string& name, Span at) {
    std::string own = dashed(muster::lower(name));
    for (const model::Secret& s : secrets_)
      if (s.name == own) return true;
    secrets_.push_back({own, Located<std::string>{name, at}, std::nullopt, at});
    line_of_export(at, Fate::question, "secret `" + own + "` of the site",
                   "its value is not copied: export " + name + " before you submit", name);
    return true;
  }

  // ---- folders ---------------------------------------------------------------------------------------

  bool read_directory(const Statement& s) {
    const Command& c = lifter_.body.commands[s.first()];
    if (folder_read_ || relative_setup_ || environment_.relative)
      return lifter_.refuse("what is before depends on the folder", s.span);
    if (c.words.size() > 2) return lifter_.refuse("`cd` has options", s.span);
    if (c.words.size() == 2 && c.words[1].text == "-") return lifter_.refuse("`cd -`", s.span);
    TextPlace place = place_;
    place.splits = true;
    LiftedText target;
    if (c.words.size() == 1) target.text = model::Text("", {{model::RefersTo::env, "HOME", 0, {}}});
    else target = lifted_text(lifter_.sources, c.words[1], place);
    if (!target.lifted()) return lifter_.refuse(target.why, s.span);
    const bool of_argument = !target.text.references.empty() && target.text.references.front().at == 0 &&
                             target.text.references.front().to == model::RefersTo::axis;
    if (workdir_ && of_argument) return lifter_.refuse("the folder may be below the one before", s.span);
    if (const auto name = may_be_empty(target.text))
      return lifter_.refuse("`$" + *name + "` may be empty, and `cd` then enters the home folder", s.span);
    enter(std::move(target));
    const bool home = workdir_ && workdir_->bytes.empty() && workdir_->references.empty();
    if (home) workdir_.reset();
    lifter_lines_.push_back(
        {s.span, "cd", workdir_ ? Fate::lifted : Fate::dropped, workdir_ ? "workdir" : "the job starts there", {}});
    return true;
  }

  // `cd $SLURM_SUBMIT_DIR/x` is the folder x, since the job starts there.
  void enter(LiftedText target) {
    model::Text& text = target.text;
    const bool submit = !text.references.empty() && text.references.front().at == 0 &&
                        text.references.front().to == model::RefersTo::env &&
                        text.references.front().name == "SLURM_SUBMIT_DIR";
    if (submit && text.references.size() == 1) {
      workdir_ = model::Text(text.bytes.starts_with('/') ? text.bytes.substr(1) : text.bytes);
      return;
    }
    reads_slurm_ |= target.reads_slurm;
    const bool below = workdir_ && !text.is_absolute() && (text.references.empty() || text.references.front().at > 0);
    if (!below) return void(workdir_ = std::move(text));
    const std::string base = workdir_->bytes + "/";
    for (model::Reference& r : text.references) r.at += base.size();
    workdir_->bytes = base + text.bytes;
    workdir_->references.insert(workdir_->references.end(), text.references.begin(), text.references.end());
  }

  // Of `[ -d x ] || mkdir x` and `mkdir -p x || exit`, the command that makes something.
  const Command& maker_of(const Statement& s) const {
    const auto makes = [&](std::uint32_t i) { return is_one_of(lifter_.body.commands[i].program(), {"mkdir", "ln"}); };
    return lifter_.body.commands[*std::find_if(s.commands.begin(), s.commands.end(), makes)];
  }

  bool read_preparation(const Statement& s) {
    std::string line;
    const Command& command = maker_of(s);
    const bool with_parents = command.program() == "mkdir" && command.words.size() == 2;
    for (const Word& w : command.words) {
      if (!w.literal)
        return lifter_.refuse("`" + printable(w.text, 40) + "` is only known when the script runs", s.span);
      line += (line.empty() ? "" : " ") + sh_word(w.text);
      if (with_parents && line == "mkdir") line += " -p";
      relative_setup_ |= line != w.text && !w.text.starts_with('-') && !w.text.starts_with('/');
    }
    setup_ += line + "\n";
    ImportLine made{
        s.span, "setup", Fate::mended, "setup", "the job ends where this fails", true, {"exit", program_name()}};
    if (with_parents) {
      made.note = "`-p` makes the folders above, too, and the job ends where it fails";
      for (const std::string_view part : split(command.words.back().text, '/'))
        if (!part.empty()) made.names.emplace_back(part);
    } else if (lifter_.stops_at_errors()) {
      made = {s.span, "setup", Fate::lifted, "setup", {}, true, {}};
    }
    lifter_lines_.push_back(std::move(made));
    return true;
  }

  // ---- what it becomes --------------------------------------------------------------------------------

  void write() {
    model::Role& role = lifter_.role();
    const Span at = lifter_.statements[launch_].span;
    for (ImportLine& line : lifter_lines_) lifter_.add(std::move(line));
    role.program = Located<model::Program>{model::Argv(program_.command.begin(), program_.command.end()), at};
    role.script_flags.clear();
    role.launch.runner = {program_.runner, at};
    role.launch.processes.reset();
    if (program_.processes) role.launch.processes = Located<std::int64_t>{*program_.processes, at};
    for (const std::string& word : program_.launcher_args) role.launch.args.push_back({word, at});
    for (model::EnvVar& v : role.env)  // of the directives
      if (std::none_of(env_.begin(), env_.end(), [&](const model::EnvVar& own) { return own.name == v.name; }))
        env_.insert(env_.begin(), std::move(v));
    role.env = std::move(env_);
    role.secrets = secrets_;
    for (const model::Secret& s : secrets_) lifter_.out.site.secrets.push_back(site_secret(s));
    role.workdir.reset();
    if (workdir_ && logs_follow()) lifter_.line_of_moved_logs(at);
    if (workdir_) role.workdir = Located<model::Text>{std::move(*workdir_), at};
    if (!setup_.empty()) role.setup = Located<model::Script>{{"bash", setup_}, at};
    reads_slurm_ |= program_.reads_slurm;
    role.launch.compat = {reads_slurm_ ? model::Compat::slurm : model::Compat::none, at};
    lifter_.out.grade = reads_slurm_ ? Grade::with_compat : Grade::lifted;
    if (program_.container) write_container(lifter_, *program_.container, at);
    write_slurm_words(at);
    add_software(lifter_, environment_);
    take_arguments_of_words(lifter_, program_.takes_arguments, program_.joined);
    take_axes(lifter_);
    report(at);
  }

  // A `cd` to a folder that is in the file becomes --chdir, below which Slurm puts logs with a relative name.
  bool logs_follow() const {
    const bool entered = std::any_of(lifter_.statements.begin(), lifter_.statements.end(),
                                     [](const Statement& s) { return s.kind == StatementKind::directory; });
    const auto& logs = lifter_.out.workload.logs;
    const auto is_relative = [](const auto& file) { return file && !file->value.starts_with('/'); };
    return entered && workdir_->is_plain() && workdir_->is_absolute() && logs &&
           (is_relative(logs->output) || is_relative(logs->error));
  }

  static model::SiteSecret site_secret(const model::Secret& s) {
    return {.name = s.name, .span = {}, .object = {}, .key = {}, .file = {}, .env = s.env};
  }

  void write_slurm_words(Span at) {
    for (model::Plane& plane : lifter_.out.site.planes) {
      if (login_) plane.batch()->login_shell = true;
      if (program_.mpi && program_.runner == Runner::mpi) plane.batch()->mpi = *program_.mpi;
    }
    if (program_.srun_options.empty()) return;
    auto& targets = lifter_.out.workload.targets;
    if (targets.empty()) targets.push_back({"slurm", {}, at});
    for (const std::string& option : program_.srun_options) targets.front().srun.push_back({option, at});
  }

  void report(Span at) {
    lifter_.out.launcher = program_.launcher;
    lifter_.line(at, "launch", Fate::lifted, program_.runner == Runner::none ? "command" : "launch.runner, command");
    for (const DroppedOption& d : program_.dropped)
      lifter_.line(d.span, d.text, d.differs.empty() ? Fate::dropped : Fate::mended, d.why, {}, d.differs);
    if (program_.alone_without_srun && lifter_.sees_more_gpus()) lifter_.line_of_gpus(at);
    if (program_.alone_without_srun) lifter_.line_of_named_gpus(at);
    const bool folder = std::any_of(lifter_.role().env.begin(), lifter_.role().env.end(),
                                    [](const model::EnvVar& v) { return v.name == "TMPDIR"; });
    if (program_.alone_without_srun && folder)
      lifter_.line(at, "TMPDIR", Fate::mended, "env", "where its folder is not there, srun would set /tmp", {"TMPDIR"});
    if (program_.runner == Runner::processes) lifter_.line_of_ranks(at, !lifter_.shape.cpus_per_task);
    if (!lifter_.shape.one_task() && program_.mpi != model::Mpi::mpirun) lifter_.line_of_no_gpus(at);
    if (program_.meets)
      lifter_.line(at, "address, port", Fate::mended, "command", "the first node and a port are muster's own",
                   {"port", "address"});
    const std::int64_t cpus = lifter_.shape.cpus_per_task.value_or(1);
    const bool step = !lists_name(" none mpi ray ", model::name(program_.runner)) && cpus > 1;
    if (step)
      lifter_.line(at, "cpus", Fate::mended, "launch",
                   "each task has its CPUs, which srun does not take from the job since 22.05",
                   {"SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE"});
    const Statement& start = lifter_.statements[launch_];
    if (start.commands.size() > 1 && lifter_.body.commands[start.commands[1]].piped)
      lifter_.line_of_log(at, "tee", file_of_tee(lifter_.body, start));
    bool noisy_end = false;
    for (std::size_t i = launch_ + 1; i < lifter_.statements.size(); ++i)
      noisy_end |= lifter_.statements[i].kind == StatementKind::noise ||
                   lifter_.statements[i].kind == StatementKind::environment;
    if (noisy_end || lifter_.statements[launch_].commands.size() > 1)
      lifter_.line_of_exit(lifter_.statements.back().span, "command", "program");
    for (std::size_t i = 0; i < lifter_.statements.size(); ++i) {
      const Statement& s = lifter_.statements[i];
      const bool after = i > launch_ && s.kind != StatementKind::noise;
      if (after) lifter_.line(s.span, "after the program", Fate::dropped, "nothing runs after it");
      else report_dropped(s);
    }
  }

  void report_dropped(const Statement& s) {
    switch (s.kind) {
      case StatementKind::noise: return lifter_.line(s.span, "noise", Fate::dropped, "has no effect on the program");
      case StatementKind::options: return report_options(s);
      case StatementKind::function: return lifter_.line(s.span, "function", Fate::dropped, "nothing calls it");
      case StatementKind::assigns:
        return lifter_.line(s.span, "variable", Fate::dropped, "its value is written where it is read",
                            not_run(lifter_.body, s.span));
      default: return;
    }
  }

  std::string program_name() const {
    const model::Text& first = program_.command.front();
    return std::string(base_name(first.is_plain() ? std::string_view(first.bytes) : std::string_view("command")));
  }

  // `set -u`: the script ends at a variable that is not set.
  void report_options(const Statement& s) {
    const std::vector<Word>& words = lifter_.body.commands[s.first()].words;
    const bool strict = std::any_of(words.begin() + 1, words.end(), [](const Word& w) {
      return w.text == "nounset" || (w.text.starts_with('-') && w.text.find('u') != std::string::npos);
    });
    if (!strict) return lifter_.line(s.span, "set", Fate::dropped, "muster writes its own");
    lifter_.line(s.span, "set", Fate::mended, "", "a variable that is not set does not end the job",
                 {"exit", program_name()});
  }

  Lifter& lifter_;
  TextPlace place_;
  std::size_t launch_ = 0;
  LiftedProgram program_;
  Environment environment_;
  std::vector<ImportLine> lifter_lines_;
  std::vector<model::EnvVar> env_;
  std::map<std::string, std::size_t> place_in_env_;
  ExportIndex exports_;
  std::vector<model::Secret> secrets_;
  std::optional<model::Text> workdir_;
  std::string setup_;
  bool login_ = false, reads_slurm_ = false, folder_read_ = false, relative_setup_ = false;
};

}  // namespace

bool lift_to_keys(Lifter& lifter) { return KeyLifter(lifter).run(); }

}  // namespace muster::targets::slurm::lifting
