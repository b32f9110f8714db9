// Batch scripts in here-documents: `sbatch <<EOF … EOF`, `cat > job.sh <<EOF`.
#pragma once

#include <vector>

#include "targets/slurm/read/arguments.h"

namespace muster::targets::slurm {

struct Document {
  Span text;               // its lines
  Span command;            // that it is given to
  bool script = false;     // begins with #! and has a #SBATCH line, or sbatch reads it
  bool submitted = false;  // sbatch reads it
  bool expanded = false;   // bare delimiter
  bool tabs_stripped = false;
  std::vector<Argument> typed;  // the words after sbatch, where it is in the same command
};

// The here-documents of a script's body in the order of the text. Empty where it has none.
std::vector<Document> find_documents(std::string_view text, const Script& script);

}  // namespace muster::targets::slurm
