// What a cluster calls a GPU, in the words people write in a workload.
#pragma once

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

}  // namespace muster::targets
