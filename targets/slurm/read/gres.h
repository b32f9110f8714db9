// Generic resources as Slurm spells them.
#pragma once

#include <cstdint>
#include <string>

namespace muster::targets::slurm {

struct Gres {
  std::string name;
  std::string type;
  std::int64_t count = 0;
};

}  // namespace muster::targets::slurm
