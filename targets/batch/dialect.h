// A batch system as a dialect: how it spells what every batch job asks for, what it tells a running job, and how it
// starts a program on the job's nodes. `targets/batch` writes the job script over this table; a batch system is a
// folder with one `Dialect` (targets/slurm/dialect.cc) and its readers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/units.h"
#include "compiler/model/site.h"
#include "targets/loss.h"

namespace muster::plan {
struct RolePlan;
}

namespace muster::targets::batch {

struct Job;

// What a job asks for in one option and value.
enum class Request : std::uint8_t {
  name,
  account,
  queue,
  qos,
  features,
  reservation,
  priority,
  time,
  array,
  folder,
  output,
  error,
};

// The option of a request: "--account", "-A", "-l walltime". A system without one has no row.
struct Spelling {
  Request request;
  std::string_view option;
};

// What the system tells a running job, in bash: "$SLURM_JOB_ID". "" where it does not.
struct JobVariables {
  std::string_view prefix;       // of all variables that it sets: "SLURM"
  std::string_view job_id;       // of this job
  std::string_view job_number;   // its number, for arithmetic: "SLURM_JOB_ID", "${PBS_JOBID%%[.[]*}"
  std::string_view array_id;     // of the array as a whole
  std::string_view array_index;  // of this task in it
  std::string_view restarts;     // how often the job was started again
  std::string_view submit_dir;   // where it was submitted
  std::string_view submit_host{};
  std::string_view node_count{};  // how many nodes the job has; "": no job has a range of them
  std::string_view hosts;         // a command that prints the job's hosts, one a line, the first node first
  std::string_view node_name;     // on each node: its name
  bool named_by_list = false;     // the script of one node, too, finds its name among the hosts
  std::string_view node_rank;     // on each node, counted from 0
  std::string_view process_rank;  // of a process that the step started: among all, and on its node
  std::string_view local_rank;
  std::string_view cpus;    // on the node, where the job did not say
  std::string_view memory;  // MiB of the job on the node, where the job did not say
};

// Which nodes of the job a step takes.
enum class On : std::uint8_t {
  all,     // of the job, or of the part
  head,    // the first one, beside what runs there
  others,  // all but the first
};

// A program on nodes of the job.
struct Step {
  std::int64_t nodes = 1;
  std::int64_t tasks = 1;  // a node
  On on = On::all;
  bool mpi = false;  // its processes find each other by the system's own means
};

// Where a part of a job (a role, or a replica of one) has its nodes.
struct PartPlace {
  std::string first;                       // the number of its first node, or an expression of bash arithmetic
  bool is_expression = false;              // the latter
  std::optional<std::size_t> component{};  // of a job whose roles differ in shape
  // Where other roles are on the same nodes: what it has of each of them, and what all have.
  const plan::RolePlan* share = nullptr;
  const plan::RolePlan* whole = nullptr;
};

// Words by which one job waits for another: `afterok:1,afterany:2`, or `done(1) && ended(2)`.
struct Chain {
  std::string_view success, finish, failure, start;
  std::string_view before = ":", behind = "", between = ",";  // of the id, and of two such words
  std::string_view each{};  // after the success of the same task of the other array; "": there is none
};

// How a job is started again.
struct Restart {
  std::string_view again, once;  // flags: it may be, it may not
  std::string_view log_mode;     // option by which the logs of an attempt are kept, and its two values; "": none
  std::string_view append, truncate;
  std::string_view command;      // in the job: starts it again; "": a job cannot start itself again
  std::string_view id;           // what follows the command
  std::string_view running;      // condition: the system has not ended this job, so starting it again is right
  std::string_view preempted{};  // condition: it is about to end it for another job; "": it requeues such a job anyway
  std::string_view on_exit{};    // option: the exit codes after which it is started again, without a limit
  std::string_view any_failure{};  // its value for all but 0
  bool adds_to_logs = false;       // without such an option: the dialect's own `add_logs` says it
};

struct Dialect {
  std::string_view system;      // in messages: "Slurm"
  std::string_view target;      // "slurm"
  std::string_view ray_target;  // that starts a Ray cluster in the job
  model::PlaneKind plane;
  std::string_view command;                   // that submits: "sbatch"
  std::string_view starter;                   // that starts steps: "srun"
  std::string_view extension;                 // of the file
  std::string_view sentinel;                  // in front of each directive: "#SBATCH "
  std::string_view queue_word = "partition";  // of a site's queue, in messages
  std::string_view after_term = "KillWait";   // the site's setting for the time between TERM and KILL
  std::string_view end_signal = "TERM";       // what it sends at the time limit
  std::string_view no_warning = "sends no signal before the end";  // without `ask_warning`: why
  std::string_view chain_option = "--dependency";
  std::int64_t time_step = 1;     // seconds: limits are whole numbers of them
  std::int64_t first_task = 0;    // the least number that a task of an array can have
  bool reads_whole_file = false;  // lines of the body that look like directives are such
  bool starts_at_home = false;    // the script starts in the user's home, not where it was submitted
  bool names_features = true;     // features of nodes are an option; else they are in that of the size
  bool unlike_parts = false;      // one list of nodes may have unlike ones, so that roles need not be components
  bool divides_nodes = true;      // steps can share a node, each with its part of it
  bool forks_processes = false;   // a step starts one process on a node, where its script starts several
  bool gives_slurm_names = true;  // to its jobs
  bool returns_output = true;     // what a step prints comes to the script, which may put it into another file
  std::span<const Spelling> spellings;
  JobVariables variables;
  Restart restart;

