// What a command does: a row for each program that muster knows, in programs.def.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/shell/body.h"
#include "compiler/shell/doing.h"

namespace muster::shell {

// The row of a program by its name or path; `python3.11` is `python`, and `./test` a program of the user's own.
// nullptr: none.
const Program* program_named(std::string_view name);
std::span<const Program> programs();

// What a command does; of one of a Body it is there, as `Command::does`.
Doing doing(std::span<const Word> words);
// The same where what the first word does is known already.
Doing doing_behind(const Doing& own, std::span<const Word> words);
// The same of the word at `at`, which no wrapper is looked through for.
Doing doing_at(std::span<const Word> words, std::size_t at);

// Whether a text that `eval` runs is what a tool prints to set itself up, and so gives no name of the script a value:
// `$(conda shell.bash hook)`, `$(pyenv init -)`.
bool sets_up_tool(std::string_view text);
// The same of what a command starts behind its launchers: of `srun nvidia-smi dmon` that of nvidia-smi.
Doing started_by(const Body& body, const Command& command);

// The same of a program of which only the name is known.
bool has_trait(std::string_view name, Trait trait);
bool has_effect(std::string_view name, Effect effect);

// The names of the programs with a trait, in the order of their letters.
std::vector<std::string_view> names_with(Trait trait);

// The first name of a program with one of the traits that is a word of a text, or what a word begins with before its
// `_`; "" without one.
std::string_view mentioned(std::string_view text, std::uint32_t traits);

}  // namespace muster::shell
