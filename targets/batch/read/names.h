// Variables that a batch system sets for the text of a job: those that have an equal, and what reads the others.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "targets/batch/read/draft.h"

namespace muster::targets::batch {

struct NamesOfSystem {
  std::string_view title;                        // "PBS"
  std::span<const std::string_view> prefixes;    // "PBS_"
  std::span<const std::string_view> others;      // names without a prefix: "LS_SUBCWD"
  std::span<const std::string_view> node_files;  // "PBS_NODEFILE": the hosts of the job
  std::string_view submission;                   // "PBS_O_WORKDIR": the folder of the submission
  bool starts_at_home = false;                   // and not in that folder
};

// Texts of the language.
model::Text run_text(std::string_view name);   // "${run.id}"
model::Text env_text(std::string_view name);   // "${env.HOME}"
model::Text axis_text(std::string_view name);  // "${task}"

// Gives the text the variables of its system that the language has an equal for. `title`: the part with the job's name.
void add_own_names(Draft& draft, const DirectivePart* title);
// Takes from the text what only says something of that system, or goes where the job starts anyway. Before the lift.
void drop_words_of_system(Draft& draft, const NamesOfSystem& names);
// Where the system starts a job in the home folder and the text stays there, `workdir` says so.
void start_at_home(Draft& draft, const NamesOfSystem& names);
// Gives the text that is left the variables that have an equal; where it reads others it is for that system alone.
// After the lift.
void bind_names(Draft& draft, const NamesOfSystem& names);

}  // namespace muster::targets::batch
