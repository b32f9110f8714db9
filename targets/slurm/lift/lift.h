// An imported script as a workload that names its software, launcher and program, where its text shows them: then
// other systems can run it too. All or nothing for the launch, graded for the rest.
#pragma once

#include "targets/slurm/read/import.h"

namespace muster::targets::slurm {

// Replaces the text of `imported` by keys as far as they say the same, and sets its grade. Lines are added for every
// statement. `imported` is what import_script made of the same script.
void lift(const Sources& sources, const Script& script, const Body& body, const Meaning& meaning,
          const PlaneWords& plane, Imported& imported);

}  // namespace muster::targets::slurm
