#include <algorithm>
#include <utility>

#include "compiler/model/runner.h"
#include "compiler/shell/bash_names.h"
#include "targets/batch/sections.h"
#include "targets/contract/checks.h"
#include "targets/contract/given.h"
#include "targets/contract/launch.h"
#include "targets/shell.h"

namespace muster::targets::batch {
namespace {

using model::Runner;

constexpr std::size_t longest_inline = 96 * 1024;  // one argument holds 128 KiB

// What follows runs on all nodes of the job, or of the part.
std::string on_all(const Job& job, std::int64_t tasks, bool mpi = false) {
  return job.dialect.step(job, {job.shape.nodes * job.part.copies_of_step, tasks, On::all, mpi});
}

// What starts the program on all of them, with the user's own options of that line.
std::string program_step(const Job& job, bool mpi = false) {
  return on_all(job, job.tasks(), mpi) + program_options(job);
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
    // Its name is that of the job script, where it asks.
    const std::string name = contract::reads_own_name(script) ? "\"$0\"" : sh_word(job.workload.name);
    return interpreter + " -c \"$" + variable + "\"" + (python ? "" : " " + name);
  }
  const bool one_reader = !job.may_have_nodes() || job.runner() == Runner::batch_script;
  if (!job.site.job_dir && !one_reader)
    job.refuse(
        field,
        "a script above 96 KiB or for a C shell needs a shared job folder, but site `" + job.site.name + "` has none",
        "add `job-dir = \"/shared/path\"` to the site");
  const std::string path = "\"" + job.dir() + "/" + variable + "\"";
  job.body += sh_file(path, script.bytes, "TEXT");
  return interpreter + " " + path;
}

// Where the number of processes is.
std::string processes_word(const Job& job) {
  const std::string count = std::to_string(job.shape.processes);
  switch (row_of(job.runner()).started_by) {
    case model::StartedBy::launcher: return "the number of processes";
    case model::StartedBy::scheduler: return "--ntasks-per-node=" + count;
    default: return "MUSTER_PROCS_PER_NODE=" + count;
  }
}

void check_launch(Job& job) {
  const model::Launch& launch = job.role.launch;
  const bool script = job.role.program && std::holds_alternative<model::Script>(job.role.program->value);
  const Runner r = job.runner();
  if (r == Runner::batch_script && !script)
    job.refuse(Field::launch_runner, "runner `batch-script` requires a `script`");
  const bool mpirun = r == Runner::mpi && job.batch.mpi == model::Mpi::mpirun;
  if (!launch.args.empty() && !has_launcher(job, job.role))
    job.refuse(Field::launch_args,
               script ? "the script starts the launcher itself, so these flags have no effect"
                      : "there is no launcher that takes these flags",
               script ? "write them in the script" : "");
  if (mpirun && job.container.runtime == model::Containers::pyxis)
    job.refuse(Field::image, "mpirun cannot start its ranks in a Pyxis container", "use `mpi = pmix` in the site");
  const bool steps = job.tasks() > 1 || job.may_have_nodes() || job.part.is_part();
  job.exact(Field::launch_runner, steps ? job.dialect.starter : "the batch shell");
  job.exact(Field::launch_processes, processes_word(job));
  job.exact(Field::launch_args, "arguments of the launcher");
  job.approximated(Field::launch_version, "nothing", "the version depends on the software of the site");
  if (job.dialect.gives_slurm_names)
    job.read(Field::launch_compat, "nothing is added; " + job.system() + " sets these variables");
  else if (slurm_names(job, false).empty() && slurm_names(job, true).empty())
    job.read(Field::launch_compat, "no text reads a name of Slurm");
  else job.exact(Field::launch_compat, "SLURM_");
}

// Whether flags of the user say where the processes meet.
bool says_where(const Job& job) {
  const std::vector<std::string> options = launcher_options(job);
  return std::any_of(options.begin(), options.end(), [](const std::string& option) {
    return option.starts_with("--rdzv") || option.starts_with("--master") || option.starts_with("--standalone");
  });
}

// The launcher with what it is told in front of the user's own flags, which win.
std::string launcher_words(Job& job) {
  const std::string processes = std::to_string(job.shape.processes);
  if (job.runner() == Runner::accelerate) {
    const std::string counts =
        "--num_machines " + job.nodes_word() + " --num_processes " + job.nodes_word(job.shape.processes);
    if (!job.may_have_nodes()) return "accelerate launch " + counts;
    const std::string head = job.head();  // the first words are in front of the node's number
    return counts + " --main_process_ip \"" + head + "\" --main_process_port \"" + job.port() + "\"";
  }
  const std::string each = " --nproc_per_node=" + processes;
  if (!job.may_have_nodes()) return "torchrun" + std::string(says_where(job) ? "" : " --standalone") + each;
  const std::string head = job.head();
  return "torchrun --nnodes=" + job.nodes_word() + each + " --rdzv_backend=c10d --rdzv_id=\"" +
         std::string(job.dialect.variables.job_id) + "\" \\\n    --rdzv_endpoint=\"" + head + ":" + job.port() + "\"";
}

// The words that start the program. The script fills in `known`; `late` follow them and are filled in by a shell on
// the node, because one of them has a value that only the node or the process knows.
struct ProgramWords {
  std::string known, late;
};

// The arguments of the image's own entrypoint. Only the image knows that, so no shell can be in front of it.
ProgramWords entrypoint_arguments(Job& job) {
  const std::vector<model::Text> arguments = texts_of(job.role.args);
  job.exact(Field::args, "arguments of the image's entrypoint");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!is_late(job, arguments[i])) continue;
    job.refuse_at(job.role.args[i].span, Field::args,
                  "this value is filled in by a shell in front of the program, but only the image knows its entrypoint",
                  "write `command`");
    return {};
  }
  return {argument_words(job, arguments, Field::args, false), {}};
}

