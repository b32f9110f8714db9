// What a pod asks of its node: GPUs by device plugin or by claim, cores, memory.
#include <algorithm>

#include "compiler/model/marks.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/pod_draft.h"
#include "targets/kubernetes/read/cluster.h"
#include "targets/lookup.h"

namespace muster::targets::kubernetes {
namespace {

struct PodAmounts {
  Node requests = map({});
  Node limits = map({});
};

const model::GpuDialect* words_of(const PodDraft& pod) {
  return model::find_dialect(pod.site(), pod.plane(), gpu_model(pod.shape));
}

std::string whole_gpu(const PodDraft& pod) {
  const model::GpuDialect* words = words_of(pod);
  if (words != nullptr && words->resource) return words->resource->value;
  if (pod.vendor() == "amd") return "amd.com/gpu";
  if (pod.vendor() == "intel") return "gpu.intel.com/xe";
  return "nvidia.com/gpu";
}

// A slice as the device plugin names it under the strategy `mixed`.
void ask_for_slice(PodDraft& pod, PodAmounts& amounts) {
  const std::string& slice = pod.role.resources.gpu_slice->value;
  const model::GpuDialect* words = words_of(pod);
  std::string name = slice_word(
      words != nullptr && words->slice_resource ? words->slice_resource->value : "nvidia.com/mig-{slice}", slice);
  std::replace(name.begin(), name.end(), '+', '.');  // "1g.10gb+me" is nvidia.com/mig-1g.10gb.me
  put(amounts.limits, name, number(1));
  pod.exact(model::Field::resources_gpu_slice, name);
}

void ask_for_share(PodDraft& pod, PodAmounts& amounts) {
  const std::int64_t percent = pod.role.resources.gpu_share->value;
  const model::GpuDialect* words = words_of(pod);
  if (const std::string key(pod.draft.gang_row().gpu_share_key); !key.empty()) {
    const std::string fraction = (percent < 10 ? "0.0" : "0.") + std::to_string(percent);
    put(pod.annotations, key, text(fraction));
    return pod.exact(model::Field::resources_gpu_share, "annotation " + key + ": " + fraction);
  }
  if (words != nullptr && words->resource && words->resource->value.ends_with(".shared")) {
    put(amounts.limits, words->resource->value, number(1));
    return pod.approximated(model::Field::resources_gpu_share, words->resource->value,
                            "time slicing does not limit the share of the GPU");
  }
  pod.refuse(
      model::Field::resources_gpu_share,
      "plane `" + pod.plane().name + "` does not share GPUs, neither by KAI (`gang = kai`) nor by time slices",
      "set `gpu " + gpu_model(pod.shape) + " { resource = \"nvidia.com/gpu.shared\" }` if time slicing is enabled");
}

// Dynamic resource allocation: a template of claims, from which every pod gets its own.
void ask_by_claim(PodDraft& pod, Node& resources) {
  const std::string driver = pod.vendor() == "amd" ? "gpu.amd.com" : "gpu.nvidia.com";
  if (pod.draft.lacks(object_gate("resource.k8s.io/v1", "", "")))
    return pod.refuse(
        model::Field::resources_gpus,
        "plane `" + pod.plane().name + "` requests GPUs with resource.k8s.io/v1, which requires Kubernetes 1.34");
  Node exactly = map({{"deviceClassName", text(driver)}, {"count", number(pod.shape.gpus)}});
  if (const std::string gpu = gpu_model(pod.shape); !gpu.empty()) {
    const std::string expression = "device.attributes[\"" + driver +
                                   "\"].productName.lowerAscii().matches(\"(^|[^a-z0-9])" + gpu + "([^a-z0-9]|$)\")";
    put(exactly, "selectors", list({map({{"cel", map({{"expression", text(expression)}})}})}));
  }
  const std::string name = pod.object_name + "-gpus";
  const std::string claim_name = pod.place == 0 ? "gpus" : "gpus-" + dns_label(pod.role.name);
  Node request = list({map({{"name", text("gpus")}, {"exactly", std::move(exactly)}})});
  Node claim = pod.draft.object("resource.k8s.io/v1", "ResourceClaimTemplate", name);
  put(claim, "spec", map({{"spec", map({{"devices", map({{"requests", std::move(request)}})}})}}));
  pod.draft.add(std::move(claim));
  append(pod.spec, "resourceClaims", map({{"name", text(claim_name)}, {"resourceClaimTemplateName", text(name)}}));
  append(resources, "claims", map({{"name", text(claim_name)}}));
  pod.exact(model::Field::resources_gpus, "ResourceClaimTemplate of " + std::to_string(pod.shape.gpus));
}

void ask_for_gpus(PodDraft& pod, PodAmounts& amounts, Node& resources) {
  const model::Resources& asked = pod.role.resources;
  if (!pod.has_gpus()) return pod.read(model::Field::resources_gpus, "no GPU is requested");
  if (asked.gpu_slice) return ask_for_slice(pod, amounts);
  if (asked.gpu_share) return ask_for_share(pod, amounts);
  if (pod.plane().gpu_request == model::GpuRequest::dra) return ask_by_claim(pod, resources);
  const std::string name = whole_gpu(pod);
  put(amounts.limits, name, number(pod.shape.gpus));
  pod.exact(model::Field::resources_gpus, name + ": " + std::to_string(pod.shape.gpus));
}

constexpr std::string_view left_to_site =
    "nothing is written: a LimitRange of the namespace decides, or the pod has no request";

// The low end of a range is asked for, the high end is the limit. Both alike, as without a range, make the
// pod Guaranteed: its cores can be pinned and it is evicted last.
void ask_for_cpus(PodDraft& pod, PodAmounts& amounts) {
  const auto& asked = pod.role.resources.cpus;
  if (model::is_left_to_site(asked)) return pod.read(model::Field::resources_cpus, left_to_site);
  std::optional<std::int64_t> high = pod.shape.cpus;
  if (!high && pod.shape.all_cpus && pod.shape.pool != nullptr) high = pod.shape.pool->usable_cpus(pod.shape.family);
  if (!high && pod.shape.all_cpus && asked)
    return pod.refuse(model::Field::resources_cpus,
                      "`cpus = all` must be a number in a pod, but no fleet declares the CPUs of a node");
  if (!high) return;
  const bool range = asked && asked->value.is_range() && asked->value.low < *high;
  put(amounts.limits, "cpu", amount(*high));
  put(amounts.requests, "cpu", amount(range ? asked->value.low : *high));
  pod.exact(model::Field::resources_cpus, "cpu: " + std::to_string(*high));
}

void ask_for_memory(PodDraft& pod, PodAmounts& amounts) {
  const auto& asked = pod.role.resources.memory;
  if (model::is_left_to_site(asked)) return pod.read(model::Field::resources_memory, left_to_site);
  std::optional<Size> high = pod.shape.memory;
  if (!high && pod.shape.all_memory && pod.shape.pool != nullptr)
    high = pod.shape.pool->usable_memory(pod.shape.family);
  if (!high && pod.shape.all_memory && asked)
    return pod.refuse(model::Field::resources_memory,
                      "`memory = all` must be a number in a pod, but no fleet declares the memory of a node");
  if (!high) return;
  const bool range = asked && asked->value.is_range() && asked->value.low < *high;
  put(amounts.limits, "memory", amount(*high));
  put(amounts.requests, "memory", amount(range ? asked->value.low : *high));
  pod.exact(model::Field::resources_memory, "memory: " + quantity(*high));
}

void report_nodes(PodDraft& pod) {
  if (!pod.options.counts_nodes) return;
  const auto& nodes = pod.role.resources.nodes;
  const std::string pods = pod.shape.nodes == 1 ? "one pod" : std::to_string(pod.shape.nodes) + " pods";
  const bool fixed = !nodes || nodes->value.high <= nodes->value.low;
  if (fixed && pod.shape.nodes > 1 && pod.shape.may_share_nodes())
    pod.approximated(model::Field::resources_nodes, pods, "2 of these pods may share a machine");
  else if (fixed) pod.exact(model::Field::resources_nodes, pods);
  else if (pod.options.takes_range)
    pod.exact(model::Field::resources_nodes, pods + ", at most " + std::to_string(nodes->value.high));
  else
    pod.approximated(model::Field::resources_nodes, pods,
                     pod.options.may_be_scaled
                         ? "starts with the lower bound of the range, and grows only when it is scaled by hand"
                         : "uses the lower bound of the range, because the object cannot grow");
}

void report_shape(PodDraft& pod) {
  report_nodes(pod);
  const model::Resources& asked = pod.role.resources;
  if (pod.shape.exclusive && model::is_left_to_site(asked.cpus) && model::is_left_to_site(asked.memory))
    return pod.refuse(model::Field::resources_exclusive,
                      "a pod has a node to itself by requesting all of its CPUs or memory, but both are `default`",
                      "write `cpus = all`");
  pod.approximated(model::Field::resources_exclusive, "all allocatable resources of a node",
                   "system pods and pods without requests may still run there");
  pod.approximated(model::Field::resources_smt, "nothing",
                   "the kubelet's CPU manager policy controls hardware threads");
}

}  // namespace

void add_resources(PodDraft& pod) {
  PodAmounts amounts;
  Node resources = map({});
  ask_for_cpus(pod, amounts);
  ask_for_memory(pod, amounts);
  if (const auto& disk = pod.role.resources.disk) {
    put(amounts.requests, "ephemeral-storage", amount(disk->value));
    put(amounts.limits, "ephemeral-storage", amount(disk->value));
  }
  ask_for_gpus(pod, amounts, resources);
  if (const model::FabricAttachment* fabric = find_fabric(pod.draft.plan, pod.shape);
      fabric != nullptr && fabric->resource)
    put(amounts.limits, fabric->resource->value, number(fabric->per_node ? fabric->per_node->value : 1));
  // Init containers ask for the same cores and memory, or the pod would not be Guaranteed.
  for (Node& init : pod.init_containers) {
    Node same = map({});
    for (const char* name : {"cpu", "memory"})
      if (const Node* limit = amounts.limits.get(name)) put(same, name, *limit);
    if (!same.members.empty()) put(init, "resources", map({{"limits", std::move(same)}}));
  }
  // The API server takes limits for requests that are not there.
  const bool same =
      std::all_of(amounts.requests.members.begin(), amounts.requests.members.end(), [&](const auto& asked) {
        const Node* limit = amounts.limits.get(asked.key);
        return limit != nullptr && limit->text == asked.value.text;
      });
  if (!same) put(resources, "requests", std::move(amounts.requests));
  if (!amounts.limits.members.empty()) put(resources, "limits", std::move(amounts.limits));
  if (!resources.members.empty()) put(pod.container, "resources", std::move(resources));
  report_shape(pod);
}

namespace {

bool is_own(const Node& container, const std::vector<std::string>& own) {
  const Node* name = container.get("name");
  return name != nullptr && std::find(own.begin(), own.end(), name->text) != own.end();
}

// In thousandths, what the other containers request for as long as the pod runs.
std::int64_t requested_beside(const Node& spec, const std::vector<std::string>& own, const char* resource) {
  std::int64_t sum = 0;
  for (const char* kind : {"containers", "initContainers"}) {
    const Node* containers = spec.get(kind);
    if (containers == nullptr) continue;
    for (const Node& container : containers->items) {
      const Node* policy = container.get("restartPolicy");
      const bool stays = kind == std::string_view("containers") || (policy != nullptr && policy->text == "Always");
      if (!stays || is_own(container, own)) continue;
      for (const char* of : {"resources.requests", "resources.limits"}) {
        const Node* amounts = container.at(of);
        const Node* amount = amounts == nullptr ? nullptr : amounts->get(resource);
        if (amount == nullptr) continue;
        sum += std::clamp<std::int64_t>(read_quantity(amount->text).value_or(0), 0, INT64_MAX / 4 - sum);
        break;
      }
    }
  }
  return sum;
}

}  // namespace

std::vector<std::string> container_names(const Node& pod_template) {
  std::vector<std::string> out;
  for (const char* kind : {"containers", "initContainers"})
    if (const Node* containers = pod_template.get("spec")->get(kind))
      for (const Node& container : containers->items)
        if (const Node* name = container.get("name")) out.push_back(name->text);
  return out;
}

void leave_room_beside(PodDraft& pod, Node& pod_template, const std::vector<std::string>& own) {
  Node& spec = at(pod_template, "spec");
  const model::Resources& asked = pod.role.resources;
  const auto take = [&](const char* resource, std::int64_t all, std::int64_t step, auto spelt) {
    const std::int64_t beside = requested_beside(spec, own, resource);  // in thousandths
    const std::int64_t left = (all - (beside + 999) / 1000) / step * step;
    if (beside == 0 || left < step) return;
    Node& resources = at(at(spec, "containers").items.front(), "resources");
    for (const char* kind : {"requests", "limits"})
      if (resources.get(kind) != nullptr && resources.get(kind)->get(resource) != nullptr)
        put(at(resources, kind), resource, spelt(left));
  };
  if (pod.shape.cpus && !(asked.cpus && asked.cpus->value.is_range()))
    take("cpu", *pod.shape.cpus, 1, [](std::int64_t left) { return amount(left); });
  if (pod.shape.memory && !(asked.memory && asked.memory->value.is_range()))
    take("memory", pod.shape.memory->bytes, 1 << 20, [](std::int64_t left) { return amount(Size{left}); });
}

}  // namespace muster::targets::kubernetes
