// The launchers that existing files call: which programs they are, and which of their options and variables carry
// the counts. Everything that counts processes of a text reads this table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace muster::shell {

// A command of a script that starts other programs.
enum class Launcher : std::uint8_t {
  srun,
  mpirun,
  torchrun,
  accelerate,
  deepspeed,
  horovodrun,
  jsrun,
  of_site,  // aprun, ibrun, mpiexec_mpt: tasks, by options that are not read
  ray,
  python,
  sbatch,
  scontrol,
  container,  // apptainer, singularity, enroot, docker, podman
  program,    // anything else that a launcher starts
};

// What a launcher makes of the nodes.
enum class Starts : std::uint8_t {
  program,  // what its words name, once
  tasks,    // tasks on the nodes of the job
  ranks,    // processes of its own node, one a GPU as a rule
  workers,  // as many as its cluster likes
  jobs,     // other jobs
};

// What a launcher starts where its options give no count.
enum class NoCount : std::uint8_t {
  unknown,
  one,
  one_a_gpu,
};

// Lists are names between blanks, `_` as `-`: " np n ".
struct LauncherRow {
  Launcher launcher;
  std::string_view name;
  Starts starts = Starts::program;
  bool trains = false;             // what it starts is training, as a rule
  std::string_view programs{};     // the commands that it is called by
  std::string_view variants_of{};  // and those whose names go on behind one of these: `mpirun_rsh`
  std::string_view subcommands{};  // of which the next word must be one
  std::string_view modules{};      // as `python -m`
  std::string_view processes{};    // options with the processes: of a node for ranks, of the job for tasks
  bool of_all_nodes = false;       // ranks, but counted over all nodes
  NoCount no_count = NoCount::unknown;
  std::string_view per_node{};   // options with the tasks of a node
  std::string_view nodes{};      // options with the nodes
  bool one_node = false;         // without such an option there is one
  std::string_view variable{};   // the environment variable that `processes` overrides
  std::string_view addresses{};  // options with the address at which nodes meet, `endpoint` among them
  std::string_view ports{};      // options with the port alone
  std::string_view flags{};      // options that take no value
  std::string_view values{};     // options that take the next word
  bool valued = false;           // an option that is in neither list takes the next word
  std::string_view places{};     // options that say on which hosts and where on them the processes are, or their files
};

const LauncherRow& row_of(Launcher launcher);
std::span<const LauncherRow> launcher_rows();

std::string_view name(Launcher launcher);  // "torchrun"

// Whether it starts processes on its own node.
inline bool forks(Launcher launcher) {
  const Starts starts = row_of(launcher).starts;
  return starts == Starts::ranks || starts == Starts::workers;
}

// Whether it starts processes of its own that work together: torchrun, accelerate, deepspeed.
inline bool starts_ranks(Launcher launcher) { return row_of(launcher).starts == Starts::ranks; }

}  // namespace muster::shell
