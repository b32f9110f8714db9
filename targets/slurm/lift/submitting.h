// A file that hands batch scripts to sbatch. Only a here-document that is the same each time is a job of its own; what
// is around it runs where the job is submitted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "targets/imported.h"
#include "targets/slurm/read/body.h"

namespace muster::targets::slurm {

struct NotOneJob {
  std::string why;  // for people: "the shell that writes it fills in `$lr`"
  Span at;
};

// Why a here-document of a file is not one job. `around`: the file's own text. nullopt: it is one.
std::optional<NotOneJob> not_one_job(const Sources& sources, const Body& around, const Script& document);

// A line for each statement of the file that neither writes a document nor submits a file without options.
std::vector<ImportLine> lines_around(const Sources& sources, const Script& file, const Body& around);

}  // namespace muster::targets::slurm