// command or script with args: what the launcher is given, or what runs by itself.
ProgramWords program_arguments(Job& job) {
  const model::Role& role = job.role;
  if (model::runs_entrypoint(job.workload, role)) return entrypoint_arguments(job);
  const model::Argv argv = model::started_command(job.workload, role);
  if (!role.program && argv.empty()) {
    job.refuse(Field::command, "the workload has neither `command` nor `script`");
    return {};
  }
  const std::vector<model::Text> arguments = texts_of(role.args);
  if (!can_fill_in(job, arguments, Field::args) || !can_fill_in(job, argv, Field::command)) return {};
  const auto late = [&](const std::vector<model::Text>& texts) {
    return std::any_of(texts.begin(), texts.end(), [&](const model::Text& text) { return is_late(job, text); });
  };
  const bool late_args = late(arguments), late_command = late(argv);
  const std::string args = argument_words(job, arguments, Field::args, late_args || late_command);
  const auto with_args = [&](std::string words) -> ProgramWords {
    if (late_args) return {std::move(words), args};
    return {args.empty() ? std::move(words) : words + " " + args, {}};
  };
  job.exact(Field::args, "arguments of the program");
  if (role.program && std::holds_alternative<model::Script>(role.program->value)) {
    const model::Script* script = &std::get<model::Script>(role.program->value);
    job.exact(Field::script, "a here-document");
    job.exact(Field::script_flags, "flags of the interpreter");
    std::string words = script_words(job, *script, "script", Field::script, role.script_flags);
    if (arguments.empty() && contract::reads_arguments(*script)) words += " \"$@\"";
    return with_args(std::move(words));
  }
  const bool launcher = row_of(job.runner()).opens_file;
  if (argv.empty() && role.program && job.workload.kind.value == model::Kind::dev) {
    job.refuse(Field::command, "this runner starts a program on its own, not a shell to type in",
               "write `launch { runner = none }`, and start the launcher in that shell");
    return {};
  }
  if (argv.empty() || argv[0] == model::Text() || (argv[0].bytes.starts_with('-') && !launcher)) {
    job.refuse(Field::command, "a command must begin with a program");
    return {};
  }
  job.exact(Field::command, "the program");
  std::string words = argument_words(job, argv, Field::command, late_command || (late_args && !launcher));
  if (launcher) {
    const std::string flags = launcher_option_words(job);
    const std::string starter = launcher_words(job) + (flags.empty() ? "" : " " + flags);
    if (late_command) return {starter, args.empty() ? words : words + " " + args};
    return with_args(starter + " " + words);
  }
  if (late_command || late_args) return {{}, args.empty() ? words : words + " " + args};
  // Not the builtin of that name, where the batch shell starts it.
  if (!starts_in_step(job) && !job.in_container() && shell::bash_runs(argv[0].bytes)) words = "env " + words;
  return with_args(words);
}

// " NAME=value" of what only the node knows, as far as `wants` says.
std::string names_of_node(const Job& job, const auto& wants) {
  const JobVariables& known = job.dialect.variables;
  std::string out;
  const auto add = [&](std::string_view name, std::string_view value) {
    if (job.wanted.has(name) && wants(name)) out += " " + std::string(name) + "=" + std::string(value);
  };
  const bool one_each = job.part.copies_of_step > 1;  // a node is a replica
  if (one_each) add("MUSTER_REPLICA", known.node_rank);
  add("MUSTER_NODE_RANK", one_each ? "0" : known.node_rank);
  add("MUSTER_NODE_ADDR", known.node_name);
  return out;
}

