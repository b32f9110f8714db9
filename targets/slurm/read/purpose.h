// What a file with `#SBATCH` lines is for.
#pragma once

#include <optional>
#include <vector>

#include "targets/purpose.h"
#include "targets/slurm/read/blanks.h"
#include "targets/slurm/read/body.h"

namespace muster::targets::slurm {

// By its name, its placeholders and its commands. The first sign decides: an output of a job, notes, a template, a
// script that writes or submits others. Else it is submitted as it is. Linear in the size of the text. A template, and
// a script with other ones below it, are that `in_part`: see all_blanks_of().
Purpose purpose_of(const Sources& sources, const Script& script, const Body& body);
// The same where its blanks are known.
Purpose purpose_of(const Sources& sources, const Script& script, const Body& body, const std::vector<Blank>& blanks);

// The blanks of a script and of those that it hands to sbatch, with what in it is not of this script.
std::vector<Blank> all_blanks_of(const Sources& sources, const Script& script, const Body& body);

// A file without options of its own that hands scripts to sbatch or writes them in here-documents.
std::optional<Purpose> submitter_of(const Script& script, const Body& body);

// The parts of a body that are words or here-documents of commands, in the order of the text, none in another.
std::vector<Span> texts_of_commands(const Body& body);
// Whether a place lies in one of them.
bool lies_in(const std::vector<Span>& spans, Span place);

}  // namespace muster::targets::slurm
