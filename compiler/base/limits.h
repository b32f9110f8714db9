// What an input may cost: one named limit a line of limits.def. Over a limit an input is refused with exit code 2 and a
// message that names it; it never exhausts the memory of the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "compiler/base/diagnostic.h"

namespace muster {

enum class Limit : std::uint8_t {
#define LIMIT(id, ...) id,
#include "compiler/base/limits.def"
#undef LIMIT
};

enum class LimitUnit : std::uint8_t { count, bytes };

struct LimitInfo {
  std::string_view name;  // "findings of a file"
  std::size_t value = 0;
  LimitUnit unit{};
  std::string_view help;  // what to do about it, in the imperative
};

std::span<const LimitInfo> all_limits();
const LimitInfo& info(Limit limit);

// Its value, for constants.
constexpr std::size_t value_of(Limit limit) {
  constexpr std::size_t values[] = {
#define LIMIT(id, name, value, ...) static_cast<std::size_t>(value),
#include "compiler/base/limits.def"
#undef LIMIT
  };
  return values[static_cast<std::size_t>(limit)];
}

// "10,000", "4 MiB".
std::string value_text(const LimitInfo& limit);

// Reports at `where` that an input exceeds the limit. `what` is the input with its number, where it is known:
// "`a.sbatch` has 200,000 findings".
Diagnostic& add_over_limit(Diagnostics& diagnostics, Limit limit, Span where, const std::string& what);

}  // namespace muster