// `export` of what only the node knows, and of what only a process does; "" where nothing wants it.
std::string own_names(Job& job) {
  const JobVariables& known = job.dialect.variables;
  const model::RunnerVariables& launcher = row_of(job.runner()).variables;
  std::string out = names_of_node(job, [](std::string_view) { return true; });
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!name.empty()) out += " " + std::string(name) + "=" + std::string(value);
  };
  const bool forked = job.dialect.forks_processes && job.tasks() > 1;  // with their ranks
  if (!forked) {
    add(launcher.process_rank, known.process_rank);
    add(launcher.local_rank, known.local_rank);
  }
  for (const auto& [name, word] : slurm_names(job, true)) add(name, word);
  for (const model::EnvVar& variable : job.role.env)
    if (is_late(job, variable.value)) add(variable.name, text_word(job, variable.value, true));
  return out.empty() ? out : "export" + out;
}

// A signal that the launcher would die of goes to its workers alone: a step's signal reaches all of its processes.
std::string launcher_ignores(const Job& job) {
  const bool command = job.role.program && std::holds_alternative<model::Argv>(job.role.program->value);
  if (!job.workload.stop || !command || !contract::is_torch_launcher(job.runner())) return {};
  const std::string& signal = job.workload.stop->signal.value;
  return contract::torch_passes(signal) ? std::string() : "trap '' " + signal + "; ";
}

// A launcher that is told the number of its node.
bool tells_rank(const Job& job) {
  const bool command = job.role.program && std::holds_alternative<model::Argv>(job.role.program->value);
  return job.runner() == Runner::accelerate && command && job.may_have_nodes();
}

bool moves(const Job& job) {
  return job.container.runtime == model::Containers::enroot && !job.container.workdir.empty();
}

bool enters_late(const Job& job) { return job.role.workdir && is_late(job, job.role.workdir->value); }

// What only the node knows is set by a few words of sh in front of the program; "" where it needs none.
std::string node_text(Job& job, const ProgramWords& words) {
  const std::string names = own_names(job), ignores = launcher_ignores(job);
  if (names.empty() && ignores.empty() && words.late.empty() && !tells_rank(job) && !moves(job) && !enters_late(job) &&
      !job.keeps_record())
    return {};
  std::string text = ignores + (names.empty() ? "" : names + "; ");
  if (moves(job)) text += "cd \"$0\" || exit; ";
  if (enters_late(job)) text += "cd " + text_word(job, job.role.workdir->value, true) + " || exit; ";
  const std::string rank = "\"" + std::string(job.dialect.variables.node_rank) + "\"";
  const std::string program =
      (tells_rank(job) ? "accelerate launch --machine_rank " + rank + " " : "") +
      (words.known.empty() ? words.late : "\"$@\"" + (words.late.empty() ? "" : " " + words.late));
  if (!job.keeps_record()) return text + "exec " + program;
  // A step reports the highest status, that of a task it killed itself: the first to fail writes its own.
  const std::string signal =
      job.workload.stop && job.workload.stop->signal.value != "TERM" ? " " + job.workload.stop->signal.value : "";
  return text + "trap : TERM" + signal + "\nrc=0; " + program + " || rc=$?\n" +
         "[ \"$rc\" -eq 0 ] || (set -C; echo \"$rc\" > \"$record\") 2>/dev/null || :\nexit \"$rc\"";
}

// The image's own entrypoint in its container. `needs_shell`: something is to be set by a shell in front of it.
std::string entrypoint_words(Job& job, const ProgramWords& program, bool needs_shell) {
  if (job.keeps_record())
    job.refuse(Field::retry_exit_codes,
               "a shell around the program keeps its exit code, but only the image knows its entrypoint",
               "remove `exit-codes`, or write `command`");
  else if (needs_shell && !moves(job))
    job.refuse(Field::image,
               "only a shell on the node can set what the program reads, but only the image knows its entrypoint",
               "write `command`");
  const std::string prefix = entrypoint_prefix(job);
  return program.known.empty() ? prefix.substr(0, prefix.find_last_not_of(' ') + 1) : prefix + program.known;
}

