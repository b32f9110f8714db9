#include <algorithm>

#include "compiler/model/launcher.h"
#include "targets/batch/sections.h"
#include "targets/contract/checks.h"
#include "targets/contract/launch.h"
#include "targets/shell.h"

namespace muster::targets::batch {
namespace {

using model::Runner;

constexpr std::size_t longest_inline = 96 * 1024;  // one argument holds 128 KiB

// What follows runs on all nodes of the job, or of the part.
std::string on_all(const Job& job, std::int64_t tasks, bool mpi = false) {
  return job.dialect.step(job, {job.shape.nodes, tasks, On::all, mpi});
}

// The words that run a script's bytes; writes the lines that bring the bytes there.
std::string script_words(Job& job, const model::Script& script, const std::string& variable, const FieldRef& field,
                         const std::vector<model::Located<std::string>>& flags = {}) {
  if (contract::refuse_nul(job, script.bytes, field, "the text")) return {};
  const bool python = script.interpreter == "python";
  std::string interpreter = python ? "python3" : sh_word(script.interpreter);
  if (const std::string words = argument_words(job, texts_of(flags), Field::script_flags); !words.empty())
    interpreter += " " + words;
  // The C shells read their structures only from a file.
  const bool c_shell = script.interpreter.ends_with("csh");
  if (script.bytes.size() <= longest_inline && !c_shell) {
    job.body += sh_variable(variable, script.bytes);
    return interpreter + " -c \"$" + variable + "\"" + (python ? "" : " " + sh_word(job.workload.name));
  }
  const bool one_reader = !job.may_have_nodes() || job.runner() == Runner::batch_script;
  if (!job.site.job_dir && !one_reader)
    job.refuse(
        field,
        "a script above 96 KiB or for a C shell needs a shared job folder, but site `" + job.site.name + "` has none",
        "add `job-dir = \"/shared/path\"` to the site");
  const std::string path = "\"$MUSTER_DIR/" + variable + "\"";
  job.body += sh_file(path, script.bytes, "TEXT");
  return interpreter + " " + path;
}

void check_launch(Job& job) {
  const model::Launch& launch = job.role.launch;
  const bool script = job.role.program && std::holds_alternative<model::Script>(job.role.program->value);
  const Runner r = job.runner();
  if (r == Runner::batch_script && !script)
    job.refuse(Field::launch_runner, "runner `batch-script` requires a `script`");
  const bool mpirun = r == Runner::mpi && job.batch.mpi == model::Mpi::mpirun;
  const bool takes = r == Runner::ray || mpirun || (model::row_of(r).opens_file && !script);
  if (!launch.args.empty() && !takes)
    job.refuse(Field::launch_args,
               script ? "the script starts the launcher itself, so these flags have no effect"
                      : "there is no launcher that takes these flags",
               script ? "write them in the script" : "");
  if (mpirun && job.container.runtime == model::Containers::pyxis)
    job.refuse(Field::image, "mpirun cannot start its ranks in a Pyxis container", "use `mpi = pmix` in the site");
  const bool steps = job.tasks() > 1 || job.may_have_nodes() || job.part.is_part();
  job.exact(Field::launch_runner, steps ? job.dialect.starter : "the batch shell");
  job.exact(Field::launch_processes, "MUSTER_PROCS_PER_NODE=" + std::to_string(job.shape.processes));
  job.exact(Field::launch_args, "arguments of the launcher");
  job.approximated(Field::launch_version, "nothing", "the version depends on the software of the site");
  job.read(Field::launch_compat, "nothing is added; " + job.system() + " sets these variables");
}

// command or script with args: what the launcher is given, or what runs by itself.
std::string program_arguments(Job& job) {
  const model::Role& role = job.role;
  const model::Argv argv = model::started_command(job.workload, role);
  if (!role.program && argv.empty()) {
    job.refuse(Field::command, "the workload has neither `command` nor `script`");
    return {};
  }
  const std::string args = argument_words(job, texts_of(role.args), Field::args);
  const auto with_args = [&](std::string words) { return args.empty() ? words : words + " " + args; };
  job.exact(Field::args, "arguments of the program");
  if (role.program && std::holds_alternative<model::Script>(role.program->value)) {
    const model::Script* script = &std::get<model::Script>(role.program->value);
    job.exact(Field::script, "a here-document");
    job.exact(Field::script_flags, "flags of the interpreter");
    return with_args(script_words(job, *script, "script", Field::script, role.script_flags));
  }
  const bool launcher = model::row_of(job.runner()).opens_file;
  if (argv.empty() && role.program && job.workload.kind.value == model::Kind::dev) {
    job.refuse(Field::command, "this runner starts a program on its own, not a shell to type in",
               "write `launch { runner = none }`, and start the launcher in that shell");
    return {};
  }
  if (argv.empty() || argv[0].empty() || (argv[0][0] == '-' && !launcher)) {
    job.refuse(Field::command, "a command must begin with a program");
    return {};
  }
  job.exact(Field::command, "the program");
  std::string words = argument_words(job, argv, Field::command);
  const std::string flags = argument_words(job, texts_of(role.launch.args), Field::launch_args);
  if (launcher && !flags.empty()) words = flags + " " + words;
  if (job.runner() == Runner::torchrun) words = std::string(contract::launcher_command(job.runner())) + " " + words;
  // Not the builtin of that name.
  else if (!launcher && bash_runs(argv[0])) words = "env " + words;
  return with_args(words);
}

bool launches_accelerate(const Job& job) {
  return job.runner() == Runner::accelerate && job.role.program &&
         std::holds_alternative<model::Argv>(job.role.program->value);
}

// In front of the program; it names variables that only the node knows.
std::string accelerate_words(const Job& job) {
  return launches_accelerate(job) ? std::string(contract::launcher_command(job.runner())) + " " : std::string();
}

// `export` of what only the node knows, and of what only a process does.
std::string own_names(const Job& job) {
  const JobVariables& known = job.dialect.variables;
  const model::RunnerVariables& launcher = model::row_of(job.runner()).variables;
  std::string out = "export";
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!name.empty()) out += " " + std::string(name) + "=" + std::string(value);
  };
  add("MUSTER_NODE_RANK", known.node_rank);
  add("MUSTER_NODE_ADDR", known.node_name);
  add(launcher.node_rank, known.node_rank);
  add(launcher.process_rank, known.process_rank);
  add(launcher.local_rank, known.local_rank);
  return out;
}

