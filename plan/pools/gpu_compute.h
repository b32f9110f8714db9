// CUDA compute capabilities by GPU model.
#pragma once

#include <cstdint>

#include "compiler/model/fleet.h"

namespace muster::plan {

// In tenths: 90 is 9.0. What the fleet states, else NVIDIA's table ("CUDA GPUs"); 0 where neither knows the model,
// and for other vendors. A model is known by its name up to a `-` or `_`: `a100-80gb` is an `a100`.
std::int64_t compute_capability(const model::Gpu& gpu);

}  // namespace muster::plan
