// What no environment, command line or repository can carry: refused in the same words on every target.
#pragma once

#include <string>
#include <string_view>

#include "targets/account.h"
#include "targets/contract/variables.h"

namespace muster::targets::contract {

// The longest argument that the kernel takes.
inline constexpr std::size_t longest_argument = 128 * 1024 - 1;

// Whether `bytes` hold a NUL, which is refused: "the path holds a NUL byte, …".
bool refuse_nul(Account& account, std::string_view bytes, const FieldRef& field, std::string_view what);

// Whether an argument of `field` can be given to a program; else it is refused.
bool check_argument(Account& account, std::string_view argument, const FieldRef& field);

// Why a variable of the user's cannot be set by this shell: "is not a name that …"; "" where it can.
std::string fault_of_variable(const std::string& name, const std::string& value, Shell shell);

// Whether the address and the revision of a repository are safe to hand to git; else they are refused.
bool check_git(Account& account, const model::Git& git);

}  // namespace muster::targets::contract
