// A number as Slurm reads one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace muster::targets::slurm {

// A number and nothing behind it, at least 1 (`positive`) or 0; cut to 32 bits, as Slurm keeps it.
std::optional<std::int64_t> slurm_number(std::string_view text, bool positive = true);

}  // namespace muster::targets::slurm
