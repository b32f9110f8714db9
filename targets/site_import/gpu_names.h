// What a cluster calls a GPU, in the words people write in a workload.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/base/units.h"

namespace muster::targets {

struct GpuName {
  std::string model;  // "h100"; a name that is not known is kept, in lower case
  Size memory;        // 0: the name does not tell, and models of several sizes exist
  std::string vendor = "nvidia";
  std::string link;  // pcie where the name says so, else ""
  bool known = false;
};

// From a GRES type, a product label or a cloud's label: "nvidia_h100_80gb_hbm3", "NVIDIA-H100-80GB-HBM3",
// "Tesla-V100-SXM2-32GB" and "nvidia-h100-mega-80gb" are h100 and v100. Slices ("a100_3g.20gb") are not
// the model they are cut from and keep their name.
GpuName gpu_name(std::string_view text);

// A GRES type that is a slice: "a100_3g.20gb" is {"3g.20gb", "a100_"}. nullopt: it is not.
struct SliceName {
  std::string profile;
  std::string before;        // what the type has in front of the profile
  std::int64_t compute = 1;  // of the seven compute slices of a GPU
};
std::optional<SliceName> slice_name(std::string_view type);

}  // namespace muster::targets
