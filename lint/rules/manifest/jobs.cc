// NET001 rdma-not-requested, NET003 nccl-forced-tcp, K8S006 no-ttl-or-deadline, K8S007 shm-unsized, SRV005
// surge-needs-gpus, SRV006 single-replica, SEC002 privileged, SEC003 root, IMG001 wrong-architecture.
#include <algorithm>
#include <array>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "lint/heuristics.h"
#include "lint/related_manifests.h"
#include "lint/rules/manifest/scene.h"
#include "lint/yaml_edit.h"
#include "targets/kubernetes/read/cluster.h"

namespace muster::lint {
namespace {

// ---- NET001, NET003 ----------------------------------------------------------------------------------

// The resource by which the pools' fabric is attached; nullptr where the site states none for all of them.
const model::FabricAttachment* attachment_of(const Context& context, const std::vector<const model::Pool*>& pools) {
  if (context.site == nullptr || pools.empty()) return nullptr;
  for (const model::FabricAttachment& fabric : context.site->fabrics)
    if (fabric.resource && std::all_of(pools.begin(), pools.end(), [&](const model::Pool* p) {
          return p->fabric == fabric.name && fabric.serves(p->name);
        }))
      return &fabric;
  return nullptr;
}

void check_attachment(const ManifestScene& scene, const Object& object, const std::vector<const model::Pool*>& pools) {
  for (const PodTemplate& pods : object.pods) {
    const auto c = std::find_if(pods.containers.begin(), pods.containers.end(),
                                [](const Container& one) { return one.gpu_field(); });
    if (c == pods.containers.end() || attaches_fabric(pods)) continue;
    if (pools.empty()) {
      scene
          .cannot_tell(RuleId::rdma_not_requested, object, c->gpu_field(),
                       "the pods request only the cluster network; whether there is a fabric is unknown without a site")
          .needs_site = true;
    } else if (const model::FabricAttachment* fabric = attachment_of(scene.context, pools)) {
      scene.wrong(RuleId::rdma_not_requested, object, c->gpu_field(),
                  "the nodes have " + fabric->name + ", but the pods do not request `" + fabric->resource->value + "`",
                  "NCCL falls back to TCP");
    }
    return;  // the roles of one job are alike in this
  }
}

// EFA is no InfiniBand: NCCL's own support of it is switched off there on purpose.
bool uses_efa(const Container& c) {
  for (const char* part : {"resources.limits", "resources.requests"})
    if (c.field.at(part).get("vpc.amazonaws.com/efa")) return true;
  const auto env = c.field.get("env").items();
  return std::any_of(env.begin(), env.end(), [](const Field& variable) {
    return selects_efa(variable.get("name").text(), variable.get("value").text());
  });
}

void check_forced(const ManifestScene& scene, const Object& object, const std::vector<const model::Pool*>& pools) {
  const bool slow =
      !pools.empty() && std::none_of(pools.begin(), pools.end(), [](const model::Pool* p) { return has_rdma(*p); });
  if (slow) return;
  for (const PodTemplate& pods : object.pods)
    for (const Container& c : pods.containers)
      for (const Field& variable : c.field.get("env").items()) {
        const std::string_view name = variable.get("name").text(), value = variable.get("value").text();
        if (!forces_tcp(name, value) || (name == "NCCL_IB_DISABLE" && uses_efa(c))) continue;
        Finding& f = scene.wrong(RuleId::nccl_forced_tcp, object, variable.get("value"),
                                 "`" + std::string(name) + "` sends the traffic between the pods over TCP");
        if (pools.empty()) f.severity = Severity::warning;  // the cluster may have nothing else
        else f.primary_label = "the nodes have " + pools.front()->fabric;
      }
}

// ---- K8S006 ------------------------------------------------------------------------------------------

void check_end(const ManifestScene& scene, const Object& object) {
  if (object.known == nullptr || object.known->policy.empty() || !wants_gpu(object) || is_trial(object)) return;
  const Field policy = object.root.at(object.known->policy);
  for (const char* key : {"activeDeadlineSeconds", "ttlSecondsAfterFinished", "shutdownAfterJobFinishes"})
    if (policy.get(key).node != nullptr) return;
  const auto deep = matches(object.root, "spec.replicatedJobs[].template.spec.activeDeadlineSeconds");
  if (!deep.empty() || object.pods.empty()) return;
  for (const PodTemplate& pods : object.pods)
    if (pods.spec.get("activeDeadlineSeconds")) return;
  Finding& f =
      scene.wrong(RuleId::no_ttl_or_deadline, object, object.root.get("kind"),
                  "the job has no deadline and is not deleted when it has ended", "a job that hangs keeps its GPUs");
  if (policy.node == nullptr || object.is("ray.io", "RayJob")) return;
  if (const auto edit = add_to_map(scene.context.sources, policy, {"ttlSecondsAfterFinished: 86400"}))
    f.fix = Fix{"delete the job a day after its end", false, {*edit}};
}

// ---- K8S007 ------------------------------------------------------------------------------------------

bool mounts_volume(const Container& c, std::string_view volume) {
  const auto mounts = c.field.get("volumeMounts").items();
  return std::any_of(mounts.begin(), mounts.end(), [&](const Field& m) { return m.get("name").text() == volume; });
}

void check_memory_volume(const ManifestScene& scene, const Object& object, const PodTemplate& pods,
                         const Field& volume) {
  const Field empty = volume.get("emptyDir"), limit = empty.get("sizeLimit");
  if (empty.get("medium").text() != "Memory" || blank_in(limit.text(), In::yaml)) return;
  PodFacts facts(object, pods);
  for (const Container& c : pods.containers) {
    if (c.init || !c.has_accelerator() || !mounts_volume(c, volume.get("name").text())) continue;
    const Field memory = c.limit("memory");
    if (blank_in(memory.text(), In::yaml)) continue;
    const auto size = k8s::read_quantity(limit.text()), most = k8s::read_quantity(memory.text());
    if (!limit && !memory && c.request("memory") && !facts.is_trial()) {  // without a request K8S005 says it
      scene.wrong(RuleId::shm_unsized, object, empty.get("medium"),
                  "neither this volume nor the container `" + std::string(c.name) + "` has a memory limit",
                  "it can grow until the node runs out of memory");
    } else if (size && most && *size >= *most) {
      Finding& f = scene.wrong(RuleId::shm_unsized, object, limit,
                               "the volume can be as large as the memory limit of `" + std::string(c.name) + "`",
                               "its contents count as the container's memory");
      f.labels.push_back({memory.span(), "the limit"});
    }
  }
}

// ---- SRV005, SRV006 ----------------------------------------------------------------------------------

// Pods above `replicas` during an update; a quarter rounded up unless the file says otherwise.
std::optional<std::int64_t> surge_of(const Object& object, std::int64_t replicas) {
  const Field surge = object.root.at("spec.strategy.rollingUpdate.maxSurge");
  if (!surge) return (replicas + 3) / 4;
  if (const auto n = surge.whole()) return n;
  const std::string_view text = surge.text();
  const std::string digits(text.substr(0, text.find('%')));
  if (!text.ends_with('%') || digits.size() > 4 || !all_digits(digits)) return std::nullopt;
  return (replicas * std::stoll(digits) + 99) / 100;
}

void check_one_surge(const ManifestScene& scene, const Object& object) {
  if (!object.is("apps", "Deployment") || object.pods.size() != 1 ||
      object.root.at("spec.strategy.type").text() == "Recreate")
    return;
  const std::int64_t gpus = gpus_of(object.pods[0]), replicas = object.root.at("spec.replicas").whole().value_or(1);
  const auto surge = surge_of(object, replicas);
  if (gpus == 0 || !surge || *surge < 1) return;
  const auto pools = gpu_pools(scene.context);
  std::int64_t all = 0;
  for (const model::Pool* pool : pools) all += pool->node_count * pool->gpu->count;
  const std::int64_t need = (replicas + *surge) * gpus;
  const Field where = object.root.at("spec.replicas") ? object.root.at("spec.replicas") : object.root.get("kind");
  if (pools.empty())
    scene
        .cannot_tell(RuleId::surge_needs_gpus, object, where,
                     "an update needs " + counted(*surge * gpus, "GPU") +
                         " more temporarily; whether they exist cannot be checked without a site")
        .needs_site = true;
  else if (need > all)
    scene.wrong(RuleId::surge_needs_gpus, object, where,
                "an update needs " + counted(need, "GPU") + " temporarily, but the pools have " + std::to_string(all),
                "it never completes; set `maxSurge: 0`");
}

void check_alone(const ManifestScene& scene, const Object& object) {
  if (!object.is("apps", "Deployment") || object.pods.size() != 1) return;
  const Field replicas = object.root.at("spec.replicas");
  const auto& containers = object.pods[0].containers;
  const bool serves = std::any_of(containers.begin(), containers.end(),
                                  [](const Container& c) { return !c.init && is_server(program_of(c)); });
  if (!serves || (replicas && replicas.whole() != 1)) return;
  for (const k8s::Autoscaler& scaler : autoscalers(scene.manifest))
    if (target_of(scaler, scene.manifest) == &object) return;
  if (scene.context.related != nullptr && scene.context.related->scaled_somewhere(object)) return;
  scene.wrong(RuleId::single_replica, object, replicas ? replicas : object.root.get("kind"),
              "the service has one replica and is unavailable while its node is down or it reloads its model");
}

// ---- SEC002, SEC003 ----------------------------------------------------------------------------------

// Whether a container requests a device that is no accelerator: that of a network, from its device plugin.
bool requests_network_device(const PodTemplate& pods) {
  for (const Container& c : pods.containers)
    for (const char* part : {"limits", "requests"})
      for (const Field& f : c.resources().get(part).members())
        if (k8s::is_extended_resource(f.key) && !k8s::is_accelerator(f.key)) return true;
  return false;
}

// Whether it mounts the devices of InfiniBand of its node, or one of these folders.
bool mounts_from_node(const PodTemplate& pods, std::initializer_list<std::string_view> folders) {
  const auto volumes = pods.spec.get("volumes").items();
  return std::any_of(volumes.begin(), volumes.end(), [&](const Field& volume) {
    const std::string_view path = volume.at("hostPath.path").text();
    return path.starts_with("/dev/infiniband") || is_one_of(path, folders);
  });
}

// The devices of the fabric as a folder of the node, without a device plugin that would give them to the container.
// A privileged container has them all; one that locks memory on the node's network is for RDMA.
bool takes_devices_of_node(const PodTemplate& pods, bool locks_memory) {
  if (requests_network_device(pods)) return false;
  return (locks_memory && pods.spec.get("hostNetwork").is_true()) || mounts_from_node(pods, {});
}

// Whether the pods reach the RDMA devices of their node only because they are privileged: their job sets options of
// InfiniBand, but they neither request a device of a network nor mount /dev/infiniband.
bool sees_rdma_by_privilege(const Object& object, const PodTemplate& pods) {
  const auto is_option = [](std::string_view text) {
    return (text.starts_with("NCCL_IB_") && !text.starts_with("NCCL_IB_DISABLE=1")) || text.starts_with("UCX_NET_");
  };
  bool uses = false;
  for (const PodTemplate& role : object.pods)
    for (const Container& c : role.containers) {
      for (const k8s::Word& w : c.words) uses |= is_option(w.text);
      for (const Field& v : c.field.get("env").items())
        uses |= is_option(v.get("name").text()) && v.get("name").text() != "NCCL_IB_DISABLE";
    }
  return uses && !requests_network_device(pods) && !mounts_from_node(pods, {"/dev"});
}

// A helper that works on the GPUs of its node without requesting one, by the driver's files of the node: the daemon of
// GPUDirect-TCPX. No device plugin gives it the devices.
bool works_on_gpus_of_node(const PodTemplate& pods, const Container& c) {
  if (c.has_accelerator()) return false;
  for (const Field& mount : c.field.get("volumeMounts").items())
    for (const Field& volume : pods.spec.get("volumes").items())
      if (mount.get("mountPath").text().starts_with("/usr/local/nvidia") && volume.get("hostPath") &&
          mount.get("name").text() == volume.get("name").text())
        return true;
  return false;
}

void check_context(const ManifestScene& scene, const Object& object, const PodTemplate& pods, const Container& c) {
  const Field context = c.field.get("securityContext");
  const Field privileged = context.get("privileged");
  if (privileged.is_true() && is_for_tpus(pods)) {
    scene.cannot_tell(RuleId::privileged, object, privileged,
                      "the container is privileged; whether TPUs need that, as on older GKE, is unknown");
  } else if (privileged.is_true() && sees_rdma_by_privilege(object, pods)) {
    scene.wrong(RuleId::privileged, object, privileged, "the container is privileged", "it has root on the node")
        .notes.push_back(
            "without it the container has no RDMA device: request the resource of the cluster's RDMA device plugin, "
            "such "
            "as `rdma/hca: 1`, in `limits`, and add only the capability `IPC_LOCK`");
  } else if (privileged.is_true()) {
    Finding& f = scene.wrong(RuleId::privileged, object, privileged, "the container is privileged",
                             "it has root on the node; RDMA only needs `IPC_LOCK`");
    bool locks_memory = false;
    for (const Field& capability : context.at("capabilities.add").items())
      locks_memory |= capability.text() == "IPC_LOCK";
    if (takes_devices_of_node(pods, locks_memory) || works_on_gpus_of_node(pods, c))
      f.severity = Severity::info, f.since = Profile::strict;
    if (privileged.key_span.known() && !privileged.aliased && context.get("capabilities").node == nullptr)
      f.fix = Fix{"grant only IPC_LOCK",
                  false,
                  {{{privileged.key_span.file, privileged.key_span.begin, privileged.span().end},
                    "capabilities: {add: [IPC_LOCK]}"}}};
  }
  if (const Field user = context.get("runAsUser"); user.whole() == 0)
    scene.wrong(RuleId::root, object, user, "the container runs as root");
}

// ---- IMG001 ------------------------------------------------------------------------------------------

// The architecture of the nodes that the pods go to; "" where that is not known.
std::string_view arch_of_nodes(const PodTemplate& pods, const std::vector<const model::Pool*>& pools) {
  if (const Field arch = pods.spec.get("nodeSelector").get("kubernetes.io/arch")) return arch.text();
  if (pools.empty() || !pods.has_accelerator()) return "";
  const bool alike =
      std::all_of(pools.begin(), pools.end(), [&](const model::Pool* p) { return p->arch == pools.front()->arch; });
  return alike ? std::string_view(pools.front()->arch) : "";
}

void check_image_arch(const ManifestScene& scene, const Object& object, const PodTemplate& pods,
                      const std::vector<const model::Pool*>& pools) {
  const std::string_view nodes = arch_of_nodes(pods, pools);
  for (const Container& c : pods.containers) {
    const Field image = c.field.get("image");
    const std::string_view arch = arch_of_image(image.text());
    if (arch.empty() || arch == nodes) continue;
    if (!nodes.empty())
      scene.wrong(RuleId::wrong_architecture, object, image,
                  "the image is built for " + std::string(arch) + ", but the nodes are " + std::string(nodes),
                  "its programs cannot start there");
    else if (arch != "amd64")
      scene
          .cannot_tell(RuleId::wrong_architecture, object, image,
                       "the image is built for " + std::string(arch) +
                           "; the architecture of the nodes cannot be checked without a site")
          .needs_site = true;
  }
}

}  // namespace

bool attaches_fabric(const PodTemplate& pods) {
  if (pods.spec.get("hostNetwork").is_true() || pods.annotation("k8s.v1.cni.cncf.io/networks") ||
      pods.annotation("networking.gke.io/interfaces"))
    return true;
  for (const Container& c : pods.containers)
    for (const char* part : {"limits", "requests"})
      for (const Field& f : c.resources().get(part).members())
        if (k8s::is_extended_resource(f.key) && !k8s::is_accelerator(f.key)) return true;
  return false;
}

void check_fabric(const ManifestScene& scene) {
  const auto pools = gpu_pools(scene.context);
  for (const Object& object : scene.manifest.objects) {
    if (!spans_nodes(scene.context, object)) continue;
    check_attachment(scene, object, pools);
    check_forced(scene, object, pools);
  }
}

void check_cleanup(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) check_end(scene, object);
}

