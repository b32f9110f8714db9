// What batch systems, and brokers as they do, put into the environment of a job, with its meaning (given_names.def).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "compiler/model/plane_traits.h"

namespace muster::targets {

enum class BatchSystem : std::uint8_t { slurm, pbs, lsf, skypilot, dstack };

// What a variable holds, in the terms of a job.
enum class Given : std::uint8_t {
  run_id,
  point,   // of an array: the number of the task
  points,  // how many there are
  attempt,
  job_name,
  queue,
  cluster,
  submit_dir,
  submit_host,
  nodes,
  node_rank,
  node_name,
  topology,   // its place in the network
  hosts,      // all of them, in a list of the system
  host_file,  // a file with a line for each
  head,       // address of the first node
  world,      // processes in all
  per_node,   // processes of a node
  process_rank,
  local_rank,
  task_ranks,  // of all processes of a node
  process,     // its number in the operating system
  cpus,        // of a node
  cpus_of_task,
  all_cpus,  // of the job
  gpus,      // of a node
  all_gpus,  // of the job
  memory,    // of a node, MiB
  tmp,       // a folder on the node
  user,
  login,
  home,
  shell,
  path,
  batch,  // the word that says that it is no interactive job
  zero,
  one,
  own,  // the system's own, for which a job has no term
};

// Where all processes find the same value.
enum class SameIn : std::uint8_t { job, node, task };

struct GivenName {
  BatchSystem system;
  std::string_view name;
  Given meaning;
  SameIn same_in;
  std::string_view condition;  // when it is set, in plain words; "": in every job
};

// Whose table has the names that the plane's jobs find; nullopt: operators and the kubelet give them.
std::optional<BatchSystem> system_of_plane(model::PlaneKind kind);

// How the names of a system begin: "PBS_".
std::span<const std::string_view> prefixes_of(BatchSystem system);
// Whether a name begins as those of a system do, or is one of them.
bool is_of(BatchSystem system, std::string_view name);

// All rows of a system, in the order of the table.
std::span<const GivenName> given_names(BatchSystem system);
// The row of a name; nullptr: the table has none.
const GivenName* given_name(BatchSystem system, std::string_view name);

// Whether its value tells one node or task from the others, as a rank or a name does and an amount does not.
bool tells_apart(const GivenName& name);

// In plain words, for people: "identifier of the job".
std::string_view meaning_text(Given meaning);

// The variable of muster's contract with that value on every target: "MUSTER_ID"; "" where it has none.
std::string_view contract_name(Given meaning);

}  // namespace muster::targets
