#include "compiler/model/marks.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "compiler/base/text.h"

namespace muster::model {
namespace {

struct LabelRow {
  std::string_view dialect;
  std::string_view model;
  std::string_view value;
  std::int64_t gigabytes = 0;  // of the card; 0: the value does not tell
  bool pcie = false;
};

// gfd: NVIDIA's gpu-feature-discovery, the product's name with `-` for blanks; older drivers leave NVIDIA- out.
// gke: https://cloud.google.com/kubernetes-engine/docs/how-to/gpus; amd: the node labeller of AMD's device plugin.
constexpr LabelRow label_rows[] = {
    {"gfd", "gb300", "NVIDIA-GB300"},
    {"gfd", "gb200", "NVIDIA-GB200"},
    {"gfd", "b300", "NVIDIA-B300-SXM6-AC"},
    {"gfd", "b200", "NVIDIA-B200"},
    {"gfd", "gh200", "NVIDIA-GH200-480GB"},
    {"gfd", "gh200", "NVIDIA-GH200-144G-HBM3e"},
    {"gfd", "h200", "NVIDIA-H200"},
    {"gfd", "h200", "NVIDIA-H200-NVL", 0, true},
    {"gfd", "h100", "NVIDIA-H100-80GB-HBM3", 80},
    {"gfd", "h100", "NVIDIA-H100-PCIe", 80, true},
    {"gfd", "h100", "NVIDIA-H100-NVL", 94, true},
    {"gfd", "h800", "NVIDIA-H800"},
    {"gfd", "h20", "NVIDIA-H20"},
    {"gfd", "a100", "NVIDIA-A100-SXM4-80GB", 80},
    {"gfd", "a100", "A100-SXM4-80GB", 80},
    {"gfd", "a100", "NVIDIA-A100-80GB-PCIe", 80, true},
    {"gfd", "a100", "NVIDIA-A100-SXM4-40GB", 40},
    {"gfd", "a100", "A100-SXM4-40GB", 40},
    {"gfd", "a100", "NVIDIA-A100-PCIE-40GB", 40, true},
    {"gfd", "a100", "A100-PCIE-40GB", 40, true},
    {"gfd", "a40", "NVIDIA-A40"},
    {"gfd", "a30", "NVIDIA-A30"},
    {"gfd", "a10g", "NVIDIA-A10G"},
    {"gfd", "a10", "NVIDIA-A10"},
    {"gfd", "a2", "NVIDIA-A2"},
    {"gfd", "l40s", "NVIDIA-L40S"},
    {"gfd", "l40", "NVIDIA-L40"},
    {"gfd", "l4", "NVIDIA-L4"},
    {"gfd", "t4", "Tesla-T4"},
    {"gfd", "v100", "Tesla-V100-SXM2-32GB", 32},
    {"gfd", "v100", "Tesla-V100-SXM2-16GB", 16},
    {"gfd", "v100", "Tesla-V100-PCIE-32GB", 32, true},
    {"gfd", "v100", "Tesla-V100-PCIE-16GB", 16, true},
    {"gfd", "p100", "Tesla-P100-PCIE-16GB"},
    {"gke", "gb200", "nvidia-gb200"},
    {"gke", "b200", "nvidia-b200"},
    {"gke", "h200", "nvidia-h200-141gb"},
    {"gke", "h100", "nvidia-h100-80gb"},
    {"gke", "h100", "nvidia-h100-mega-80gb"},
    {"gke", "a100", "nvidia-a100-80gb", 80},
    {"gke", "a100", "nvidia-tesla-a100", 40},
    {"gke", "l4", "nvidia-l4"},
    {"gke", "t4", "nvidia-tesla-t4"},
    {"gke", "v100", "nvidia-tesla-v100"},
    {"gke", "p100", "nvidia-tesla-p100"},
    {"amd", "mi300x", "AMD_Instinct_MI300X_OAM"},
    {"amd", "mi325x", "AMD_Instinct_MI325X_OAM"},
    {"amd", "mi355x", "AMD_Instinct_MI355X_OAM"},
    {"amd", "mi300a", "AMD_Instinct_MI300A"},
    {"amd", "mi250x", "AMD_Instinct_MI250X"},
    {"amd", "mi250", "AMD_Instinct_MI250"},
    {"amd", "mi210", "AMD_Instinct_MI210"},
};

std::string_view key_of(std::string_view dialect) {
  if (dialect == "gke") return "cloud.google.com/gke-accelerator";
  if (dialect == "eks") return "karpenter.k8s.aws/instance-gpu-name";
  if (dialect == "aks") return "kubernetes.azure.com/agentpool";
  if (dialect == "amd") return "amd.com/gpu.product-name";
  return "nvidia.com/gpu.product";
}

bool matches(const LabelRow& row, const Pool* pool) {
  if (pool == nullptr || !pool->gpu) return true;
  const Gpu& gpu = *pool->gpu;
  const std::int64_t gigabytes = gpu.memory.bytes / 1'000'000'000;
  if (row.gigabytes != 0 && gigabytes != 0 && row.gigabytes != gigabytes) return false;
  return gpu.link.empty() || row.pcie == (gpu.link == "pcie");
}

}  // namespace

const GpuDialect* find_dialect(const Site& site, const Plane& plane, std::string_view model) {
  const GpuDialect* found = nullptr;
  for (const GpuDialect& dialect : site.gpus) {
    if (!equal_ignoring_case(dialect.model, model)) continue;
    if (dialect.plane == plane.name) return &dialect;
    if (dialect.plane.empty()) found = &dialect;
  }
  return found;
}

GpuWord gpu_word(const Site& site, const Plane& plane, const std::string& gpu) {
  const GpuDialect* dialect = find_dialect(site, plane, gpu);
  if (dialect != nullptr && dialect->gres) return {dialect->gres->value, {}};
  if (dialect != nullptr && dialect->feature) return {{}, dialect->feature->value};
  return {gpu, {}};
}

GpuLabel gpu_label(const Site& site, const Plane& plane, std::string_view gpu, const Pool* pool) {
  const bool amd = pool != nullptr && pool->gpu && pool->gpu->vendor == "amd";
  const PodPlane* pods = plane.pods();
  const std::string dialect = pods != nullptr && pods->gpu_labels ? pods->gpu_labels->value : amd ? "amd" : "gfd";
  GpuLabel out{std::string(key_of(amd && dialect == "gfd" ? "amd" : dialect)), {}};
  const GpuDialect* words = find_dialect(site, plane, gpu);
  if (words != nullptr && words->label) {
    const std::string& label = words->label->value;
    const std::size_t equals = label.find('=');
    if (equals != std::string::npos) out.key = label.substr(0, equals);
    out.values.push_back(equals == std::string::npos ? label : label.substr(equals + 1));
    return out;
  }
  if (dialect == "eks") return {out.key, {std::string(gpu)}};
  for (const bool exact : {true, false}) {  // where the pool's form is in no row, the model alone
    for (const LabelRow& row : label_rows)
      if (key_of(row.dialect) == out.key && row.model == gpu && (!exact || matches(row, pool)))
        out.values.emplace_back(row.value);
    if (!out.values.empty()) break;
  }
  return out;
}

std::string_view vendor_of_label(std::string_view key) {
  constexpr std::pair<std::string_view, std::string_view> prefixes[] = {
      {"nvidia.com/gpu", "nvidia"}, {"amd.com/gpu", "amd"}, {"gpu.intel.com/", "intel"}};
  for (const auto& [prefix, vendor] : prefixes)
    if (key.starts_with(prefix)) return vendor;
  return {};
}

std::string_view gpu_taint(std::string_view vendor) { return vendor == "amd" ? "amd.com/gpu" : "nvidia.com/gpu"; }

const Taint* stopping_taint(const Plane& plane, const Queue* queue, const Pool& pool, bool with_gpus) {
  const bool pods = plane.pods() != nullptr;
  const auto passes = [&](const Taint& taint) {
    if (pods && taint.effect == "PreferNoSchedule") return true;
    if (pods && with_gpus && pool.gpu && taint.name == gpu_taint(pool.gpu->vendor)) return true;
    return queue != nullptr && std::any_of(queue->tolerates.begin(), queue->tolerates.end(),
                                           [&](const auto& name) { return name.value == taint.name; });
  };
  const auto found = std::find_if_not(pool.taints.begin(), pool.taints.end(), passes);
  return found == pool.taints.end() ? nullptr : &*found;
}

std::string gpu_of_label(std::string_view key, std::string_view value) {
  constexpr std::string_view dialects[] = {"gfd", "gke", "eks", "amd"};
  const bool known =
      std::any_of(std::begin(dialects), std::end(dialects), [&](std::string_view d) { return key_of(d) == key; });
  if (!known || value.empty()) return {};
  for (const LabelRow& row : label_rows)
    if (key_of(row.dialect) == key && row.value == value) return std::string(row.model);
  std::string name = muster::lower(value);
  for (const std::string_view prefix : {"nvidia-", "tesla-"})
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  return name;
}

}  // namespace muster::model
