// What nodes bear, by which jobs and pods ask for their GPUs. Planner, writers and readers use these words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/model/fleet.h"
#include "compiler/model/site.h"

namespace muster::model {

// The plane's words for a GPU model; nullptr where the site has none.
const GpuDialect* find_dialect(const Site& site, const Plane& plane, std::string_view model);

// A label of nodes and the values that mean a GPU model; no values: the dialect has no word for it.
struct GpuLabel {
  std::string key;
  std::vector<std::string> values;
};

// The model that a label of nodes means, in lower case; "": the label is not one of GPUs. A value that no dialect knows
// is a model of its own name.
std::string gpu_of_label(std::string_view key, std::string_view value);

// The vendor whose GPUs a label of nodes is about, as its own tools write it: nvidia.com/gpu.count, amd.com/gpu.vram;
// "": the label is none of these.
std::string_view vendor_of_label(std::string_view key);

// The taint that most clouds set on nodes with GPUs of a vendor. Every pod with GPUs that muster writes tolerates it.
std::string_view gpu_taint(std::string_view vendor);

// Whether a queue lets pods, with GPUs of the pool or without, onto nodes with all taints of the pool. `queue` may be
// nullptr. The first taint that keeps them away; nullptr: none.
const Taint* stopping_taint(const Plane& plane, const Queue* queue, const Pool& pool, bool with_gpus);

// In the dialect of the plane (gfd where it says none; AMD's for AMD's GPUs). `pool` tells sizes and forms of one model
// apart and may be nullptr. A `label` that the site gives for the model is the value, or `key=value`.
GpuLabel gpu_label(const Site& site, const Plane& plane, std::string_view gpu, const Pool* pool);

// What a pool's GPU is called by a batch system: a GRES type, or a feature of its nodes where types are not declared.
struct GpuWord {
  std::string type;
  std::string feature;
  bool operator==(const GpuWord&) const = default;
};
GpuWord gpu_word(const Site& site, const Plane& plane, const std::string& gpu);

}  // namespace muster::model
