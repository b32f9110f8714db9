// Who starts the processes of a program: a row for each runner of the language.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "compiler/model/workload.h"
#include "compiler/shell/launchers.h"

namespace muster::model {

// Who starts the processes of a node.
enum class StartedBy : std::uint8_t {
  itself,     // one process: the program
  launcher,   // one launcher a node, which forks the processes
  scheduler,  // the scheduler or mpirun starts each process
};

// The environment variables by which the processes of a runner find each other; "" where it has none of that meaning.
struct RunnerVariables {
  std::string_view nodes, per_node, world;               // counts
  std::string_view node_rank, process_rank, local_rank;  // known on the node, or to the process, only
  std::string_view address, port;                        // where they meet
  std::string_view usual_port;                           // where they do if no port is said; "": one has to be said
};

struct RunnerRow {
  Runner runner;
  StartedBy started_by;
  bool one_a_gpu = false;             // processes a node where none are given: as many as GPUs; else one
  bool coupled = false;               // its processes compute together, even on one node
  bool coupled_over_nodes = false;    // they do where there are several nodes
  bool opens_file = false;            // the launcher is in front of the command, and opens the program's file itself
  bool takes_args = false;            // `launch.args` are the launcher's
  bool takes_args_of_script = false;  // also where the program is a script
  // The launchers that it runs by itself; `program` is none.
  std::array<shell::Launcher, 3> own{shell::Launcher::program, shell::Launcher::program, shell::Launcher::program};
  RunnerVariables variables{};
};

// Whether a runner runs this program by itself: `srun` of mpi.
bool runs_itself(const RunnerRow& row, std::string_view program);

// The row of a runner.
const RunnerRow& row_of(Runner runner);
// All of them, in the order of the enumeration.
std::span<const RunnerRow> runner_rows();

}  // namespace muster::model
