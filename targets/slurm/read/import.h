// A batch script as a workload and the words of its site: what `muster import` writes. The program's
// text stays as it is; every directive is accounted for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/model/site.h"
#include "compiler/model/workload.h"
#include "targets/slurm/read/meaning.h"

namespace muster::targets::slurm {

// What became of a directive. `mapped`: a key of the workload or the site says it. `approximated`: the
// same, and the note says what differs. `raw`: kept in `target slurm`, in Slurm's own words. `lost`:
// nothing carries it, and the note says why.
// And of a statement of the text. `lifted`: a key of the workload says it. `moved`: it went to the site. `kept`: it is
// in the script. `dropped`: it has no effect on the program, or the runner does it. `mended`: the result differs, as
// the note says, and is what was meant. `question`: people must say something.
enum class Fate : std::uint8_t { mapped, approximated, raw, lost, lifted, moved, kept, dropped, mended, question };
inline constexpr std::size_t fates = 10;
std::string_view name(Fate fate);

// How much of the text became keys. `lifted`: all of it. `with_script`: a text is left, which any system can run.
// `with_compat`: the same, and it reads variables that Slurm sets. `wrapped`: it starts Slurm's steps.
enum class Grade : std::uint8_t { lifted, with_script, with_compat, wrapped };
std::string_view name(Grade grade);

struct ImportLine {
  Span span;           // of the directive
  std::string option;  // canonical: "gpus-per-node"
  Fate fate{};
  std::string as;    // "resources.gpus", "queue gpu-long of the site", "target slurm"
  std::string note;  // what differs, or why
};

struct Imported {
  model::Workload workload;
  model::Site site;               // only what this script says of it
  bool names_account = false;     // whether the script names who pays
  std::vector<ImportLine> lines;  // in the order of the file
  Grade grade = Grade::wrapped;
  std::string launcher;  // of what is lifted, for people: "torchrun, 2 nodes × 8"
  std::string reason;    // why the grade is not better; "" for the best
  Span reason_at;
  std::vector<std::pair<std::string, std::string>> remarks;  // path in the workload, text: for comments
};

// `name` is the workload's. What cannot be imported at all (sbatch refuses the file, a template that is
// not filled in, several components, an interpreter that muster does not start) is reported, and the
// result is not to be used.
Imported import_script(const Sources& sources, const Script& script, const Body& body, const Meaning& meaning,
                       const std::string& name, Diagnostics& diagnostics);

// Adds what `fragment` says of its site to `site`. A queue that is there under another name is used:
// the workload's `queue` follows.
void merge_site(model::Site& site, const model::Site& fragment, model::Workload& workload);

// The text that runs: the script without its first line and the lines that sbatch obeyed, and without these parts. A
// line of which nothing is left goes too.
std::string text_of_program(const Sources& sources, const Script& script, std::span<const Span> without = {});

// Text as a name of the language: letters, digits, `.`, `_` and `-`, at most 63; "job" where nothing is left.
std::string name_from(std::string_view text);

}  // namespace muster::targets::slurm
