// The shell text of a batch script, read by a lexer and not run: its commands, what they start, and
// what they take from their environment. What only a run can tell is unknown, with the reason.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/base/spelling.h"
#include "compiler/shell/doing.h"
#include "compiler/shell/launchers.h"

namespace muster::shell {

// One shell word. Literal: `text` is what the command gets (quotes gone, known variables replaced).
// Else `text` is the word as spelt, so that people can be shown it.
struct Word {
  std::string text;
  bool literal = true;
  Span span;
  std::string parts{};  // of a word that is not literal: the same, but each part that is not known stands between NULs
  std::uint32_t index = 0;  // among the words of its command: those that come out of one variable share a span

  Word behind(std::size_t bytes) const;  // its rest: the `8` of `-n8`
};

// `NAME=value` before a command or alone.
struct Assignment {
  std::string name;
  Word value;
  bool append = false;                  // +=
  std::vector<std::string> elements{};  // of an array; a part that is not known stands between NULs
};

struct Redirect {
  std::string op;  // ">", ">>", "<", "<<", "<<<", "2>&1" is op ">&" with target "1"
  Word target;
  Span text;  // of a here-document: its lines
};

enum class ScopeKind : std::uint8_t { loop, branch, function, subshell, group, substitution };

// What a command is in. Scopes form a tree; the outer one of each has a smaller index.
struct Scope {
  ScopeKind kind{};
  std::int32_t parent = -1;
  Span head;                            // "for x in …", "if", "name()"
  std::string name;                     // of a function; the variable of a for loop
  std::optional<std::int64_t> repeats;  // of a for loop over words or a range that is literal
  bool background = false;              // ( … ) &, done &
};

struct Command {
  std::vector<Word> words;  // assignments and redirections taken off; may be empty
  std::vector<Assignment> assignments;
  std::vector<Redirect> redirects;
  Span span;
  std::int32_t scope = -1;     // -1: top level
  std::uint32_t pipeline = 0;  // commands of one pipe share a number
  bool piped = false;          // is in a pipe of two or more
  bool background = false;     // ended by &
  bool conditional = false;    // right of && or ||
  bool condition = false;      // tested by if, while or until, or negated
  bool negated = false;        // behind `!`
  std::int32_t inside = -1;    // of a text given to `bash -c`: the command that holds it
  bool sets_by_words = false;  // `: ${X:=4}`, `echo $((n++))`
  Doing own, does;             // what its first word does, and the one behind wrappers (`nohup`, `time`)
  bool after_exit = false;     // below an unconditional top-level `exit` or `exec`

  std::string_view program() const { return words.empty() ? std::string_view{} : std::string_view(words[0].text); }
};

// A number, or the reason why none can be told. Neither: nothing was said.
struct Count {
  std::optional<std::int64_t> value;
  std::string reason;    // "`$GPUS` is set outside this file"
  Span span;             // what says it
  bool per_gpu = false;  // one for each GPU (torchrun's gpu, auto): known once the GPUs are

  bool stated() const { return value.has_value() || !reason.empty() || per_gpu; }
};

inline Count known(std::int64_t n) { return {n, {}, {}, false}; }
inline Count unknown(std::string reason) { return {std::nullopt, std::move(reason), {}, false}; }

struct LaunchOption {
  std::string name;  // long, without dashes, `_` as `-`; prefixes completed for srun
  std::optional<Word> value;
  Span span;
  std::uint32_t word = 0, words = 1;  // of its command: the first, and how many
};

// One program that starts others, or Python. Nested ones follow their parent.
struct Launch {
  Launcher kind{};
  std::uint32_t command = 0;          // index into Body::commands
  std::int32_t parent = -1;           // index of the launch that starts this one
  std::uint32_t word = 0;             // of its command: the first of its own
  Span span;                          // of its words
  std::vector<LaunchOption> options;  // its own, decoded
  std::vector<Word> program;          // what it starts: the words after its own options
  Count processes;         // srun, mpirun, jsrun, horovodrun: tasks in all, where its words say; torchrun, accelerate,
                           // deepspeed: processes that each of it forks
  Count per_node;          // srun --ntasks-per-node, mpirun --npernode and the like
  Count nodes;             // srun -N, torchrun --nnodes, accelerate --num_machines
  std::string multi_prog;  // srun --multi-prog: the file that says what starts
  std::string tool{};      // as it is called: of a container "singularity exec", else the name of the program
  std::optional<Word> image{};  // of a container
  bool het = false;             // one of several parts `srun … : …`, or with --het-group

