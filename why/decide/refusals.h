// What sbatch and kubectl refused: each submission by itself.
#pragma once

#include <string>
#include <vector>

#include "why/facts.h"

namespace muster::why {

struct Refusal {
  std::string id;                    // "" of the only one, else "submission 2"
  std::vector<const Object*> lines;  // as they were printed
};

// Lines that follow each other are of one submission, up to the one with which its program ends. What was pasted twice
// is one. `kubectl`: those of Kubernetes, else those of Slurm.
std::vector<Refusal> refusals_of(const Facts& facts, bool kubectl);

}  // namespace muster::why