void check_memory_volumes(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects)
    for (const PodTemplate& pods : object.pods)
      for (const Field& volume : pods.spec.get("volumes").items()) check_memory_volume(scene, object, pods, volume);
}

void check_surge(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) check_one_surge(scene, object);
}

void check_single_replica(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) check_alone(scene, object);
}

// Whether the pods share a GPU by the Multi-Process Service, whose clients share memory with its server on the node,
// or use Gaudi, whose maker's manual asks for hostIPC.
bool needs_host_ipc(const PodTemplate& pods) {
  for (const Container& c : pods.containers) {
    for (const Field& limit : c.resources().get("limits").members())
      if ((limit.key.starts_with("nvidia.com/gpu-") && limit.key.ends_with("gb")) || limit.key == "habana.ai/gaudi")
        return true;
    for (const Field& variable : c.field.get("env").items())
      if (variable.get("name").text().starts_with("CUDA_MPS_")) return true;
  }
  return false;
}

// Agents of the nodes (a DaemonSet) are another matter than workloads on GPUs.
void check_privileges(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects)
    for (const PodTemplate& pods : object.pods) {
      if (object.kind == "DaemonSet" || !pods.has_accelerator()) continue;
      for (const char* key : {"hostIPC", "hostPID"})
        if (const Field host = pods.spec.get(key);
            host.is_true() && !(std::string_view(key) == "hostIPC" && needs_host_ipc(pods)))
          scene.wrong(RuleId::privileged, object, host,
                      "`" + std::string(key) + "` exposes the node's processes to the pod",
                      "no collective communication library needs it");
      if (const Field user = pods.spec.at("securityContext.runAsUser"); user.whole() == 0)
        scene.wrong(RuleId::root, object, user, "the pod runs as root");
      for (const Container& c : pods.containers) check_context(scene, object, pods, c);
    }
}

void check_architecture(const ManifestScene& scene) {
  const auto pools = gpu_pools(scene.context);
  for (const Object& object : scene.manifest.objects)
    for (const PodTemplate& pods : object.pods) check_image_arch(scene, object, pods, pools);
}

}  // namespace muster::lint
