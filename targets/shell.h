// The one path by which a user's bytes enter a shell script or an #SBATCH line. Every function here
// either keeps the bytes exactly or says that it cannot; none edits them. The scripts are bash.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::targets {

// No shell word, environment value or here-document can hold a NUL: ask this first.
bool has_nul(std::string_view bytes);

// One bash word that is `bytes`: bare if nothing in it is special at any place of a command, else in
// single quotes. A carriage return is spelt $'\r', since sbatch refuses files with DOS line ends.
std::string sh_word(std::string_view bytes);

// The same for any POSIX sh, in files that may hold carriage returns.
std::string sh_text(std::string_view bytes);

// The value of `#SBATCH --option=VALUE`, read by Slurm's own parser: backslash escapes everywhere,
// quotes toggle, # starts a comment, a blank ends. nullopt for control characters and over-long values.
std::optional<std::string> sbatch_value(std::string_view bytes);

// A pattern for --output and --error: {name} {id} {array} {point} {host} {user} {step} {job-step} {node}
// {task} in Slurm's letters, with a width as in {point:4}; {role} as text, {{ as {, a literal % doubled.
// nullopt where a backslash would switch Slurm's replacement off.
std::optional<std::string> sbatch_filename(std::string_view pattern, std::string_view role);

// The other way: a pattern of --output or --error in the language's words. nullopt for a letter that it has
// no word for, and where Slurm replaces nothing (a backslash) or takes a bare number for a task.
std::optional<std::string> log_pattern(std::string_view filename);

// A here-document delimiter that is not a line of `body`, blanks around it aside (a reader would take an
// indented one for the end): the stem, or the stem and a number.
std::string heredoc_delimiter(std::string_view body, std::string_view stem);

// Lines that set the shell variable `name` to exactly `bytes`.
std::string sh_variable(std::string_view name, std::string_view bytes);

// Lines that write exactly `bytes` to the file that the bash word `path` names.
std::string sh_file(std::string_view path, std::string_view bytes, std::string_view stem);

// Lines that run `bytes` in the present shell.
std::string sh_source(std::string_view bytes, std::string_view stem);

}  // namespace muster::targets
