// The parts of the file, in the order in which they are written. Each takes the job and adds to it.
#pragma once

#include <string>
#include <string_view>

#include "targets/slurm/job.h"

namespace muster::targets::slurm {

// directives.cc: who pays, how much, how long, where the output goes.
void add_directives(Job& job);
// The directives of one component of a heterogeneous job: what it does not have from the first.
void add_component(Job& job);

// sweep.cc: the array, and what varies over its tasks.
void add_array(Job& job);
void add_points(Job& job);

// raw.cc: the user's options in Slurm's own words; after all others, some of which they replace.
void add_raw_options(Job& job);

// selection.cc: which GPUs and nodes may be given.
void add_gpus(Job& job);
void add_node_selection(Job& job);
void add_topology(Job& job);
void check_pin(Job& job);  // that the nodes of --pin are still the job's; after all others

// gpu_part.cc: a share or a slice of one GPU in the site's words.
void add_gpu_part(Job& job);

// needs.cc: what stands around the program.
void add_priority(Job& job);
void add_submit_filter(Job& job);
void bind_files(Job& job);
void add_files(Job& job);
void add_port_names(Job& job, Exports& exports);
void add_fabric(Job& job);
void add_secrets(Job& job);
void add_access(Job& job);
void report_needs_of_role(Job& job);
void report_service(Job& job);

// preflight.cc: checks before the program.
void add_preflight(Job& job);

// roles.cc: jobs of several parts.
bool has_parts(const plan::Plan& plan);
bool shapes_differ(const plan::Plan& plan);
void write_parts(Job& job);

// environment.cc: the shell in which everything runs, the names of the run-time contract, the program's files.
void add_software(Job& job);
void add_contract(Job& job);
// MUSTER_DIR as a right side of `export`.
std::string folder_word(const Job& job);
void add_code(Job& job);
void add_user_environment(Job& job);

// container.cc: decides on the container and binds mounts; to be called before anything that runs in it.
void plan_container(Job& job);
void add_mount_names(Job& job, Exports& exports);
// Whether the program's files are in the container's image.
bool code_in_image(const Job& job);
// Whether Enroot, which reads mounts and variables as lines of a file and replaces ${NAME}, keeps the text.
bool enroot_carries(std::string_view text);
// The shell array of environment names that the runtime must be told to pass; nothing where it passes all.
void add_passed_names(Job& job);
// srun's flags for the container, each with a blank in front; "" where the runtime is no plugin of srun.
std::string container_flags(const Job& job);
// The words that run what follows in the container; "" without one.
std::string container_prefix(const Job& job);

// launch.cc: the program and what starts it.
void add_launch(Job& job);
// srun's word for the cores of each of `tasks` on a node. To be said at every step: 22.05 to 23.02 give a task one core
// without it, later ones as many as the job gives to each of its own tasks, which may be fewer.
std::string cpus_a_task(const Job& job, std::int64_t tasks);

// ending.cc: signals, the exit code, another attempt.
void add_attempt_guard(Job& job);
void add_retry_directives(Job& job);
void add_stop_directives(Job& job);
// Runs `command` as the job's program; `step` if srun runs it, else it is a process of the batch shell.
void add_run(Job& job, const std::string& command, bool step);

}  // namespace muster::targets::slurm
