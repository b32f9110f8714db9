// A script of Slurm, lifted: its grade, what its statements became, and the workload and site as text.
#pragma once

#include "targets/slurm/lift/lift.h"
#include "tests/catch.h"
#include "tests/unit/import_scene.h"

namespace muster::tests {

struct Lifted : ImportScene {
  explicit Lifted(const std::string& bytes, const targets::PlaneWords& plane = {.mpi = {}, .may_login = true}) {
    namespace slurm = targets::slurm;
    sources.add("job.sbatch", bytes);
    const slurm::Script script = slurm::read_script(sources, 1, {});
    const shell::Body body = slurm::read_body(sources, script);
    const slurm::Meaning meaning = slurm::meaning_of(script, body);
    made = slurm::import_script(sources, script, body, meaning, "job", diagnostics);
    REQUIRE_FALSE(diagnostics.has_errors());
    slurm::lift(sources, script, body, meaning, plane, made);
    write_text();
  }

  std::string grade() const { return std::string(name(made.grade)); }
  bool because(std::string_view part) const { return made.reason.find(part) != std::string::npos; }
  // The fate of the first statement that is called so: "lifted" of "export".
  std::string fate(std::string_view what) const {
    for (const targets::ImportLine& line : made.lines)
      if (line.statement && line.option == what) return std::string(name(line.fate));
    return "";
  }
};

inline Lifted lifted(const std::string& directives, const std::string& body,
                     const std::string& shebang = "#!/bin/bash\n") {
  return Lifted(with_directives("#SBATCH ", directives, body, shebang));
}

constexpr const char* one_gpu = "--gpus-per-node=1\n--cpus-per-task=4\n--mem=8G\n--no-requeue";
constexpr const char* two_nodes = "--nodes=2\n--ntasks-per-node=1\n--gpus-per-node=8";

}  // namespace muster::tests
