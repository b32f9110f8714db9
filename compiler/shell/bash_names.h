// What names mean to bash itself.
#pragma once

#include <string_view>

namespace muster::shell {

// A name whose value bash sets, reads or forbids to set itself, so that an export would not carry it.
bool bash_owns(std::string_view name);

// A word that bash runs itself (a builtin or a keyword) where it is first in a command.
bool bash_runs(std::string_view word);

}  // namespace muster::shell
