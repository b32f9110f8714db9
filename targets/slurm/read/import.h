// A batch script as a workload and the words of its site: what `muster import` writes. The program's
// text stays as it is; every directive is accounted for.
#pragma once

#include <span>
#include <string>

#include "compiler/base/diagnostic.h"
#include "targets/imported.h"
#include "targets/slurm/read/meaning.h"

namespace muster::targets::slurm {

// `name` is the workload's. What cannot be imported at all (sbatch refuses the file, a template that is
// not filled in, several components, an interpreter that muster does not start) is reported, and the
// result is not to be used.
Imported import_script(const Sources& sources, const Script& script, const Body& body, const Meaning& meaning,
                       const std::string& name, Diagnostics& diagnostics);

// Other words for a part of a text.
struct TextInstead {
  Span span;
  std::string text;
};

// The text that runs: the script without its first line and the lines that sbatch obeyed, and without these parts. A
// line of which nothing is left goes too. `instead`: parts that have other words; none of both overlap.
std::string text_of_program(const Sources& sources, const Script& script, std::span<const Span> without = {},
                            std::span<const TextInstead> instead = {});

}  // namespace muster::targets::slurm