// A signal that the launcher would die of goes to its workers alone: a step's signal reaches all of its processes.
std::string launcher_ignores(const Job& job) {
  const bool command = job.role.program && std::holds_alternative<model::Argv>(job.role.program->value);
  if (!job.workload.stop || !command || !contract::is_torch_launcher(job.runner())) return {};
  const std::string& signal = job.workload.stop->signal.value;
  return contract::torch_passes(signal) ? std::string() : "trap '' " + signal + "; ";
}

// What only the node knows is set by a few lines of sh in front of the program.
void add_node_prelude(Job& job) {
  std::string text = launcher_ignores(job) + own_names(job);
  const bool plain =
      !launches_accelerate(job) && !job.keeps_record() && job.container.runtime != model::Containers::enroot;
  text += plain ? "; " : "\n";
  if (job.container.runtime == model::Containers::enroot && !job.container.workdir.empty())
    text += "cd \"$0\" || exit\n";
  const std::string program = accelerate_words(job) + "\"$@\"";
  if (!job.keeps_record()) {
    text += "exec " + program;
  } else {
    // A step reports the highest status, that of a task it killed itself: the first to fail writes its own.
    const std::string signal =
        job.workload.stop && job.workload.stop->signal.value != "TERM" ? " " + job.workload.stop->signal.value : "";
    text += "trap : TERM" + signal + "\nrc=0; " + program + " || rc=$?\n";
    text +=
        "[ \"$rc\" -eq 0 ] || (set -C; echo \"$rc\" > \"$MUSTER_DIR/exit.$MUSTER_ATTEMPT\") 2>/dev/null || :\nexit "
        "\"$rc\"";
  }
  job.line("# shellcheck disable=SC2016  # expanded on each node");
  job.line("node=" + sh_word(text));
}

