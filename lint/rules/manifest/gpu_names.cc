// K8S024 gpu-resource-name, K8S027 devices-beyond-limit, K8S028 role-without-gpus: GPUs that pods mean to have and do
// not get.
#include <algorithm>
#include <array>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "lint/rules/manifest/scene.h"

namespace muster::lint {
namespace {

// ---- K8S024 ------------------------------------------------------------------------------------------

struct Misspelt {
  std::string_view wrong, right;
};

constexpr auto misspelt = std::to_array<Misspelt>({
    {"nvidia.com/gpus", "nvidia.com/gpu"},
    {"nvidia/gpu", "nvidia.com/gpu"},
    {"nvidia.com.gpu", "nvidia.com/gpu"},
    {"nvidia.com/num_gpus", "nvidia.com/gpu"},
    {"nvidia.gpu", "nvidia.com/gpu"},
    {"nvidia-gpu", "nvidia.com/gpu"},
    {"nvidia.com/gpu-count", "nvidia.com/gpu"},
    {"nvida.com/gpu", "nvidia.com/gpu"},
    {"nvidia.io/gpu", "nvidia.com/gpu"},
    {"k8s.nvidia.com/gpu", "nvidia.com/gpu"},
    {"gpu", "nvidia.com/gpu"},
    {"gpus", "nvidia.com/gpu"},
    {"amd.com/gpus", "amd.com/gpu"},
    {"amd/gpu", "amd.com/gpu"},
    {"vpc.amazonaws.com/efas", "vpc.amazonaws.com/efa"},
    {"google.com/tpus", "google.com/tpu"},
    {"alpha.kubernetes.io/nvidia-gpu", "nvidia.com/gpu"},
});

// Resources of Kubernetes itself; others have a domain.
bool is_native(std::string_view name) {
  constexpr std::array<std::string_view, 5> names = {"cpu", "memory", "ephemeral-storage", "storage", "pods"};
  return std::find(names.begin(), names.end(), name) != names.end() || name.starts_with("hugepages-") ||
         name.starts_with("attachable-volumes-");
}

std::string_view right_name(std::string_view name) {
  const std::string small = lower(name);
  for (const Misspelt& row : misspelt)
    if (row.wrong == small) return row.right;
  return small != name && small == "nvidia.com/gpu" ? "nvidia.com/gpu" : std::string_view();
}

void check_names(const ManifestScene& scene, const Object& object, const Field& resources) {
  for (const char* part : {"limits", "requests"})
    for (const Field& f : resources.get(part).members()) {
      const std::string_view right = right_name(f.key);
      const bool unqualified = f.key.find('/') == std::string_view::npos && !is_native(f.key);
      if ((right.empty() && !unqualified) || blank_in(f.key, In::refused) || !f.node->is_scalar()) continue;
      const bool with_domain = !unqualified;
      Finding& found =
          scene.wrong(RuleId::gpu_resource_name, object, f, quoted(f.key) + " is not the name of a resource",
                      right.empty() ? "the API server rejects the pod" : "did you mean " + quoted(right) + "?");
      if (f.key_span.known()) found.primary = f.key_span;
      found.notes.push_back(
          with_domain ? "no node has this resource, so the pods stay pending"
                      : "the API server rejects the pod: a resource that is not Kubernetes' own needs a domain");
      if (!right.empty() && f.key_span.known() && !f.aliased)
        found.fix = Fix{"write " + quoted(right), true, {{f.key_span, std::string(right)}}};
    }
}

// ---- K8S027 ------------------------------------------------------------------------------------------

// The highest index of a list such as "0,1,2,3", and how many there are; nullopt for anything else.
struct Devices {
  std::int64_t highest = -1, count = 0;
};

std::optional<Devices> devices_in(std::string_view list) {
  Devices out;
  for (const std::string_view part : split(list, ',')) {
    const std::string_view digits = trimmed(part, " \t\r\"'");
    if (digits.empty() || digits.size() > 4 || !all_digits(digits)) return std::nullopt;
    out.highest = std::max(out.highest, whole_number(digits).value_or(0));
    ++out.count;
  }
  return out;
}

void check_list(const ManifestScene& scene, const Object& object, const Container& c, const Field& where,
                std::string_view list) {
  const auto devices = devices_in(list);
  const std::int64_t gpus = c.gpus();
  if (!devices || gpus == 0 || (devices->highest < gpus && devices->count <= gpus)) return;
  Finding& f = scene.wrong(RuleId::devices_beyond_limit, object, where,
                           "`CUDA_VISIBLE_DEVICES` names GPU " + std::to_string(devices->highest) + ", but " +
                               quoted(c.name) + " has " + counted(gpus, "GPU"),
                           "GPUs of a container are numbered from 0; CUDA ignores the rest of the list");
  f.labels.push_back({c.gpu_field().span(), "the GPUs"});
}

void check_visible_list(const ManifestScene& scene, const Object& object, const Container& c) {
  constexpr std::string_view variable = "CUDA_VISIBLE_DEVICES";
  for (const Field& env : c.field.get("env").items())
    if (env.get("name").text() == variable) check_list(scene, object, c, env.get("value"), env.get("value").text());
  for (const k8s::Word& word : c.words)
    if (word.text.starts_with(variable) && word.text.substr(variable.size()).starts_with("="))
      check_list(scene, object, c, word.field, std::string_view(word.text).substr(variable.size() + 1));
}

// ---- K8S028 ------------------------------------------------------------------------------------------

bool has_devices(const PodTemplate& pods) { return pods.spec.get("resourceClaims") || pods.has_accelerator(); }

// Master and workers of a PyTorchJob run one program.
void check_roles(const ManifestScene& scene, const Object& object) {
  if (!object.is("kubeflow.org", "PyTorchJob") || object.pods.size() != 2) return;
  const bool first = has_devices(object.pods[0]), second = has_devices(object.pods[1]);
  if (first == second) return;
  const PodTemplate &with = object.pods[first ? 0 : 1], &without = object.pods[first ? 1 : 0];
  const std::int64_t gpus = gpus_of(with);
  if (gpus == 0 || without.containers.empty() || without.count == 0) return;
  Finding& f = scene.wrong(RuleId::role_without_gpus, object, without.spec.get("containers"),
                           muster::quoted(without.role) + " requests no GPU, but " + muster::quoted(with.role) +
                               " requests " + std::to_string(gpus),
                           "its ranks cannot join the others' NCCL group");
  for (const Container& c : with.containers)
    if (c.gpu_field()) {
      f.labels.push_back({c.gpu_field().span(), "the GPUs"});
      break;
    }
}

}  // namespace

void check_gpu_names(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) {
    for (const PodTemplate& pods : object.pods)
      for (const Container& c : pods.containers) {
        check_names(scene, object, c.resources());
        check_visible_list(scene, object, c);
      }
    if (const Field trainer = trainer_field(object)) check_names(scene, object, trainer.get("resourcesPerNode"));
    check_roles(scene, object);
  }
}

}  // namespace muster::lint