  const LaunchOption* option(std::string_view name) const;  // the last of that name; nullptr if none
};

enum class SetupKind : std::uint8_t { module_load, module_purge, module_use, module_other, conda, venv, source, spack };

// A line that prepares the environment.
struct Setup {
  SetupKind kind{};
  std::vector<Word> arguments;  // module names, the environment, the file
  std::uint32_t command = 0;
  Span span;
  bool unconditional = false;
};

struct Export {
  std::string name;
  std::optional<Word> value;  // nullopt: `export NAME` alone
  std::uint32_t command = 0;
  Span span;
  bool unconditional = false;
};

struct EnvironmentRead {
  std::string name;  // SLURM_…, SBATCH_…, PBS_…, LSB_…
  Span span;
  bool has_default = false;  // ${NAME:-…}
};

struct ChangeDirectory {
  Word target;  // empty literal: home
  std::uint32_t command = 0;
  Span span;
  bool unconditional = false;
};

// Text that bash would not read: an open quote, a here-document without end, a stray `done`.
struct ShellProblem {
  std::string message;
  Span span;
};

struct Body {
  std::vector<Command> commands;  // in the order of the text; those in $( ) and in `bash -c` texts follow
  std::vector<Scope> scopes;
  std::vector<Launch> launches;
  std::vector<Setup> setups;
  std::vector<Export> exports;
  std::vector<EnvironmentRead> reads;
  std::vector<ChangeDirectory> directories;
  std::vector<ShellProblem> problems;
  std::vector<Span> constructs;  // the outermost if, for, case, { }, ( ) and functions of the file's own text
  bool shell = true;  // false: another interpreter (python, perl …) runs the script; nothing above is filled

  // Runs once and surely, as far as the text tells: no loop, branch, function, && or || around it.
  bool unconditional(const Command& command) const;
  // The nearest scope of a kind around a command; nullptr if there is none.
  const Scope* inside(const Command& command, ScopeKind kind) const;
};

// A variable that has its value before the text begins.
struct Given {
  std::string name, value;
};

// How a program that is no launcher of the table reads its options: those of the system that runs the text.
struct OwnOptions {
  Launcher launcher{};
  // Reads the options in words[at…] into `launch.options` and returns where the program begins.
  std::size_t (*read)(Launch& launch, std::span<const Word> words, std::size_t at) = nullptr;
  void (*counts)(Launch& launch) = nullptr;  // what they say beyond the columns of the launcher's row
};

// What is read: [begin, end) of the bytes of a file.
struct ShellText {
  std::string_view bytes;
  std::uint32_t file = 0, begin = 0, end = 0;
  bool expanded_first = false;  // a here-document that another shell expands before this one reads it
  std::vector<Given> given{};
  std::span<const OwnOptions> options{};
  const Spelling* spelling = nullptr;  // of bytes that are in the file in another spelling; `file` is then not used
};

// Linear in the size of the text; deeper than 200 nested constructs is not looked into.
Body read_body(const ShellText& text);

// One command whose words are given, as a container starts it: what it starts, and the texts that it gives to `bash
// -c`. Of `text` the bytes are not read.
Body read_command(std::vector<Word> words, const ShellText& text);

// The text that a command gives to a shell: the index of its word in `bash -c TEXT`, behind wrappers (`nohup bash -lc
// TEXT`); 0 where it gives none.
std::size_t text_for_shell(std::span<const Word> words);

// Whether the program of a `#!` line ("/usr/bin/env bash -l") is a shell; nothing at all is one.
bool is_shell(std::string_view interpreter);

std::string_view name(SetupKind kind);  // "module-load"
std::string_view name(ScopeKind kind);  // "loop"

}  // namespace muster::shell
