#include "plan/pools/gpu_compute.h"

#include <string_view>

namespace muster::plan {
namespace {

struct Known {
  std::string_view model;
  std::int64_t tenths;
};

constexpr Known table[] = {
    {"p100", 60},  {"p40", 61},    {"p4", 61},       {"v100", 70},  {"t4", 75},    {"a100", 80},    {"a30", 80},
    {"a2", 86},    {"a10", 86},    {"a10g", 86},     {"a16", 86},   {"a40", 86},   {"a6000", 86},   {"rtx3090", 86},
    {"l4", 89},    {"l40", 89},    {"l40s", 89},     {"l20", 89},   {"l2", 89},    {"rtx4090", 89}, {"h100", 90},
    {"h200", 90},  {"h800", 90},   {"h20", 90},      {"gh200", 90}, {"b100", 100}, {"b200", 100},   {"gb200", 100},
    {"b300", 103}, {"gb300", 103}, {"rtx5090", 120}, {"gb10", 121},
};

}  // namespace

std::int64_t compute_capability(const model::Gpu& gpu) {
  if (gpu.compute > 0 || gpu.vendor != "nvidia") return gpu.compute;
  const std::string_view model = std::string_view(gpu.model).substr(0, gpu.model.find_first_of("-_"));
  for (const Known& known : table)
    if (known.model == model) return known.tenths;
  return 0;
}

}  // namespace muster::plan
