#include "targets/kubernetes/import_fleet.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>

#include "compiler/base/text.h"
#include "targets/site_import/gpu_names.h"

namespace muster::targets::kubernetes {
namespace {

constexpr std::string_view gpu_resources[] = {"nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe",
                                              "nvidia.com/gpu.shared"};
// Where device plugins and clouds write the model, the most exact first.
constexpr std::string_view model_labels[] = {"nvidia.com/gpu.product",        "amd.com/gpu.product-name",
                                             "beta.amd.com/gpu.product-name", "cloud.google.com/gke-accelerator",
                                             "gpu.nvidia.com/class",          "karpenter.k8s.aws/instance-gpu-name"};
constexpr std::pair<std::string_view, std::string_view> spot_labels[] = {
    {"cloud.google.com/gke-spot", "true"},
    {"cloud.google.com/gke-preemptible", "true"},
    {"eks.amazonaws.com/capacityType", "SPOT"},
    {"karpenter.sh/capacity-type", "spot"},
    {"kubernetes.azure.com/scalesetpriority", "spot"}};

// Where clouds and NVIDIA's topology discovery write what is nearest to a node: its switch or rack.
constexpr std::string_view leaf_labels[] = {"network.topology.nvidia.com/leaf", "topology.k8s.aws/network-node-layer-3",
                                            "cloud.google.com/gce-topology-subblock",
                                            "oci.oraclecloud.com/rdma.local_block_id"};
constexpr std::string_view efa = "vpc.amazonaws.com/efa";

std::string_view label(const ClusterNode& node, std::string_view key) {
  const auto found = node.labels.find(std::string(key));
  return found == node.labels.end() ? std::string_view() : std::string_view(found->second);
}

std::int64_t amount(const Amounts& amounts, std::string_view key) {
  const auto found = amounts.find(std::string(key));
  return found == amounts.end() ? 0 : found->second;
}

std::int64_t whole_up(std::int64_t thousandths) { return thousandths / 1000 + (thousandths % 1000 > 0 ? 1 : 0); }

std::int64_t gpus_in(const Amounts& amounts) {
  std::int64_t sum = 0;
  for (const std::string_view resource : gpu_resources) sum += amount(amounts, resource) / 1000;
  return sum;
}

void set_gpus(Machine& m, const ClusterNode& node) {
  m.gpus = std::min<std::int64_t>(gpus_in(node.capacity), 1024);
  if (m.gpus == 0) return;
  m.used_gpus = std::max<std::int64_t>(0, m.gpus - gpus_in(node.allocatable));
  std::string_view product;
  for (auto key = std::begin(model_labels); key != std::end(model_labels) && product.empty(); ++key)
    product = label(node, *key);
  const GpuName known = gpu_name(product);
  m.gpu = product.empty() ? "gpu" : known.model;
  m.gpu_vendor = amount(node.capacity, "amd.com/gpu") > 0 ? "amd" : known.vendor;
  m.gpu_link = known.link;
  m.gpu_memory = known.memory;
  const auto mebibytes = read_quantity(label(node, "nvidia.com/gpu.memory"));
  if (m.gpu_memory == Size{} && mebibytes && *mebibytes / 1000 < (1 << 24)) m.gpu_memory = {*mebibytes / 1000 << 20};
}

// Taints that only workloads of a certain kind pass. Those that say a node is ill count as drained.
std::vector<std::string> lasting_taints(const ClusterNode& node) {
  std::set<std::string> out;
  for (const auto& [key, effect] : node.taints) {
    if (effect == "PreferNoSchedule" || key.starts_with("node.kubernetes.io/") ||
        key.starts_with("node.cloudprovider."))
      continue;
    out.insert(key);
  }
  return {out.begin(), out.end()};
}

Machine machine_of(const ClusterNode& node) {
  Machine m;
  m.name = node.name;
  m.cpus = std::min<std::int64_t>(amount(node.capacity, "cpu") / 1000, 100'000);
  m.memory = {amount(node.capacity, "memory") / 1000};
  m.disk = {amount(node.capacity, "ephemeral-storage") / 1000};
  m.arch = node.arch == "arm64" ? "arm64" : "amd64";
  m.zone = label(node, "topology.kubernetes.io/zone");
  m.preemptible = std::any_of(std::begin(spot_labels), std::end(spot_labels),
                              [&](const auto& spot) { return label(node, spot.first) == spot.second; });
  for (auto key = std::begin(leaf_labels); key != std::end(leaf_labels) && m.leaf.empty(); ++key)
    m.leaf = label(node, *key);
  if (amount(node.capacity, efa) > 0) m.fabric = "efa";
  m.drained = node.cordoned || !node.ready;
  m.drain_reason = node.cordoned ? "cordoned" : "not ready: " + node.not_ready_because;
  set_gpus(m, node);
  m.taints = lasting_taints(node);
  return m;
}

// What the pods of DaemonSets request on a node where no pods were given, in thousandths as all amounts here.
Amounts usual_daemons() { return {{"cpu", 500}, {"memory", (std::int64_t{1} << 30) * 1000}}; }

// What pods request on each node: `daemon` by those that every node runs.
struct Load {
  Amounts daemon, other;
};

void add(Amounts& to, const Amounts& by) {
  for (const auto& [name, amount] : by)
    to[name] = std::min<std::int64_t>(to[name], 4'000'000'000'000'000'000) +
               std::min<std::int64_t>(amount, 4'000'000'000'000'000'000);
}

void set_load(Machine& m, const ClusterNode& node, const Load& load) {
  const auto kept = [&](std::string_view resource) {
    return std::max<std::int64_t>(0, amount(node.capacity, resource) - amount(node.allocatable, resource)) +
           amount(load.daemon, resource);
  };
  m.reserve_cpus = std::clamp<std::int64_t>(whole_up(kept("cpu")), 0, std::max<std::int64_t>(m.cpus - 1, 0));
  m.reserve_memory =
      Size{std::clamp<std::int64_t>(whole_up(kept("memory")), 0, std::max<std::int64_t>(m.memory.bytes - 1, 0))};
  m.used_gpus = std::min(m.used_gpus + gpus_in(load.other), m.gpus);
  m.used_cpus = std::min(whole_up(amount(load.other, "cpu")), m.cpus);
  m.used_memory = std::min(Size{whole_up(amount(load.other, "memory"))}, m.memory);
}

void remark_slices(const ClusterObjects& objects, std::vector<Remark>& remarks) {
  std::set<std::string> slices, shared;
  for (const ClusterNode& node : objects.nodes) {
    for (const auto& [resource, count] : node.capacity)
      if (resource.starts_with("nvidia.com/mig-") && count > 0) slices.insert(resource);
    if (label(node, "nvidia.com/gpu.product").ends_with("-SHARED")) shared.insert(node.name);
  }
  std::string names;
  for (const std::string& slice : slices) names += (names.empty() ? "" : ", ") + printable(slice, 60);
  if (!slices.empty()) remarks.push_back({"", "GPU slices, which were not imported: " + printable(names, 400)});
  if (!shared.empty())
    remarks.push_back({"", "GPUs are time-sliced on " + counted(static_cast<long long>(shared.size()), "node") +
                               "; the count is the number of shares, and several jobs may share a GPU"});
}

}  // namespace

bool is_gpu_resource(std::string_view resource) {
  return std::find(std::begin(gpu_resources), std::end(gpu_resources), resource) != std::end(gpu_resources);
}

std::string_view leaf_label(const ClusterObjects& objects) {
  for (const std::string_view key : leaf_labels)
    for (const ClusterNode& node : objects.nodes)
      if (!label(node, key).empty()) return key;
  return {};
}

std::vector<model::FabricAttachment> fabrics_of(const ClusterObjects& objects) {
  std::int64_t least = 0;  // of the nodes that have it
  for (const ClusterNode& node : objects.nodes)
    if (const std::int64_t count = amount(node.capacity, efa) / 1000; count > 0)
      least = least == 0 ? count : std::min(least, count);
  if (least == 0) return {};
  model::FabricAttachment out;
  out.name = "efa";
  out.resource = model::unplaced(std::string(efa));
  out.per_node = model::unplaced(least);
  return {std::move(out)};
}

std::vector<Machine> machines_of(const ClusterObjects& objects, std::vector<Remark>& remarks) {
  std::unordered_map<std::string_view, Load> loads;
  for (const RunningPod& pod : objects.pods) {
    Load& load = loads[pod.node];
    add(pod.daemon ? load.daemon : load.other, pod.requests);
  }
  std::vector<Machine> out;
  out.reserve(objects.nodes.size());
  for (const ClusterNode& node : objects.nodes) {
    if (!objects.asked_pods) add(loads[node.name].daemon, usual_daemons());
    out.push_back(machine_of(node));
    set_load(out.back(), node, loads[node.name]);
  }
  remark_slices(objects, remarks);
  return out;
}

}  // namespace muster::targets::kubernetes
