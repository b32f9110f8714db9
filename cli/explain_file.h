// What Slurm, PBS or LSF will do with a batch script, in words and as JSON. sbatch reads directives of PBS and LSF too:
// at a site with Slurm that is what is shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/emit.h"
#include "compiler/base/source.h"
#include "targets/batch/read/job_script.h"
#include "targets/slurm/read/meaning.h"
#include "targets/slurm/read/purpose.h"

namespace muster::cli {

// A script as far as it was read. The members refer to each other by index.
struct ReadScript {
  targets::slurm::Script script;
  shell::Body body;
  targets::slurm::Meaning meaning;
  targets::batch::System system = targets::batch::System::slurm;

  bool is_of_slurm() const { return system == targets::batch::System::slurm; }
};

// A script of PBS or LSF; nullopt for those of others. Its parts are the directives, its lines that are none are
// ignored.
std::optional<ReadScript> read_batch_script(const Sources& sources, std::uint32_t file);

std::string explain_text(const ReadScript& read, const Sources& sources);
Json explain_json(const ReadScript& read, const Sources& sources);
// What the file is for, and what shows it.
Json purpose_json(const targets::Purpose& purpose, const Sources& sources);

struct ExplainOptions {
  std::string file;
  std::string with;  // options as typed after sbatch
  std::string site_file;
  std::string format = "text";
};

// Whether a name given to `explain` means a file: it exists, or ends like a batch script.
bool names_a_file(const std::string& name);

// Explains one file and the scripts in its here-documents. Returns the exit code.
int explain_file(const ExplainOptions& options);

// "1-00:00:00", as Slurm writes times.
std::string slurm_clock(std::int64_t seconds);

}  // namespace muster::cli
