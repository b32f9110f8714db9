// A text that reads variables of Slurm as one that every target can run: by numbers that the job says, and by the
// variables that muster gives.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "targets/slurm/lift/lifter.h"

namespace muster::targets::slurm::lifting {

// Who runs it: the one shell of a job, each task, each node before its tasks, or the first node alone.
enum class TextOf : std::uint8_t { program, each_task, setup, first_node };

// nullopt: a variable is left that only Slurm sets, and the text stays as it is.
std::optional<std::string> portable_text(std::string_view text, const Lifter& lifter, TextOf of);

// The text with the numbers of tasks that the job says, which its result may leave to Slurm.
std::string with_task_counts(std::string_view text, const Lifter& lifter);

// A variable of Slurm, or HOSTNAME, that is another one in each task of a step.
bool is_of_task(std::string_view name);
// The number of tasks, of a job or a step: SLURM_NTASKS.
bool counts_tasks(std::string_view name);
// Whether the tasks of this job find another value than its batch shell.
bool differs_in_tasks(std::string_view name, const Lifter& lifter);

// Whether a text, or what it starts, reads a variable that Slurm sets.
bool reads_slurm(std::string_view text);

}  // namespace muster::targets::slurm::lifting
