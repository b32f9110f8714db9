// Numbers as strtol takes them: blanks and a sign in front, anything behind.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace muster::targets::slurm {

struct Leading {
  std::int64_t value = 0;
  std::size_t length = 0;  // of blanks, sign and digits; 0 if there are no digits
  bool any = false;
  bool overflow = false;
};

Leading leading_number(std::string_view text);

// A number and nothing behind it, at least 1 (`positive`) or 0; cut to 32 bits, as Slurm keeps it.
std::optional<std::int64_t> slurm_number(std::string_view text, bool positive = true);

}  // namespace muster::targets::slurm
