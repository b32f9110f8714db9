// $(( )) over numbers that are known.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace muster::shell {

// Integers, names (with or without `$`, in braces or not), + - * / % and parentheses. nullopt for anything
// else, for names that `lookup` does not know, and for overflow.
std::optional<std::int64_t> evaluate_arithmetic(
    std::string_view text, const std::function<std::optional<std::int64_t>(std::string_view)>& lookup);

}  // namespace muster::shell
