// $(( )) over numbers that are known.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace muster::shell {

// Integers, names (with or without `$`, in braces or not), + - * / % and parentheses. nullopt for anything
// else, for names that `lookup` does not know, and for overflow.
std::optional<std::int64_t> evaluate_arithmetic(
    std::string_view text, const std::function<std::optional<std::int64_t>(std::string_view)>& lookup);

// The names that such a text gives values: `i++`, `n = 3`, `n *= 2`.
std::vector<std::string_view> names_assigned(std::string_view text);

}  // namespace muster::shell
