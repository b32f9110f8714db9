// A job script of a batch system other than Slurm: its directives cut into parts, and its text for the shell. What is
// shared by the readers of PBS and LSF; the shell text itself is read by targets/slurm/read/body.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"
#include "targets/slurm/read/script.h"

namespace muster::targets::batch {

// Systems whose job scripts are recognized. Of those after `lsf`, only the name is known.
enum class System : std::uint8_t { slurm, pbs, lsf, grid_engine, flux, cobalt, htcondor, nqsv };
std::string_view name(System system);            // "pbs"
std::string_view title(System system);           // in a sentence: "Grid Engine"
std::string_view submit_command(System system);  // "qsub"
bool submits_jobs(std::string_view command);     // of any of the systems
// Whether batch/read has a reader for its scripts; Slurm's is slurm/read.
constexpr bool is_read(System system) { return system == System::pbs || system == System::lsf; }

// Which system a text is written for, by its directives; nullopt for all that has none. A text with a column-1 #SBATCH
// line is Slurm's, for sbatch obeys #PBS and #BSUB lines beside its own.
std::optional<System> system_of(std::string_view text);

// A word of a directive line, its quotes gone.
struct DirectiveWord {
  std::string text;
  Span span;
};

// Appends the words of a line, as a shell without expansion cuts them, and what of them is to be filled in. A `#` that
// begins a word ends the line; returns where it is, nowhere without one.
Span split_words(const Sources& sources, Span line, std::vector<DirectiveWord>& words,
                 std::vector<slurm::Template>& templates);

// The place of some characters of a word, where its text is as written, or is between two quotes; else of the whole
// word.
Span part_of(const Sources& sources, const DirectiveWord& word, std::size_t at, std::size_t length);

// One option, or one resource of an option: `-l select=2:ncpus=4` is two of them.
struct DirectivePart {
  std::string option;  // "-q", "-l walltime", "-l select:ncpus", "-R span"
  std::string value;
  Span span;
  bool flag = false;  // without a value
  bool more = false;  // a further chunk of the list that the part before is in
};

// What the system refuses, or what surely was not meant.
enum class FaultKind : std::uint8_t {
  not_an_option,   // a word that no option takes
  comment,         // words behind `#`, which are operands to qsub
  missing_value,   // an option at the end of a line
  unknown_option,  // a letter that the system does not have
  bad_value,       // walltime=90m
  dos_line_ends,
  unmatched_quote,
};
struct Fault {
  FaultKind kind{};
  Span span;
  std::string message;
};

// Whether a word of a directive is an option, as it begins.
inline bool is_option(const DirectiveWord& word) { return word.text.size() >= 2 && word.text[0] == '-'; }
// Words in the place of an option, from `at` on: one fault, however many they are. Returns where they end.
std::size_t stray_words(const Sources& sources, std::span<const DirectiveWord> words, std::size_t at,
                        std::vector<Fault>& faults);

enum class LateKind : std::uint8_t { after_command, space_after_hash, wrong_case };
struct LateLine {
  LateKind kind{};
  Span span;
};

struct JobScript {
  System system{};
  slurm::Script text;                // without directives of sbatch
  std::vector<DirectivePart> parts;  // in the order of the file
  std::vector<Fault> faults;
  std::vector<LateLine> late;  // lines that look like directives and are not
};

// The text of a file as the shell reads it: first line, interpreter, where the commands begin.
slurm::Script shell_text(const Sources& sources, std::uint32_t file);

// The last part of an option; nullptr if it is not given.
const DirectivePart* last_part(const JobScript& script, std::string_view option);
// The first one: of the resources of `-l` PBS keeps it.
const DirectivePart* first_part(const JobScript& script, std::string_view option);

}  // namespace muster::targets::batch
