// What a job asks of each of its nodes, with the sizes that Slurm works out: the one count of a script.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "compiler/model/fleet.h"
#include "compiler/model/nodes_as_read.h"
#include "targets/slurm/read/meaning.h"

namespace muster::targets::slurm {

struct JobAmounts {
  std::optional<model::Count> nodes;  // nullopt: Slurm chooses it by its machines, which are not known
  std::int64_t tasks = 1;             // a node: of an uneven division the most
  std::optional<std::int64_t> cpus;   // a node; nullopt: nothing is asked, and one for each task is what Slurm gives
  std::optional<std::int64_t> gpus;   // a node
  std::optional<Size> memory;         // a node; nullopt: nothing is asked, or all of it
  bool all_memory = false;
  std::optional<model::TasksAsRead> divided;  // nullopt: each node has as many tasks
  std::string unknown;  // what the file does not say: "the number of nodes (it is a template)"; "": nothing

  // CPUs of a node that are allocated at least.
  std::int64_t counted_cpus() const { return cpus.value_or(tasks); }
};

// `pools` are those that may take the job: where neither the number of nodes nor that of tasks a node is given, Slurm
// takes as few nodes as it needs, so of the pools the one counts that needs the fewest.
JobAmounts amounts_of(const Component& job, std::span<const model::Pool* const> pools);

}  // namespace muster::targets::slurm