// The program in its container, behind those words; writes the lines that they need.
std::string node_words(Job& job, const ProgramWords& program) {
  if (job.keeps_record()) {
    const std::string dir = job.dir();
    job.line("export record=" + dir + "/exit." + std::string(job.dialect.variables.restarts));
  }
  const std::string text = node_text(job, program);
  if (model::runs_entrypoint(job.workload, job.role)) return entrypoint_words(job, program, !text.empty());
  const std::string container = container_prefix(job);
  if (text.empty()) return container + program.known;
  job.line("# shellcheck disable=SC2016  # expanded on each node");
  std::string words = sh_word(text);
  // The remark above is for the next line, and a program that is waited for has others in front of it.
  if (text.find('\n') != std::string::npos || !ends_with_program(job)) {
    job.line("node=" + words);
    words = "\"$node\"";
  }
  if (program.known.empty() && !moves(job)) return container + "sh -c " + words;
  return container + "sh -c " + words + " " + (moves(job) ? job.container.workdir : "sh") + " " + program.known;
}

// `$1` in the setup is `$1` of the program. True: a shell on the node fills them in.
bool add_arguments_of_setup(Job& job, std::string& words) {
  if (!contract::reads_arguments(job.role.setup->value)) return false;
  const std::vector<model::Text> arguments = texts_of(job.role.args);
  const auto late = [&](const model::Text& text) { return is_late(job, text); };
  if (std::any_of(arguments.begin(), arguments.end(), late)) return true;
  words += " " + (arguments.empty() ? "\"$@\"" : argument_words(job, arguments, Field::args, false));
  return false;
}

void add_setup(Job& job) {
  if (!job.role.setup) return;
  std::string script = script_words(job, job.role.setup->value, "setup", Field::setup);
  const bool late = add_arguments_of_setup(job, script);
  const std::string_view text = job.role.setup->value.bytes;
  const std::string names =
      names_of_node(job, [&](std::string_view name) { return text.find(name) != std::string_view::npos; });
  if (!names.empty() || late) {
    job.line("# shellcheck disable=SC2016  # expanded on each node");
    const std::string words = late ? " " + argument_words(job, texts_of(job.role.args), Field::args, true) : "";
    const std::string exports = names.empty() ? "" : "export" + names + "; ";
    script = "sh -c " + sh_word(exports + "exec \"$@\"" + words) + " sh " + script;
  }
  const std::string words = container_prefix(job) + script;
  const bool step = job.may_have_nodes() || job.container.runtime == model::Containers::pyxis || job.part.is_part();
  job.line(start_with(step ? on_all(job, 1) : "", words));
  if (job.in_container())
    job.approximated(Field::setup, "a step of its own",
                     "each step has a new container, so changes that setup makes to the image are lost");
  else job.exact(Field::setup, step ? "a step of its own" : "run before the program");
}

void add_mpi(Job& job, const ProgramWords& program) {
  const std::string tasks = std::to_string(job.tasks());
  if (job.batch.mpi == model::Mpi::mpirun) {
    const std::string flags = launcher_option_words(job);
    const std::string mpirun = "mpirun -np " + job.nodes_word(job.tasks()) + " --map-by ppr:" + tasks + ":node" +
                               (flags.empty() ? "" : " " + flags);
    const std::string words = node_words(job, program);
    return add_run(job, start_with(signal_before_end(job) + mpirun, words), false);
  }
  const std::string words = node_words(job, program);
  add_run(job, start_with(program_step(job, true), words), true);
}

// A script of bash that the batch shell can go on with: nothing starts it elsewhere, and nothing comes after it.
bool runs_in_place(const Job& job) {
  const auto* script = job.role.program ? std::get_if<model::Script>(&job.role.program->value) : nullptr;
  if (script == nullptr || script->interpreter != "bash" || !script->bytes.ends_with('\n')) return false;
  if (!job.role.script_flags.empty() || starts_in_step(job) || job.in_container()) return false;
  const bool fixed = std::all_of(job.role.args.begin(), job.role.args.end(),
                                 [](const model::Located<model::Text>& arg) { return arg.value.is_plain(); });
  const Runner r = job.runner();
  const bool plain = r == Runner::none || r == Runner::torchrun || r == Runner::accelerate;
  // It would see variables of this file.
  const bool alone = !job.own.port && !job.own.dir && !job.own.tmp && !job.wanted.has("MUSTER_PORT");
  const bool at_end = ends_with_program(job) && requeue_when_preempted(job).empty();
  return fixed && plain && alone && at_end && signal_before_end(job).empty() &&
         script->bytes.find('\r') == std::string::npos;
}

