#include <algorithm>
#include <cstdio>
#include <iterator>

#include "targets/shell.h"
#include "targets/slurm/sections.h"

namespace muster::targets::slurm {
namespace {

using model::Runner;

constexpr std::size_t longest_inline = 96 * 1024;  // one argument holds 128 KiB
constexpr std::size_t longest_argument = 128 * 1024 - 1;
constexpr std::string_view accelerate_launch =
    "accelerate launch --num_machines \"$MUSTER_NODES\" --num_processes \"$MUSTER_WORLD_SIZE\" --machine_rank "
    "\"$MUSTER_NODE_RANK\""
    " --main_process_ip \"$MUSTER_HEAD_ADDR\" --main_process_port \"$MUSTER_PORT\"";

// Every count is said: since 22.05 srun does not take --cpus-per-task from the job, and it would take
// the number of tasks from it where the step has fewer.
std::string srun(const Job& job, std::int64_t nodes, std::int64_t tasks, const std::string& more = {}) {
  const bool like_job = nodes == job.shape.nodes && tasks == job.tasks() && !job.part.is_part();
  std::string out = "srun --nodes=" + std::to_string(nodes);
  if (!like_job) out += " --ntasks=" + std::to_string(nodes * tasks);
  out += " --ntasks-per-node=" + std::to_string(tasks) + " --cpus-per-task=" + cpus_a_task(job, tasks) +
         " --kill-on-bad-exit=1" + job.part.step;
  if (!job.inherits_all()) out += " --export=ALL";
  return out + more + container_flags(job);
}

std::string joined(const std::string& starter, const std::string& program) {
  if (starter.empty()) return program;
  return starter + (starter.size() + program.size() < 110 ? " " : " \\\n  ") + program;
}

std::string argument_words(Job& job, const auto& arguments, std::string_view field) {
  std::string out;
  for (const std::string& argument : arguments) {
    if (has_nul(argument) || argument.size() > longest_argument) {
      const std::string message = "an argument cannot hold a NUL byte or more than 128 KiB";
      job.diagnostics.add(Code::name_not_valid, job.span_of(field), message);
      job.loss.refused(std::string(field), message);
    }
    out += (out.empty() ? "" : " ") + sh_word(argument);
  }
  return out;
}

std::vector<std::string> values(const std::vector<model::Located<std::string>>& items) {
  std::vector<std::string> out;
  for (const auto& item : items) out.push_back(item.value);
  return out;
}

// The words that run a script's bytes; writes the lines that bring the bytes there.
std::string script_words(Job& job, const model::Script& script, const std::string& variable, std::string_view field,
                         const std::vector<model::Located<std::string>>& flags = {}) {
  if (has_nul(script.bytes)) {
    const std::string message = "the text holds a NUL byte, which no shell can carry";
    job.diagnostics.add(Code::name_not_valid, job.span_of(field), message);
    job.loss.refused(std::string(field), message);
    return {};
  }
  const bool python = script.interpreter == "python";
  std::string interpreter = python ? "python3" : sh_word(script.interpreter);
  if (const std::string words = argument_words(job, values(flags), "script-flags"); !words.empty())
    interpreter += " " + words;
  // The C shells read their structures only from a file.
  const bool c_shell = script.interpreter.ends_with("csh");
  if (script.bytes.size() <= longest_inline && !c_shell) {
    job.body += sh_variable(variable, script.bytes);
    return interpreter + " -c \"$" + variable + "\"" + (python ? "" : " " + sh_word(job.workload.name));
  }
  const bool one_reader = job.shape.nodes == 1 || job.runner() == Runner::batch_script;
  if (!job.site.job_dir && !one_reader)
    job.refuse(
        field,
        "a text of more than 96 KiB or for a C shell is written to the site's job folder for all nodes, and site `" +
            job.site.name + "` has none",
        "add `job-dir = \"/shared/path\"` to the site");
  const std::string path = "\"$MUSTER_DIR/" + variable + "\"";
  job.body += sh_file(path, script.bytes, "TEXT");
  return interpreter + " " + path;
}

void check_launch(Job& job) {
  const model::Launch& launch = job.role.launch;
  const bool script = job.role.program && std::holds_alternative<model::Script>(job.role.program->value);
  const Runner r = job.runner();
  if (r == Runner::batch_script && !script) job.refuse("launch.runner", "runner `batch-script` needs a `script`");
  const bool mpirun = r == Runner::mpi && job.plane.mpi == model::Mpi::mpirun;
  const bool takes = r == Runner::ray || mpirun || ((r == Runner::torchrun || r == Runner::accelerate) && !script);
  if (!launch.args.empty() && !takes)
    job.refuse("launch.args",
               script ? "the script calls the launcher itself, so these flags reach nobody"
                      : "no launcher takes these flags here",
               script ? "write them in the script" : "");
  if (mpirun && job.container.runtime == model::Containers::pyxis)
    job.refuse("image", "mpirun cannot start its ranks in a Pyxis container", "use `mpi = pmix` in the site");
  job.exact("launch.runner", job.tasks() > 1 || job.shape.nodes > 1 ? "srun" : "the batch shell");
  job.exact("launch.processes", "MUSTER_PROCS_PER_NODE=" + std::to_string(job.shape.processes));
  job.exact("launch.args", "arguments of the launcher");
  job.approximated("launch.version", "nothing", "the version is that of the software at the site");
  job.read("launch.compat", "the choice of names: Slurm sets its own");
}

// command or script with args: what the launcher is given, or what runs by itself.
std::string program_words(Job& job) {
  const model::Role& role = job.role;
  const model::Argv server = model::server_command(job.workload, role);
  if (!role.program && server.empty()) {
    job.refuse("command", "the workload has neither `command` nor `script`");
    return {};
  }
  const std::string args = argument_words(job, values(role.args), "args");
  const auto with_args = [&](std::string words) { return args.empty() ? words : words + " " + args; };
  job.exact("args", "arguments of the program");
  if (role.program && std::holds_alternative<model::Script>(role.program->value)) {
    const model::Script* script = &std::get<model::Script>(role.program->value);
    job.exact("script", "a here-document");
    job.exact("script-flags", "flags of the interpreter");
    return with_args(script_words(job, *script, "script", "script", role.script_flags));
  }
  const model::Argv& argv = role.program ? std::get<model::Argv>(role.program->value) : server;
  const bool launcher = job.runner() == Runner::torchrun || job.runner() == Runner::accelerate;
  if (argv.empty() || argv[0].empty() || (argv[0][0] == '-' && !launcher)) {
    job.refuse("command", "a command begins with the program's name");
    return {};
  }
  job.exact("command", "the program");
  std::string words = argument_words(job, argv, "command");
  const std::string flags = argument_words(job, values(role.launch.args), "launch.args");
  if (launcher && !flags.empty()) words = flags + " " + words;
  if (job.runner() == Runner::torchrun) words = "torchrun " + words;
  // Not the builtin of that name.
  else if (!launcher && bash_runs(argv[0])) words = "env " + words;
  return with_args(words);
}

bool launches_accelerate(const Job& job) {
  return job.runner() == Runner::accelerate && job.role.program &&
         std::holds_alternative<model::Argv>(job.role.program->value);
}

// What only the node knows is set by a few lines of sh in front of the program.
void add_node_prelude(Job& job) {
  std::string text = "export MUSTER_NODE_RANK=$SLURM_NODEID MUSTER_NODE_ADDR=$SLURMD_NODENAME";
  if (job.runner() == Runner::torchrun) text += " PET_NODE_RANK=$SLURM_NODEID";
  if (job.runner() == Runner::processes) text += " RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID";
  const bool plain =
      !launches_accelerate(job) && !job.keeps_record() && job.container.runtime != model::Containers::enroot;
  text += plain ? "; " : "\n";
  if (job.container.runtime == model::Containers::enroot && !job.container.workdir.empty())
    text += "cd \"$0\" || exit\n";
  const std::string program = launches_accelerate(job) ? std::string(accelerate_launch) + " \"$@\"" : "\"$@\"";
  if (!job.keeps_record()) {
    text += "exec " + program;
  } else {
    // srun reports the highest status, that of a task it killed itself: the first to fail writes its own.
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
  std::string words = container_prefix(job) + script_words(job, job.role.setup->value, "setup", "setup");
  const bool step = job.shape.nodes > 1 || job.container.runtime == model::Containers::pyxis || job.part.is_part();
  job.line(joined(step ? srun(job, job.shape.nodes, 1) : "", words));
  if (job.in_container())
    job.approximated("setup", "a step of its own",
                     "each step has a fresh container: what setup writes into the image is not kept");
  else job.exact("setup", step ? "a step of its own" : "run before the program");
}

void add_mpi(Job& job, const std::string& program) {
  const std::string tasks = std::to_string(job.tasks());
  if (job.plane.mpi == model::Mpi::mpirun) {
    const std::string flags = argument_words(job, values(job.role.launch.args), "launch.args");
    const std::string mpirun = "mpirun -np " + std::to_string(job.shape.nodes * job.tasks()) +
                               " --map-by ppr:" + tasks + ":node" + (flags.empty() ? "" : " " + flags);
    return add_run(job, joined(mpirun, node_words(job, program)), false);
  }
  const std::string mpi = job.plane.mpi == model::Mpi::pmix ? " --mpi=pmix" : " --mpi=pmi2";
  add_run(job, joined(srun(job, job.shape.nodes, job.tasks(), mpi), node_words(job, program)), true);
}

// Every port that a node of Ray listens on is one of the job's ten: two clusters may share a node. Its workers take
// what the kernel has free.
constexpr std::string_view head_ports[] = {"port", "ray-client-server-port", "dashboard-port"};
constexpr std::string_view node_ports[] = {"node-manager-port",         "object-manager-port",
                                           "dashboard-agent-grpc-port", "dashboard-agent-listen-port",
                                           "metrics-export-port",       "runtime-env-agent-port"};

// `--NAME=PORT`: the port of the job with that number.
std::string port_flag(std::string_view name, std::size_t number) {
  const std::string sum = "$((MUSTER_PORT + " + std::to_string(number) + "))";
  return "--" + std::string(name) + "=\"" + (number == 0 ? "$MUSTER_PORT" : sum) + "\"";
}

// Ray 2.7.1 learnt where the last of them is to be (ray-project/ray, pull request 39919).
bool is_old_ray(const Job& job) {
  const auto& version = job.role.launch.version;
  int major = 0, minor = 0;
  return version && std::sscanf(version->value.c_str(), "%d.%d", &major, &minor) == 2 &&
         model::Version{major, minor} < model::Version{2, 8};
}

// `ray_ports=(…)`: what every node is started with.
std::string port_array(const Job& job) {
  std::string out = "ray_ports=(";
  const std::size_t known = std::size(node_ports) - (is_old_ray(job) ? 1 : 0);
  for (std::size_t i = 0; i < known; ++i)
    out += (i % 3 == 0 ? "\n  " : " ") + port_flag(node_ports[i], std::size(head_ports) + i);
  return out + "\n  --min-worker-port=0 --max-worker-port=0)";
}

// The driver's end is the job's: the steps of the cluster end with the job.
void add_ray(Job& job, const std::string& program) {
  const bool pyxis = job.container.runtime == model::Containers::pyxis;
  const std::string nodes = std::to_string(job.shape.nodes), workers = std::to_string(job.shape.nodes - 1);
  const std::string cpus = job.shape.cpus ? std::to_string(*job.shape.cpus) : "\"$SLURM_CPUS_ON_NODE\"";
  const std::string flags = argument_words(job, values(job.role.launch.args), "launch.args");
  std::string head_flags;
  for (std::size_t i = 0; i < std::size(head_ports); ++i) head_flags += " " + port_flag(head_ports[i], i);
  const std::string amounts = " \"${ray_ports[@]}\" --num-cpus=" + cpus +
                              " --num-gpus=" + std::to_string(job.shape.gpus) + (flags.empty() ? "" : " " + flags) +
                              " --block &";
  const std::string on_head = " --overlap --nodelist=\"$MUSTER_HEAD_ADDR\"";
  job.line("head_ip=$(getent ahostsv4 \"$MUSTER_HEAD_ADDR\" | awk 'NR == 1 {print $1}')");
  job.line("export RAY_ADDRESS=\"${head_ip:?the head node has no address}:$MUSTER_PORT\"");
  job.line(port_array(job));
  job.line(joined(srun(job, 1, 1, on_head), container_prefix(job) + "ray start --head --node-ip-address=\"$head_ip\"" +
                                                head_flags + amounts + " head=$!"));
  if (job.shape.nodes > 1)
    job.line(joined(srun(job, job.shape.nodes - 1, 1, " --exclude=\"$MUSTER_HEAD_ADDR\""),
                    container_prefix(job) + "ray start --address=\"$RAY_ADDRESS\"" + amounts));
  const std::string here = pyxis ? srun(job, 1, 1, on_head) + " " : container_prefix(job);
  job.line("tries=0");
  job.line("until [ \"$(" + here + "ray status 2>/dev/null | grep -cE '^ +1 node_')\" -ge " + nodes + " ]; do");
  job.line(
      "  if ! kill -0 \"$head\" 2>/dev/null || ((++tries > 120)); then echo 'muster: the Ray cluster did not come up' "
      ">&2; exit 1; fi");
  job.line("  sleep 5");
  job.line("done");
  if (job.shape.nodes > 1) job.line("export MUSTER_NODE_RANK=0 MUSTER_NODE_ADDR=\"$MUSTER_HEAD_ADDR\"");
  add_run(job, joined(pyxis ? srun(job, 1, 1, on_head) : "", container_prefix(job) + program), false);
}

}  // namespace

std::string cpus_a_task(const Job& job, std::int64_t tasks) {
  if (job.shape.cpus) return std::to_string(std::max<std::int64_t>(1, *job.shape.cpus / tasks));
  return tasks == 1 ? "\"$SLURM_CPUS_ON_NODE\"" : "\"$((SLURM_CPUS_ON_NODE / " + std::to_string(tasks) + "))\"";
}

void add_launch(Job& job) {
  check_launch(job);
  add_passed_names(job);
  add_setup(job);
  const std::string program = program_words(job);
  const Runner r = job.runner();
  if (r == Runner::ray) return add_ray(job, program);
  if (r == Runner::batch_script) {
    if (job.shape.nodes > 1) job.line("export MUSTER_NODE_RANK=0 MUSTER_NODE_ADDR=\"$MUSTER_HEAD_ADDR\"");
    return add_run(job, program, false);
  }
  const bool step = job.shape.nodes > 1 || r == Runner::processes || r == Runner::mpi || job.part.is_part() ||
                    job.container.runtime == model::Containers::pyxis;
  const bool enroot = job.container.runtime == model::Containers::enroot;
  if (!step && !enroot)
    return add_run(
        job, container_prefix(job) + (launches_accelerate(job) ? std::string(accelerate_launch) + " " : "") + program,
        false);
  add_node_prelude(job);
  if (r == Runner::mpi) return add_mpi(job, program);
  add_run(job, joined(step ? srun(job, job.shape.nodes, job.tasks()) : "", node_words(job, program)), step);
}

}  // namespace muster::targets::slurm