std::string node_words(const Job& job, const std::string& program) {
  const bool moves = job.container.runtime == model::Containers::enroot && !job.container.workdir.empty();
  return container_prefix(job) + "sh -c \"$node\" " + (moves ? job.container.workdir : "sh") + " " + program;
}

void add_setup(Job& job) {
  if (!job.role.setup) return;
  std::string words = container_prefix(job) + script_words(job, job.role.setup->value, "setup", Field::setup);
  const bool step = job.may_have_nodes() || job.container.runtime == model::Containers::pyxis || job.part.is_part();
  job.line(start_with(step ? on_all(job, 1) : "", words));
  if (job.in_container())
    job.approximated(Field::setup, "a step of its own",
                     "each step has a new container, so changes that setup makes to the image are lost");
  else job.exact(Field::setup, step ? "a step of its own" : "run before the program");
}

void add_mpi(Job& job, const std::string& program) {
  const std::string tasks = std::to_string(job.tasks());
  if (job.batch.mpi == model::Mpi::mpirun) {
    const std::string flags = argument_words(job, texts_of(job.role.launch.args), Field::launch_args);
    const std::string mpirun = "mpirun -np " + job.nodes_word(job.tasks()) + " --map-by ppr:" + tasks + ":node" +
                               (flags.empty() ? "" : " " + flags);
    return add_run(job, start_with(mpirun, node_words(job, program)), false);
  }
  add_run(job, start_with(on_all(job, job.tasks(), true), node_words(job, program)), true);
}

}  // namespace

std::string start_with(const std::string& starter, const std::string& program) {
  if (starter.empty()) return program;
  return starter + (starter.size() + program.size() < 110 ? " " : " \\\n  ") + program;
}

std::string argument_words(Job& job, const std::vector<std::string>& arguments, const FieldRef& field) {
  std::string out;
  for (const std::string& argument : arguments) {
    contract::check_argument(job, argument, field);
    out += (out.empty() ? "" : " ") + sh_word(argument);
  }
  return out;
}

void add_launch(Job& job) {
  check_launch(job);
  add_passed_names(job);
  add_setup(job);
  const std::string program = program_arguments(job);
  const Runner r = job.runner();
  add_command_probe(job);
  if (r == Runner::ray) return add_ray(job, program);
  if (r == Runner::batch_script) {
    if (job.may_have_nodes()) job.line("export MUSTER_NODE_RANK=0 MUSTER_NODE_ADDR=\"$MUSTER_HEAD_ADDR\"");
    return add_run(job, program, false);
  }
  const bool step = job.may_have_nodes() || r == Runner::processes || r == Runner::mpi || job.part.is_part() ||
                    job.container.runtime == model::Containers::pyxis;
  const bool enroot = job.container.runtime == model::Containers::enroot;
  if (!step && !enroot) return add_run(job, container_prefix(job) + accelerate_words(job) + program, false);
  add_node_prelude(job);
  if (r == Runner::mpi) return add_mpi(job, program);
  add_run(job, start_with(step ? on_all(job, job.tasks()) : "", node_words(job, program)), step);
}

void add_program(Job& job) {
  add_software(job);
  add_contract(job);
  add_files(job);
  add_code(job);
  add_fabric(job);
  add_secrets(job);
  add_user_environment(job);
  add_access(job);
  job.dialect.preflight(job);
  add_launch(job);
  report_needs_of_role(job);
}

}  // namespace muster::targets::batch
