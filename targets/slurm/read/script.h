// A batch script as sbatch reads it: which options it takes from the file, which it refuses, and
// which lines look like options and are not. Source of the rules: SchedMD/slurm src/sbatch/opt.c,
// src/sbatch/sbatch.c, src/sbatch/xlate.c, tried on 22.05, 24.11 and 26.05. Nothing is run or expanded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/blank.h"
#include "compiler/base/source.h"
#include "compiler/model/site.h"

namespace muster::targets::slurm {

// Who gave an option. sbatch applies them in this order, a later one wins.
enum class Origin : std::uint8_t { sbatch, bsub, pbs, command_line };

// What is known of a value. `templated`: something fills the file in before Slurm sees it.
// `expanded`: the shell that submits a here-document replaces parts of it.
enum class Certainty : std::uint8_t { literal, templated, expanded };

// One option that sbatch obeys.
struct Directive {
  std::string_view name;             // canonical and long, without dashes: "gpus-per-node"
  std::string spelling;              // as written: "-N", "--gpus-per-n"; "-l nodes" for #PBS
  std::optional<std::string> value;  // decoded as Slurm decodes it
  Span option;                       // "-N", "--gpus-per-n"
  Span value_span;                   // the value's bytes with their quotes; nowhere if there is none
  Span whole;                        // option and value
  std::uint32_t line = 0;            // 1-based line of the file; 0 on the command line
  std::uint32_t component = 0;       // of a heterogeneous job
  Origin origin = Origin::sbatch;
  Certainty certainty = Certainty::literal;
  bool plugin = false;  // of Pyxis: sbatch knows it only where the site has the plugin
};

// Why sbatch would not take the file.
enum class RefusalKind : std::uint8_t {
  empty_file,
  no_shebang,
  dos_line_ends,
  nul_byte,
  too_large,
  unknown_option,
  ambiguous_option,
  srun_option,    // of srun alone
  version_lacks,  // another Slurm has it, the declared one does not
  missing_value,
  unwanted_value,  // --requeue=yes
  unmatched_quote,
  stray_word,   // a word that is not an option: "Invalid directive found in batch script"
  stray_colon,  // a word that begins with `:`
  components,   // more than Slurm takes in one heterogeneous job
};

struct Refusal {
  RefusalKind kind{};
  Span span;
  std::string message;  // ready for people: lower case, no full stop, words of the file in backticks
  std::string nearest;  // an option that was probably meant, "--time"; "" if none comes to mind
  std::uint32_t component = 0;
};

// Why a line that looks like a directive is none.
enum class IgnoredKind : std::uint8_t {
  after_command,     // below the first line that is neither blank nor a comment
  indented,          // not in column 1
  wrong_case,        // #sbatch
  misspelt,          // #SBTACH
  extra_hash,        // ##SBATCH: mostly switched off on purpose
  space_after_hash,  // # SBATCH
  rest_of_line,      // words after `hetjob`, after '' and the like, which Slurm's reader drops
  other_dialect,     // #PBS or #BSUB that is switched off, or not taken beside the other
};

struct Ignored {
  IgnoredKind kind{};
  Span span;  // the line without its end
  std::uint32_t line = 0;
  std::vector<Directive> directives;  // what it would say; empty where it cannot be read
  Span because;                       // the first command, for after_command
};

// What is to be filled in. A variable in a directive is filled in by no one: sbatch uses `$X` literally (in a
// here-document with a bare delimiter, the submitting shell does).
struct Template {
  FilledBy by{};
  std::string_view form, engine;  // as of BlankFound
  Span span;
  bool in_directive = false;  // only {{ }} and {% %} are looked for elsewhere
};

struct ScriptOptions {
  std::uint32_t command_line = 0;                // file in Sources with words as typed after `sbatch`; 0: none
  std::optional<model::Version> version;         // nullopt: an option is known if any Slurm from 22.05 on has it
  std::size_t max_bytes = std::size_t{4} << 20;  // max_script_size of the site
};

// A variable that another batch system sets for the text: `PBS_JOBID` is the id of the run. A plain text is its value.
struct OwnName {
  std::string name;
  model::Text value;
};

struct Script {
  std::uint32_t file = 0;
  Span span;                          // all of the script's bytes: the file, or one here-document
  Span shebang;                       // the first line; nowhere if it is no #! line
  std::string interpreter;            // "/bin/bash -l"
  std::vector<Directive> directives;  // in the order in which sbatch applies them, component by component
  std::uint32_t components = 1;
  std::vector<Span> separators;  // the hetjob lines
  std::vector<Refusal> refusals;
  std::vector<Ignored> ignored;
  std::vector<Template> templates;
  std::vector<std::string> warnings;  // what sbatch itself warns of: `#SLURM`, `packjob`
  Span body;                          // from the first line that is neither blank nor comment to the end
  bool batch = false;                 // has a column-1 #SBATCH line (not `#SBATCH` in a here-document)
  bool expanded = false;              // a here-document with a bare delimiter: the submitting shell expands it
  bool tabs_stripped = false;         // <<-
  Span submission;                    // of an embedded script: the sbatch command that reads it
  std::vector<Script> embedded;       // here-documents that this file hands to sbatch, in order

  bool handed_over = false;  // an embedded one that sbatch reads; false: only written to a file

  // Of a job script of another batch system, whose directives are read elsewhere.
  std::vector<OwnName> own_names{};
  std::vector<Span> not_text{};  // its directives, and what has no effect outside of that system

  // Something other than Slurm fills this file in first (shell variables do not count).
};

// Reads `file` of `sources`. Never fails: what sbatch would refuse is in `refusals`.
// Linear in the size of the file; over `max_bytes` only that is reported.
Script read_script(const Sources& sources, std::uint32_t file, const ScriptOptions& options = {});

// Whether a text has a column-1 #SBATCH line: what discovery calls a batch script.
bool is_batch_script(std::string_view text);
// Whether it has a line that is meant to be one: `#SLURM --gpus=8`, `#SBTACH -n 1`, `#sbatch -n 1`.
bool is_nearly_batch_script(std::string_view text);

// The directive that decides `name` (canonical) in a component: its last one there, or, for options
// that pass from one component to the next, the last one before. nullptr if none.
const Directive* effective(const Script& script, std::string_view name, std::uint32_t component = 0);

// An option that no Slurm has may be a plugin's; a name that is near one of Slurm's is a slip.
bool may_be_of_plugin(const Refusal& refusal);

std::string_view name(RefusalKind kind);  // "unknown-option"
std::string_view name(IgnoredKind kind);  // "after-command"
std::string_view name(Origin origin);     // "#SBATCH", "#PBS", "command line"

}  // namespace muster::targets::slurm