  // Add an option with a value, or a bare flag, on behalf of a field; refuse what the line cannot hold and what the
  // plane's version lacks.
  void (*add_option)(Job& job, std::string_view option, std::string_view value, const FieldRef& field);
  void (*add_flag)(Job& job, std::string_view flag, const FieldRef& field);
  // How values are spelt. nullopt: the system cannot.
  std::string (*time)(Duration limit);
  std::string (*array)(std::span<const std::int64_t> ascending, std::optional<std::int64_t> at_once);
  std::optional<std::string> (*log_file)(std::string_view pattern, std::string_view role);
  // Where the output goes, of a system whose options do not say it by a pattern; nullptr: add_logs does.
  void (*add_logs)(Job& job) = nullptr;

  // Requests that every system shapes in its own way, in the order in which they are written. Each accounts for the
  // fields that it carries.
  void (*ask_size)(Job& job);  // nodes, tasks, cpus, GPUs, memory, disk
  // The CPUs of a node that the job has then, where they were said; nullptr: as many as were asked for.
  std::optional<std::int64_t> (*granted_cpus)(const Job& job) = nullptr;
  // USR1 to the job's shell before the end; false: refused. nullptr: the system sends none, and `timeout` sends the
  // signal to the program.
  bool (*ask_warning)(Job& job, std::int64_t seconds);
  void (*ask_notices)(Job& job);  // licenses, mail, labels
  void (*ask_nodes)(Job& job);    // which nodes, near each other
  void (*ask_own)(Job& job);      // what user and site say in the system's own options
  // Directives that keep the system from reading lines of the body as its own.
  std::vector<std::string> (*guards)(std::string_view body);
  // Lines above the body that set what its words read; nullptr: there are none.
  std::string (*prelude)(const Job& job, std::string_view body) = nullptr;

  // The words that start what follows on nodes of the job, and their options for a part of it.
  std::string (*step)(const Job& job, const Step& step);
  std::string (*part_options)(const Job& job, const PartPlace& place);
  // The user's own options of a step that starts the program, each with a blank in front; nullptr: there are none.
  std::string (*program_options)(const Job& job) = nullptr;
  // One task on the first node of such a part, beside what runs there.
  std::string (*parallel_step)(const Job& job, const std::string& part);
  // A command on every node of the job, of all its components, beside what runs there.
  std::string (*on_each_node)(const Job& job, const std::string& command);
  // Lines before the program: checks, and what a step needs there.
  void (*preflight)(Job& job);

  // How a directive begins that has a signal sent to the job's shell alone; "": there is none.
  std::string_view shell_signal{};
  // Commands of a running job.
  std::string (*signal_steps)(std::string_view signal) = nullptr;  // sends a signal to what its steps started
  std::string_view enter;  // printed, and a shell behind it: how a person gets into the job
  // Of a job whose roles differ in shape: the directive in front of those of the next component, and a command that
  // prints the hosts of one. "" where the system has no such jobs.
  std::string_view next_component;
  std::string (*component_hosts)(std::size_t component);

  // Lines of sh that submit `file` and keep the job's id in a variable; `after`: "afterok:$job1,…" in the words of
  // `chain`, or "".
  Chain chain;
  std::string (*submit)(const std::string& variable, std::string_view file, const std::string& after);
};

}  // namespace muster::targets::batch
