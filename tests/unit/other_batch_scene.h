// A job script of PBS or LSF, imported: what each directive became, and the workload and site as text.
#pragma once

#include <string>

#include "targets/lsf/read/import.h"
#include "targets/pbs/read/import.h"
#include "tests/unit/import_scene.h"

namespace muster::tests {

struct OtherImport : ImportScene {
  explicit OtherImport(const std::string& bytes, bool lifted = true) {
    std::optional<targets::PlaneWords> plane;
    if (lifted) plane = targets::PlaneWords{.mpi = std::nullopt, .may_login = true};
    const std::uint32_t file = sources.add("job", bytes);
    if (targets::batch::system_of(bytes) == targets::batch::System::lsf) {
      targets::batch::JobScript script = targets::lsf::read_script(sources, file);
      made = targets::lsf::import_script(sources, script, "job", plane, diagnostics);
    } else {
      targets::pbs::Script script = targets::pbs::read_script(sources, file);
      made = targets::pbs::import_script(sources, script, "job", plane, diagnostics);
    }
    write_text();
  }

  // What a line says of an option or statement: "resources.cpus: note".
  std::string said(std::string_view option) const {
    for (const targets::ImportLine& line : made.lines)
      if (line.option == option) return line.as + (line.note.empty() ? "" : ": " + line.note);
    return "no line";
  }
  // Where a line points, as the file has it.
  std::string shown(std::string_view option) const {
    for (const targets::ImportLine& line : made.lines)
      if (line.option == option) return std::string(sources.text(line.span));
    return "no line";
  }
};

}  // namespace muster::tests
