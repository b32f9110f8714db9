// An existing job script or manifest as a workload and the words of its site: what `muster import` writes, and what it
// says of each part of the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/model/plane.h"
#include "compiler/model/site.h"
#include "compiler/model/workload.h"

namespace muster::targets {

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
  Span span;           // of the directive, field or statement
  std::string option;  // canonical: "gpus-per-node"; of a statement what it is: "export"
  Fate fate{};
  std::string as;                      // "resources.gpus", "queue gpu-long of the site", "target slurm"
  std::string note;                    // what differs, or why
  bool statement = false;              // of the text, not of the directives in front of it
  std::vector<std::string> names{};    // what differs, where it is not the line itself: variables, files
  std::optional<std::string> added{};  // of what no field says and muster writes besides: why, "" if nothing is to say
};

// What a script may say of its plane, which it shares with the other scripts of the same import.
struct PlaneWords {
  std::optional<model::Mpi> mpi;                  // how the scripts before it start ranks of MPI
  std::optional<model::Containers> containers{};  // what the scripts before it start containers with
  bool may_login = false;                         // its login shell may be that of all jobs
};

// A value that people give where they gave the file an argument.
struct Parameter {
  std::string name;                       // of the language: "lr"
  std::string of;                         // "$1", "$@"
  Span at;                                // where it is read first
  bool list = false;                      // `args` of the workload, whatever their number
  std::optional<std::string> fallback{};  // nullopt: it must be given
};

// A line that looks like a directive and is none.
struct IgnoredLine {
  Span span;
  std::string why;       // "after-command"
  bool notable = false;  // it was probably meant
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
  std::vector<IgnoredLine> ignored;
  std::vector<std::pair<std::string, std::string>> remarks;  // path in the workload, text: for comments
  std::vector<Parameter> parameters{};  // a text of the workload has the value of one as that of an axis
  // Of a manifest: "JobSet/train", the group of its kind, and the target that writes that kind. `option` of a line is a
  // field's path then.
  std::string object{}, group{}, target{};
  std::vector<std::string> secret_values{};  // of the file: no text that is written or reported may have one
};

// Adds what `fragment` says of its site to `site`. A queue that is there under another name is used:
// the workload's `queue` follows.
void merge_site(model::Site& site, const model::Site& fragment, model::Workload& workload);

// Puts the workload in the names of a site that people declare, in place of those of its draft: the queue, the GPU
// models, the storage, the secrets and the priority that mean the same there; software that the site does not name is
// said in the workload itself. A line for each thing that the site has no word for. The lines keep the file's order
// only up to here.
void bring_to_site(Imported& imported, const model::Site& site);

// Text as a name of the language: letters, digits, `.`, `_` and `-`, at most 63; "job" where nothing is left.
std::string name_from(std::string_view text);

}  // namespace muster::targets
