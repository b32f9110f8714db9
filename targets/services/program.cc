// The program: what the text ends with, and what runs before it.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/model/runner.h"
#include "compiler/shell/bash_names.h"
#include "targets/contract/checks.h"
#include "targets/contract/launch.h"
#include "targets/lookup.h"
#include "targets/services/task.h"
#include "targets/shell.h"

namespace muster::targets::services {
namespace {

using model::Runner;

constexpr std::size_t longest_inline = 96 * 1024;  // one argument holds 128 KiB

// A value that can be in double quotes: one variable, and nothing else.
bool is_one_variable(std::string_view word) { return word.starts_with('$') && is_env_name(word.substr(1)); }

std::string contract_word(const Task& task, std::string_view name) {
  for (const auto part : {contract::identity, contract::copies, contract::nodes, contract::head, contract::folders})
    for (const contract::Variable& variable : part(task.of_run()))
      if (variable.name == name) return variable.word;
  return {};
}

std::string words_of(Task& task, const std::vector<model::Text>& texts, const FieldRef& field) {
  std::string out;
  for (const model::Text& text : texts)
    if (contract::check_argument(task, text.bytes, field))
      out += (out.empty() ? "" : " ") + text_word(task, text, field);
  return out;
}

std::string words_of(Task& task, const std::vector<std::string>& texts, const FieldRef& field) {
  return words_of(task, std::vector<model::Text>(texts.begin(), texts.end()), field);
}

// The words that run a script's bytes; writes the lines that bring the bytes there.
std::string script_words(Task& task, const model::Script& script, const std::string& variable, const FieldRef& field,
                         const std::vector<std::string>& flags) {
  if (contract::refuse_nul(task, script.bytes, field, "the text")) return {};
  const bool python = script.interpreter == "python";
  std::string words = python ? "python3" : sh_word(script.interpreter);
  if (!flags.empty()) words += " " + words_of(task, flags, Field::script_flags);
  // The C shells read their structures only from a file.
  if (script.bytes.size() <= longest_inline && !script.interpreter.ends_with("csh")) {
    task.run += sh_variable(variable, script.bytes);
    const std::string name = contract::reads_own_name(script) ? "\"$0\"" : sh_word(task.workload.name);
    return words + " -c \"$" + variable + "\"" + (python ? "" : " " + name);
  }
  task.has_dir = true;
  const std::string path = "\"$dir\"/" + variable;
  task.run += sh_file(path, script.bytes, "TEXT");
  return words + " " + path;
}

std::vector<std::string> launcher_options(const Task& task) {
  std::vector<std::string> out = texts_of(task.role.launch.args);
  for (const model::TargetOptions& block : task.workload.targets)
    if (block.target == task.dialect.target)
      for (const auto& option : block.launch) out.push_back(option.value);
  return out;
}

// The launcher with what it is told in front of the user's own flags, which win.
std::string launcher_words(Task& task) {
  const std::string nodes = std::to_string(task.shape.nodes), each = std::to_string(task.shape.processes);
  const std::string rank = "\"" + task.names.rank + "\"", head = "\"" + task.names.head + "\"";
  if (task.runner() == Runner::accelerate) {
    const std::string counts = "accelerate launch --num_machines " + nodes + " --num_processes " +
                               std::to_string(task.shape.processes_of_replica());
    if (!task.has_nodes()) return counts;
    return counts + " --machine_rank " + rank + " \\\n  --main_process_ip " + head + " --main_process_port " +
           task.names.port;
  }
  if (task.has_nodes())
    return "torchrun --nnodes=" + nodes + " --nproc_per_node=" + each + " --node_rank=" + rank +
           " \\\n  --master_addr=" + head + " --master_port=" + task.names.port;
  const std::vector<std::string> options = launcher_options(task);
  const bool says_where = std::any_of(options.begin(), options.end(), [](const std::string& option) {
    return option.starts_with("--rdzv") || option.starts_with("--master") || option.starts_with("--standalone");
  });
  return "torchrun" + std::string(says_where ? "" : " --standalone") + " --nproc_per_node=" + each;
}

void report_launch(Task& task) {
  const bool script = task.script() != nullptr, opens = row_of(task.runner()).opens_file;
  if (!task.role.launch.args.empty() && (script || !opens))
    task.refuse(Field::launch_args,
                script ? "the script starts the launcher itself, so these flags have no effect"
                       : "there is no launcher that takes these flags",
                script ? "write them in the script" : "");
  if (task.runner() == Runner::batch_script)
    task.refuse(Field::launch_runner,
                "runner `batch-script` starts steps with Slurm, which tasks of " + task.system() + " do not have",
                "use target `slurm`, or another runner");
  if (task.runner() == Runner::mpi)
    task.refuse(Field::launch_runner, task.system() + " starts no MPI ranks: " + std::string(task.dialect.no_ranks),
                "use target `slurm` or `mpijob`, or call `mpirun` on node 0 in a `script` with another runner");
  if (task.role.launch.compat.value == model::Compat::slurm)
    task.refuse(Field::launch_compat, "target `" + std::string(task.dialect.target) + "` sets no SLURM_* variables",
                "read the MUSTER_* variables in the program");
  else task.read(Field::launch_compat, "nothing is added");
  task.exact(Field::launch_runner, task.dialect.text);
  task.exact(Field::launch_processes, "the number of processes");
  task.exact(Field::launch_args, "arguments of the launcher");
  task.approximated(Field::launch_version, "nothing", "the version depends on the software of the image");
  task.approximated(Field::launch_export, "nothing", "the nodes do not inherit the submitter's environment");
  const auto has_launcher = [&](const model::Role& role) {
    return row_of(role.launch.runner.value).opens_file && role.program &&
           std::holds_alternative<model::Argv>(role.program->value);
  };
  const auto launchers = contract::launchers_of(task.plan, has_launcher);
  for (const model::TargetOptions& block : task.workload.targets) {
    if (block.target != task.dialect.target) continue;
    contract::report_launch(task, block, launchers, "remove `launch`");
    if (!block.srun.empty())
      task.refuse_at(block.srun.front().span, {Field::target_srun, block.target},
                     "tasks of " + task.system() + " are not started by srun");
  }
}

// A file may lose blanks at its end, and a line that goes on there is none.
bool ends_plainly(std::string_view bytes) {
  const std::size_t last = bytes.find_last_not_of('\n');
  return last == std::string_view::npos || (static_cast<unsigned char>(bytes[last]) > ' ' && bytes[last] != '\\');
}

// A script of bash that the shell of the text can go on with.
bool runs_in_place(const Task& task) {
  const model::Script* script = task.script();
  if (script == nullptr || script->interpreter != "bash" || !script->bytes.ends_with('\n')) return false;
  if (!ends_plainly(script->bytes)) return false;
  const bool fixed = std::all_of(task.role.args.begin(), task.role.args.end(),
                                 [](const model::Located<model::Text>& arg) { return arg.value.is_plain(); });
  return task.role.script_flags.empty() && fixed && task.runner() != Runner::processes &&
         script->bytes.find('\r') == std::string::npos && !has_nul(script->bytes);
}

// Processes side by side on each node. A broker may start the text in an interactive shell, whose `wait -n` loses jobs
// that have ended, so each is looked at.
void fork_processes(Task& task, const std::string& program) {
  const std::string each = std::to_string(task.shape.processes);
  const std::string first = task.has_nodes() ? std::string(task.dialect.rank.substr(1)) + " * " + each + " + " : "";
  task.line("pids=()");
  task.line("for ((i = 0; i < " + each + "; i++)); do");
  task.line("  RANK=$((" + first + "i)) LOCAL_RANK=$i " + program + " &");
  task.line("  pids+=($!)");
  task.line("done");
  task.line("# The first process that fails ends the others, with its exit code.");
  task.line("while [ ${#pids[@]} -gt 0 ]; do");
  task.line("  for i in \"${!pids[@]}\"; do");
  task.line("    if kill -0 \"${pids[i]}\" 2>/dev/null; then continue; fi");
  task.line("    code=0; wait \"${pids[i]}\" || code=$?");
  task.line("    unset \"pids[i]\"");
  task.line("    if [ \"$code\" -ne 0 ]; then kill \"${pids[@]}\" 2>/dev/null || :; exit \"$code\"; fi");
  task.line("  done");
  task.line("  sleep 1");
  task.line("done");
}

std::string start_with(const std::string& starter, const std::string& program) {
  const bool fits = starter.size() + program.size() < 110 && starter.find('\n') == std::string::npos;
  return starter + (fits ? " " : " \\\n  ") + program;
}

// command or script with args: what the launcher is given, or what runs by itself.
std::string program_words(Task& task) {
  const model::Role& role = task.role;
  const std::string args = words_of(task, texts_of(role.args), Field::args);
  task.exact(Field::args, "arguments of the program");
  const auto with_args = [&](const std::string& words) { return args.empty() ? words : words + " " + args; };
  if (const model::Script* script = task.script()) {
    task.exact(Field::script, task.dialect.text);
    task.exact(Field::script_flags, "flags of the interpreter");
    return with_args(script_words(task, *script, "script", Field::script, texts_of(role.script_flags)));
  }
  const model::Argv argv = model::started_command(task.workload, role);
  const bool launcher = row_of(task.runner()).opens_file;
  if (argv.empty() || argv[0] == model::Text() || (argv[0].bytes.starts_with('-') && !launcher)) {
    const bool entrypoint = model::runs_entrypoint(task.workload, role);
    task.refuse(entrypoint ? Field::image : Field::command,
                entrypoint ? task.system() + " starts `" + std::string(task.dialect.text) +
                                 "` in the container, and not the entrypoint of its image"
                : argv.empty() && !role.program ? "the workload has neither `command` nor `script`"
                : argv.empty()                  ? "this runner starts a program on its own, not a shell to type in"
                                                : "a command must begin with a program",
                entrypoint ? "write `command`" : "");
    return {};
  }
  task.exact(Field::command, task.dialect.text);
  const std::string words = words_of(task, argv, Field::command);
  if (!launcher) return with_args((shell::bash_runs(argv[0].bytes) || words.starts_with('"') ? "env " : "") + words);
  const std::string options = words_of(task, launcher_options(task), Field::launch_args);
  return start_with(launcher_words(task), (options.empty() ? "" : options + " ") + with_args(words));
}

}  // namespace

std::string text_word(Task& task, const model::Text& text, const FieldRef& field) {
  if (text.is_plain()) return sh_word(text.bytes);
  contract::Pieces pieces = contract::pieces_of(task.of_run(), text);
  if (!contract::has_variables(pieces)) return sh_word(contract::bytes_of(pieces));
  for (contract::Piece& piece : pieces) {
    if (!piece.is_variable() || !piece.variable.starts_with("MUSTER_")) continue;
    const std::string word = contract_word(task, piece.variable);
    if (word.empty()) {
      task.refuse_at(piece.span, field, task.system() + " does not provide a value for " + piece.variable,
                     "remove the reference");
      return {};
    }
    if (is_one_variable(word) && !task.wanted.has(piece.variable)) piece.word = word;
    else task.wanted.add(piece.variable);
    if (word == "$dir") task.has_dir = true;
    if (word == "$tmp") task.has_tmp = true;
  }
  return contract::quoted(pieces);
}

void add_setup(Task& task, bool first) {
  if (!task.role.setup) return;
  const model::Script& script = task.role.setup->value;
  if (contract::refuse_nul(task, script.bytes, Field::setup, "the text")) return;
  // It has neither the arguments of the program nor what the lines of the text set.
  const bool alone = first && script.bytes.find("MUSTER_") == std::string::npos &&
                     script.bytes.find(task.dialect.prefix) == std::string::npos && !contract::reads_arguments(script);
  if (alone && script.interpreter == "bash") {
    task.setup = script.bytes;
    return task.exact(Field::setup, task.dialect.setup);
  }
  std::string words = script_words(task, script, "setup", Field::setup, {});
  if (contract::reads_arguments(script)) words += " " + words_of(task, texts_of(task.role.args), Field::args);
  task.line(words);
  task.exact(Field::setup, "run before the program");
}

void add_program(Task& task) {
  report_launch(task);
  if (runs_in_place(task)) {
    task.exact(Field::script, task.dialect.text);
    task.exact(Field::args, "the arguments of the text");
    if (!task.role.args.empty()) task.line("set -- " + words_of(task, texts_of(task.role.args), Field::args));
    task.run += task.script()->bytes;
    return;
  }
  const std::string program = program_words(task);
  if (task.runner() == Runner::processes && task.shape.processes > 1) return fork_processes(task, program);
  task.line(program);
}

}  // namespace muster::targets::services
