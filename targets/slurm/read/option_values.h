// Values that sbatch itself refuses, of the options of which nothing else reads the value.
#pragma once

#include <string_view>

namespace muster::targets::slurm {

// What sbatch takes there; "" where the value is one of these, or where the option takes any.
std::string_view wrong_value(std::string_view option, std::string_view value);

}  // namespace muster::targets::slurm
