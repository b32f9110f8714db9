// Whether a command does the same wherever it runs: on every node, in every task.
#pragma once

#include <set>

#include "targets/slurm/lift/statements.h"
#include "targets/slurm/read/body.h"

namespace muster::targets::slurm::lifting {

// All tasks may run it at once: it has one result and writes no file.
bool is_alike_in_tasks(const Body& body, const Command& command);

// It changes the shell itself, which the lines behind it may see, or starts what Slurm has to know.
bool changes_shell(const Body& body, const Command& command);

// `mkdir -p`, `ln -sf`: it does not fail where it was done before, as `mkdir` and `ln -s` do.
bool may_be_repeated(const Body& body, const Statement& statement);

// `f() { … }`: it does nothing by itself, and whoever calls it needs it.
bool defines_function(const Body& body, const Statement& statement);
// Whether each task may call what has this name: what the functions of the script do is alike too.
bool functions_are_alike(const Sources& sources, const Body& body, std::span<const Statement> statements,
                         std::string_view name);
// Whether a text reads a variable.
bool reads_name(std::string_view text, std::string_view name);
// Of some statements that are a text of their own those that give a plain value to a name of the shell which no other
// of them reads.
std::set<std::size_t> unread(const Sources& sources, const Body& body, std::span<const Statement> statements,
                             const std::set<std::size_t>& of_text);
// Whether a text has a value that is another one each time, such as `$RANDOM` or `$$`. `ids`: so often `$RANDOM` is a
// name that all have from the job.
bool has_value_of_once(std::string_view text, std::size_t ids = 0);

}  // namespace muster::targets::slurm::lifting
