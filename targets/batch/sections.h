// The parts of the file, in the order in which they are written. Each takes the job and adds to it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "targets/batch/job.h"
#include "targets/contract/references.h"

namespace muster::targets::batch {

// directives.cc: who pays, how much, how long, where the output goes.
void add_directives(Job& job);
// The directives of one component of a job whose roles differ in shape: what it does not have from the first.
void add_component(Job& job);

// Whether what the site's submit filter wants is there, and nothing of what it refuses; after all others.
void check_submit_filter(Job& job);

// Who gets mail, as the comma list of an option.
void add_addresses(Job& job, const model::Notify& notify, std::string_view option);

// logs.cc: where the output goes.
void add_logs(Job& job);
// Whether each role writes a file of its own: one job has one pattern.
bool is_by_role(const Job& job, const model::Optional<std::string>& pattern);
// A pattern as a bash word; nullopt where it names what only a step knows.
std::optional<std::string> bash_file(const Job& job, std::string_view pattern);
// What redirects the output of a role to files of its own: " > a.out 2>&1"; "" where the job has one file.
std::string role_redirections(Job& job);

// sweep.cc: the array, and what varies over its tasks.
void add_array(Job& job);
// The number of the point in bash: that of the task, less what a system that cannot begin at 0 adds.
std::string index_word(const Job& job);
void add_points(Job& job);

// needs.cc: what is around the program.
void add_priority(Job& job);
void bind_files(Job& job);
void add_files(Job& job);
void add_port_names(Job& job, Exports& exports);
void add_fabric(Job& job);
void add_secrets(Job& job);
void add_access(Job& job);
void report_needs_of_role(Job& job);
void report_service(Job& job);

// roles.cc: jobs of several parts.
bool has_parts(const plan::Plan& plan);
bool shapes_differ(const plan::Plan& plan);
void write_parts(Job& job);
// Whether other roles start when this one is ready, and the loop that finds it out by the command of its probe.
bool is_waited_until_ready(const Job& job);
void add_command_probe(Job& job);

// environment.cc: the shell in which everything runs, the names of the run-time contract, the program's files.
// Goes to where the job was submitted, where the system does not start it there.
void enter_submission(Job& job);
void add_software(Job& job);
void add_contract(Job& job);
// What the system tells the job, and the value of one variable of the contract; "" where it has none.
contract::RunNames run_names(const Job& job);
std::string contract_word(Job& job, std::string_view variable);
// slurm_names.cc: the names of Slurm that the program reads, and the right sides of their assignments: those that the
// script knows, or those (`late`) that a shell in front of the program does.
std::vector<std::pair<std::string, std::string>> slurm_names(Job& job, bool late);
// One of them as text between double quotes; "" where the script cannot have it so.
std::string slurm_word(Job& job, std::string_view name);
// Makes the script set its own variables that the lines name.
void ask_for(Job& job, std::string_view lines);
// The lines of the script that set what its other lines asked for (Job::own).
void add_own_variables(Job& job);
// The job's folder, and the disk of the node, as right sides of an assignment.
std::string folder_word(const Job& job);
std::string scratch_word(const Job& job);
void add_code(Job& job);
void add_user_environment(Job& job);

// container.cc: decides on the container and binds mounts; to be called before anything that runs in it.
void plan_container(Job& job);
void add_mount_names(Job& job, Exports& exports);
// Whether the program's files are in the container's image.
bool code_in_image(const Job& job);
// Whether Enroot, which reads mounts and variables as lines of a file and replaces ${NAME}, keeps the text.
bool enroot_carries(std::string_view text);
// The shell array of environment names that the runtime must pass; nothing where it passes all.
void add_passed_names(Job& job);
// "source:target:ro", as the runtime reads it.
std::string bind_words(const Container& container, const Bind& bind);
// What is visible in the container: its mounts, and the job's folder where something is in it.
std::vector<Bind> binds_of(const Job& job);
// The words that run what follows in the container; "" without one.
std::string container_prefix(const Job& job);
// The words that start the image's own entrypoint with what follows; "" after a refusal.
std::string entrypoint_prefix(Job& job);

// launch_options.cc: options of the user's own for what starts the program.
// Whether a `target NAME { … }` block speaks to this job.
bool is_own_block(const Job& job, const model::TargetOptions& block);
// `srun` in the block of a system that has none.
void refuse_srun(Job& job, const model::TargetOptions& block);
// Whether a launcher with options of its own starts the role's program: torchrun, accelerate, mpirun, Ray.
bool has_launcher(const Job& job, const model::Role& role);
std::vector<std::string> launcher_options(const Job& job);
std::string launcher_option_words(Job& job);  // the same as words of bash
std::string program_options(const Job& job);  // of the step that starts the program, each with a blank in front
void report_launch_options(Job& job);

// preflight.cc: a check that every node shows as many GPUs as were asked for, behind what starts it there.
void add_gpu_check(Job& job, const std::string& starter);

// launch.cc: the program and what starts it.
void add_launch(Job& job);
// Variables of the first node, where the program runs there alone.
void add_rank_0(Job& job);
// What is known before anything is written: what the program finds, and its container.
void begin(Job& job);
// All that one program needs, from its software to its launch: of the job's only one, or of each of its parts.
void add_program(Job& job);
// The lines that set up software and network, where nothing in them depends on the role's place.
std::string setup_of(Job& job);
// What starts a program and the program, on a line or two.
std::string start_with(const std::string& starter, const std::string& program);
// Arguments as words of bash; one that no command line holds is refused on behalf of `field`.
std::string argument_words(Job& job, const std::vector<std::string>& arguments, const FieldRef& field);
// Whether the system starts the program, and not the batch shell.
bool starts_in_step(const Job& job);

// In front of a script that goes on in the shell of the file.
inline constexpr std::string_view no_longer_stops = "set +eo pipefail  # the script says itself where it stops";

// references.cc: `on_node`: for a shell in front of the program, else for that of the script.
contract::Pieces pieces_of(const Job& job, const model::Text& text);
// Whether only a shell in front of the program knows what the text refers to.
bool is_late(const Job& job, const model::Text& text);
std::string text_word(Job& job, const model::Text& text, bool on_node);
// A word as text between double quotes, without its own; "" for a word that cannot be such text.
std::string inside_quotes(std::string_view word);
// Whether `export NAME=WORD` would give a variable of the system the value that it has.
bool is_given(const Job& job, std::string_view name, std::string_view word);
std::string argument_words(Job& job, const std::vector<model::Text>& arguments, const FieldRef& field, bool on_node);
// False: refused, for a runner that starts the program without such a shell.
bool can_fill_in(Job& job, const std::vector<model::Text>& texts, const FieldRef& field);

// ray.cc: a Ray cluster inside the job, and the program as its driver.
void add_ray(Job& job, const std::string& program);
// Whether a variable of the user's has the address of the head, which is known once Ray's lines begin.
bool reads_ray_address(const Job& job, const model::EnvVar& variable);

// ending.cc: signals, the exit code, another attempt.
void add_attempt_guard(Job& job);
void add_retry_directives(Job& job);
void report_retry(Job& job);        // after the user's own options
bool appends_logs(const Job& job);  // an attempt behind those before it
void add_stop_directives(Job& job);
// What the batch shell does at its end, so that a preempted job starts again whatever its program did; "" for nothing.
std::string requeue_when_preempted(const Job& job);
// The words in front of the program that send it the signal of `stop { lead }`, where the system sends none; "": none
// are needed.
std::string signal_before_end(const Job& job);
// Whether nothing is left to do for the script once the program has ended.
bool ends_with_program(const Job& job);
// Runs `command` as the job's program; `step` if the system starts it, else it is a process of the batch shell.
void add_run(Job& job, const std::string& command, bool step);

}  // namespace muster::targets::batch
