// What Slurm spells in its own way: the parts of its dialect.
#pragma once

#include <string>

#include "targets/batch/sections.h"

namespace muster::targets::slurm {

using batch::Job;

// size.cc: nodes, tasks, cpus, memory; selection.cc: GPUs; gpu_part.cc: a share or a slice of one GPU.
void ask_size(Job& job);
std::optional<std::int64_t> granted_cpus(const Job& job);  // of a node: so many for each task
bool counts_cores(const Job& job);                         // one thread of each is used
std::string mebibytes(Size size);                          // "64M"
void add_gpus(Job& job);
std::string counted_gpus(const Job& job, const plan::RolePlan& shape);  // "h100:8"; "8" where any will do
void add_gpu_part(Job& job);

// notices.cc: mail and labels.
void ask_notices(Job& job);

// selection.cc: which nodes may be given, and how near each other they are.
void ask_nodes(Job& job);
void check_pin(Job& job);  // that the nodes of --pin are still the job's; after all others

// raw.cc: the user's options in Slurm's own words; after all others, some of which they replace.
void add_raw_options(Job& job);
void check_raw_options(Job& job);  // that sbatch takes them beside the others

// step.cc: srun.
std::string step(const Job& job, const batch::Step& step);
std::string part_options(const Job& job, const batch::PartPlace& place);
std::string parallel_step(const Job& job, const std::string& part);
std::string on_each_node(const Job& job, const std::string& command);
// srun's flags for the container, each with a blank in front; "" where the runtime is not a plugin of srun.
std::string container_flags(const Job& job);
// srun's word for the cores of each of `tasks` on a node. To be said at every step: 22.05 to 23.02 give a task one core
// without it, later ones as many as the job gives to each of its own tasks, which may be fewer. A task has whole cores:
// a step of a job that has its nodes alone waits without end where 3 tasks of 85 CPUs would be 129 of 128 cores (seen
// on 22.05 with two threads a core).
std::string cpus_a_task(const Job& job, std::int64_t tasks);

// program_options.cc: `target slurm { srun = […] }`, options of the srun that starts the program.
std::string program_options(const Job& job);
// Accounts for those of a block; refuses what this srun must not be given.
void check_program_options(Job& job, const model::TargetOptions& block);

// preflight.cc: checks before the program.
void add_preflight(Job& job);

}  // namespace muster::targets::slurm
