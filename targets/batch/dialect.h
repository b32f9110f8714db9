// A batch system as a dialect: how it spells what every batch job asks for, what it tells a running job, and how it
// starts a program on the job's nodes. `targets/batch` writes the job script over this table; a batch system is a
// folder with one `Dialect` (targets/slurm/dialect.cc) and its readers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compiler/model/workload.h"

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
  log_mode,
  signal,
  mail_events,
  mail_users,
  comment,
};

// The option of a request: "--account", "-A", "-l walltime". A system without one has no row.
struct Spelling {
  Request request;
  std::string_view option;
};

// What the system tells a running job, in bash: "$SLURM_JOB_ID". "" where it does not.
struct JobVariables {
  std::string_view prefix;        // of all variables that it sets: "SLURM"
  std::string_view job_id;        // of this job
  std::string_view job_number;    // its number, for arithmetic: "SLURM_JOB_ID", "${PBS_JOBID%%[.[]*}"
  std::string_view array_id;      // of the array as a whole
  std::string_view array_index;   // of this task in it
  std::string_view restarts;      // how often the job was started again
  std::string_view submit_dir;    // where it was submitted
  std::string_view hosts;         // a command that prints the job's hosts, one a line, the first node first
  std::string_view node_name;     // on each node: its name
  std::string_view node_rank;     // on each node, counted from 0
  std::string_view process_rank;  // of a process that the system started: among all, and on its node
  std::string_view local_rank;
  std::string_view cpus;          // on the node, where the job did not say
  std::string_view cpus_number;   // the same for arithmetic
  std::string_view memory;        // MiB of the job on the node, where the job did not say
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
  std::string first;            // number of its first node, an expression of bash arithmetic
  std::int64_t first_node = 0;  // the same for replica 0
  std::size_t component = 0;    // of a heterogeneous job
  bool expression = false;      // `first` is to be computed
};

// Words by which one job waits for another.
struct Chain {
  std::string_view success, finish, failure, start;
};

struct Dialect {
  std::string_view system;     // in messages: "Slurm"
  std::string_view target;     // "slurm"
  std::string_view command;    // that submits: "sbatch"
  std::string_view extension;  // of the file
  std::string_view sentinel;   // in front of each directive: "#SBATCH "
  std::span<const Spelling> spellings;
  JobVariables variables;

  // Adds an option with a value, or a bare flag, on behalf of a field; refuses what the line cannot hold and what the
  // plane's version lacks.
  void (*add_option)(Job& job, std::string_view option, std::string_view value, std::string_view field);
  // How values are spelt. nullopt: the system cannot.
  std::string (*time)(Duration limit);
  std::string (*array)(std::span<const std::int64_t> ascending, std::optional<std::int64_t> at_once);
  std::optional<std::string> (*log_file)(std::string_view pattern, std::string_view role);
  std::string (*mail_event)(model::NotifyOn event);

  // Requests that every system shapes in its own way: nodes, tasks, cpus, GPUs, memory; which nodes; another attempt;
  // a warning before the end; and at last what user and site say in the system's own words.
  void (*ask_size)(Job& job);
  void (*ask_nodes)(Job& job);
  void (*ask_requeue)(Job& job, bool again);
  void (*ask_warning)(Job& job, std::int64_t seconds);
  void (*ask_own)(Job& job);
  // The directives of one component of a job whose roles differ in shape.
  void (*ask_component)(Job& job);

  // The words that start what follows on the nodes, and their options for a part.
  std::string (*step)(const Job& job, const Step& step);
  std::string (*part_options)(const Job& job, const PartPlace& place);
  // A step of one task on the first node of a part, beside what runs there.
  std::string (*ask_part)(const Job& job, const std::string& options);
  void (*preflight)(Job& job);

  // Commands of a running job.
  std::string_view requeue;                              // starts this job again
  std::string (*signal_steps)(std::string_view signal);  // sends a signal to what its steps started
  std::string_view enter;                                // printed: how a person gets into the job

  // The line that submits `file` and prints the job's id; `after`: "afterok:$job1,…" as `chain` spells it, or "".
  Chain chain;
  std::string (*submit)(std::string_view file, const std::string& after);
};

}  // namespace muster::targets::batch
