// The lifting under way: what is read, and what stands against it. Inside targets/slurm/lift only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "targets/slurm/lift/program.h"
#include "targets/slurm/lift/statements.h"
#include "targets/slurm/read/import.h"

namespace muster::targets::slurm::lifting {

// What runner `processes` adds to the environment of a step.
inline constexpr const char* ranks_note =
    "the processes also find RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT";

struct Lifter {
  const Sources& sources;
  const Script& script;
  const Body& body;
  Imported& out;
  JobShape shape;
  std::vector<Statement> statements;
  std::vector<ImportLine> taken{};  // what the step says for the job, once it is lifted
  std::string why{};                // the first thing that stands against it
  Span why_at{};

  model::Role& role() { return out.workload.roles.front(); }

  bool refuse(std::string reason, Span at) {
    if (why.empty()) why = std::move(reason), why_at = at;
    return false;
  }
  void add(ImportLine line) {
    line.statement = true;
    out.lines.push_back(std::move(line));
  }
  void line(Span at, std::string what, Fate fate, std::string as, std::string note = {}) {
    add({at, std::move(what), fate, std::move(as), std::move(note)});
  }
};

}  // namespace muster::targets::slurm::lifting
