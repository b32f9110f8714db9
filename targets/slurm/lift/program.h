// The one launch of a script as the program of a workload.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/model/plane.h"
#include "compiler/model/workload.h"
#include "targets/slurm/lift/arguments.h"
#include "targets/slurm/lift/container.h"
#include "targets/slurm/lift/text.h"
#include "targets/slurm/read/body.h"

namespace muster::targets::slurm::lifting {

// What the job is, as far as its launch must agree with it.
struct JobShape {
  std::int64_t nodes = 1;
  std::int64_t tasks = 1;  // a node
  std::int64_t asked = 1;  // the tasks of a node that the directives ask for, which may have become CPUs
  std::int64_t gpus = 0;   // a node
  std::optional<std::int64_t> cpus_per_task;
  bool cpus_of_step = false;  // the job does not say them, its only step does
  bool counted = true;        // false: only Slurm knows how the tasks lie on the nodes
  bool array = false;
  bool ray = false;                            // the script starts Ray on all nodes, as the runner does
  std::vector<model::EnvVar> ray_addresses{};  // what its program finds Ray's head by
  bool may_contain = false;  // whether a container may become an image: the program starts in the folder of the job
  std::optional<model::Containers> runtime{};   // of the plane, where it is settled
  std::vector<model::RawOption> of_plugins{};   // options of the job that only a plugin of the cluster adds
  const std::vector<OwnName>* names = nullptr;  // what another batch system sets for the text
  const Arguments* arguments = nullptr;         // of the script
  const std::vector<TaskValue>* task_values = nullptr;

  bool one_task() const { return nodes == 1 && tasks == 1; }
};

TextPlace place_in(const JobShape& shape, bool splits);

// Options and environment that were said for the launch itself and are not the program's.
struct DroppedOption {
  Span span;
  std::string text;                    // "--nnodes"
  std::string why;                     // "is what `nodes` says"
  std::vector<std::string> differs{};  // what the program finds another way: "launcher"
};

struct LiftedProgram {
  model::Runner runner = model::Runner::none;
  std::optional<std::int64_t> processes;  // a node
  std::vector<std::string> launcher_args;
  std::vector<std::string> srun_options;
  std::optional<LiftedContainer> container;
  std::optional<model::Mpi> mpi;  // how the plane starts ranks of MPI
  std::vector<model::Text> command;
  std::vector<model::EnvVar> env;  // of the launch line
  std::vector<DroppedOption> dropped;
  std::string launcher;             // for people: "torchrun, 2 nodes × 8"
  bool alone_without_srun = false;  // a step of one task is started by the batch shell
  bool meets = false;               // a word has the first node or a port, which muster gives
  bool reads_slurm = false;         // a word has a variable that only Slurm sets
  std::vector<std::string> joined;  // arguments of the script without quotes, which stay one word
  bool takes_arguments = false;     // all arguments of the script follow the words
  std::string why;                  // what stands against it; "" where it is lifted
  Span why_at;

  bool lifted() const { return why.empty(); }
};

// `command`: the index of the one command of the script that starts something.
LiftedProgram lifted_program(const Sources& sources, const Body& body, std::uint32_t command, const JobShape& shape);

}  // namespace muster::targets::slurm::lifting
