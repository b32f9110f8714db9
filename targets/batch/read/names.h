// Variables that a batch system sets for the text of a job: those that have an equal, and what reads the others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "targets/batch/read/draft.h"

namespace muster::targets::batch {

// Texts of the language.
model::Text run_text(std::string_view name);   // "${run.id}"
model::Text env_text(std::string_view name);   // "${env.HOME}"
model::Text axis_text(std::string_view name);  // "${task}"

// Gives the text the variables of its system that the language has an equal for. `title`: the part with the job's name.
void add_own_names(Draft& draft, const DirectivePart* title);
// Takes from the text what only says something of that system, or goes where the job starts anyway. Before the lift.
void drop_words_of_system(Draft& draft);
// Of a system that starts a job in the home folder: where the text stays there, `workdir` says so.
void start_at_home(Draft& draft);
// Gives the text that is left the variables that have an equal; where it reads others it is for that system alone.
// After the lift.
void bind_names(Draft& draft);

}  // namespace muster::targets::batch