// The shell that set all up stops at errors.
void add_in_place(Job& job) {
  const model::Script& script = std::get<model::Script>(job.role.program->value);
  job.exact(Field::script, "the end of the file");
  job.exact(Field::args, "the arguments of the text");
  if (contract::refuse_nul(job, script.bytes, Field::script, "the text")) return;
  job.line(no_longer_stops);
  std::vector<std::string> arguments;
  for (const auto& arg : job.role.args) arguments.push_back(arg.value.bytes);
  if (!arguments.empty()) job.script_in_place = "set -- " + argument_words(job, arguments, Field::args) + "\n";
  job.script_in_place += script.bytes;
  job.body += job.script_in_place;
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

bool starts_in_step(const Job& job) {
  const Runner r = job.runner();
  if (r == Runner::ray || r == Runner::batch_script) return false;
  return job.may_have_nodes() || r == Runner::processes || r == Runner::mpi || job.part.is_part() ||
         job.container.runtime == model::Containers::pyxis;
}

void add_launch(Job& job) {
  check_launch(job);
  add_passed_names(job);
  add_setup(job);
  if (runs_in_place(job)) return add_in_place(job);
  const ProgramWords program = program_arguments(job);
  const Runner r = job.runner();
  add_command_probe(job);
  if (r == Runner::ray) return add_ray(job, program.known);
  if (r == Runner::batch_script) {
    add_rank_0(job);
    return add_run(job, signal_before_end(job) + program.known, false);
  }
  const bool step = starts_in_step(job);
  if (r == Runner::mpi) return add_mpi(job, program);
  // The batch shell has already what the one node knows; Enroot starts with less than it has.
  const bool late =
      !program.late.empty() || enters_late(job) ||
      std::any_of(job.role.env.begin(), job.role.env.end(), [&](const auto& v) { return is_late(job, v.value); });
  const bool plain = !step && !late && job.container.runtime != model::Containers::enroot &&
                     !model::runs_entrypoint(job.workload, job.role);
  const std::string words = plain ? container_prefix(job) + program.known : node_words(job, program);
  add_run(job, start_with(step ? program_step(job) : "", signal_before_end(job) + words), step);
}

void add_rank_0(Job& job) {
  if (!job.may_have_nodes()) return;
  const contract::Variables names = {{"MUSTER_NODE_RANK", "0"}, {"MUSTER_NODE_ADDR", job.head_word()}};
  Exports exports(job.body);
  contract::add(exports, names, job.wanted);
  if (job.wanted.has("MUSTER_NODE_ADDR")) job.head();
}

std::string setup_of(Job& job) {
  plan_container(job);
  add_software(job);
  add_fabric(job);
  return job.body.find("MUSTER_") == std::string::npos ? job.body : std::string();
}

void begin(Job& job) {
  job.wanted = contract::wanted_by(job.plan, job.shape);
  contract::check_wanted(job, job.plan, job.shape);
  if (job.wanted.has("MUSTER_DIR") || job.wanted.has("MUSTER_HOSTFILE") || job.wanted.has_any("MUSTER_HOSTS_"))
    job.dir();
  if (job.wanted.has("MUSTER_TMP") || model::refers_to(job.role, model::RefersTo::run, "tmp"))
    job.own.tmp = job.own.tmp_is_named = true;
  plan_container(job);
}

namespace {

// The system's own names, those that the texts have in place, and what the lines so far export.
void refuse_names_of_others(Job& job) {
  const std::string_view prefix = job.dialect.variables.prefix;
  const std::string_view family = prefix.substr(0, prefix.find('_'));  // SLURMD_ too
  const auto gives = [&](std::string_view name) {
    return name == "TMPDIR" || name.starts_with(family) || !slurm_word(job, name).empty() ||
           job.body.find(std::string(name) + "=") != std::string::npos;
  };
  contract::refuse_ungiven(job, contract::names_of_systems(job.plan, job.shape), gives, job.system(), job.sources);
}

}  // namespace

void add_program(Job& job) {
  add_software(job);
  // What the rest needs is set before it.
  const std::string before = job.has_setup ? std::string() : job.body;
  job.body.clear();
  add_files(job);
  add_code(job);
  const std::string so_far = job.body;
  add_fabric(job);
  if (job.has_setup) {
    job.body = so_far;
    job.exports_end = 0;
  }
  add_secrets(job);
  add_user_environment(job);
  add_access(job);
  job.dialect.preflight(job);
  add_launch(job);
  const std::string rest = std::exchange(job.body, before);
  add_contract(job);
  refuse_names_of_others(job);
  job.body += rest;
  report_needs_of_role(job);
}

}  // namespace muster::targets::batch
