// The top level of a script as a list of statements, and what each of them does.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "targets/slurm/read/body.h"

namespace muster::targets::slurm::lifting {

enum class StatementKind : std::uint8_t {
  noise,        // prints, or asks the machine something: no effect on the program
  options,      // set -e and the like
  assigns,      // variables of the shell alone; they are known where they are read
  exports,      // variables of the environment
  environment,  // module, conda, source, ulimit
  directory,    // cd
  prepares,     // mkdir -p, ln -sfn: may run more than once
  function,     // that nothing calls
  ends,         // exit
  program,      // starts something
  other,        // what only a shell can say: loops, branches, pipes, files that are copied
};

struct Statement {
  StatementKind kind{};
  Span span;                            // all of it, with `&&` and pipes
  std::vector<std::uint32_t> commands;  // indices into Body::commands; of a list, its first one decides the kind
  std::string why{};                    // of `other`: what it is, for people
  bool redirected = false;              // of `program`: its output goes to a file

  std::uint32_t first() const { return commands.front(); }
};

// Whether a statement changes nothing but the shell that reads it.
bool is_of_shell(StatementKind kind);

// The statements in the order of the text. A loop or a branch is one statement.
std::vector<Statement> statements_of(const Sources& sources, const Body& body);

// Its first line without secrets, for people: "`for x in 1 2; do`".
std::string shown(const Sources& sources, const Statement& statement);

// The statement with the `;` behind it, which goes with it.
Span with_separator(const Sources& sources, Span span);

// A launcher of another system: jsrun, aprun, ibrun. Its options say what runs where.
bool is_of_other_system(const Launch& launch);
// What stands against one, for people: "`aprun` starts processes by options that are not read".
std::string starts_elsewhere(const Sources& sources, const Launch& launch);

// Whether the program of a launch begins in a word of its own: `X="-n 4 python"; srun $X a.py` has both in one.
bool program_is_apart(const Body& body, const Launch& launch);

// The programs that the $( ) of a line run.
std::vector<std::string> substituted(const Body& body, Span line);
// The same of a line that is dropped, for people: "`shuf` is not run"; "" for nothing.
std::string not_run(const Body& body, Span line);

// The file that gets the output of `program | tee FILE`, for people.
std::string file_of_tee(const Body& body, const Statement& statement);

// Whether a command writes its output to a file: other descriptors and the waste bin are none.
bool writes_file(const Redirect& redirect);
bool writes_file(const Command& command);
// From the number of the descriptor to the end of the file's name: `2> log`.
Span whole_of(const Sources& sources, const Redirect& redirect);

// Whether a failure ends the script: `set -e`, `set -euo pipefail`, `set -o errexit`.
bool stops_at_errors(const Body& body, std::span<const Statement> statements);

// `set -a`: each assignment behind it is an export; nullptr: none.
const Statement* exporting_all(const Body& body, std::span<const Statement> statements);

// The variables that an assignment or an export names.
std::vector<std::string> names_of(const Body& body, const Statement& statement);

// `readonly NAME=value`, `declare -r NAME`: it cannot be set again.
bool is_readonly(const Body& body, std::string_view name);

// `printf -v NAME` prints into a variable.
bool prints_into_variable(const Command& command);

// Whether the script has a function of this name.
bool is_function(const Body& body, std::string_view name);

// Whether a command is a program: neither the shell's own nor one that handles files.
bool starts_program(const Command& command);

// `[ … ]`, `test`, `false`.
bool is_test(const Command& command);

}  // namespace muster::targets::slurm::lifting
