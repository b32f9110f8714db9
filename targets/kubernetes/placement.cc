// Which nodes a pod may have, how urgent it is, and as whom it runs.
#include <algorithm>
#include <set>
#include <tuple>

#include "compiler/base/text.h"
#include "compiler/model/marks.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/pod_draft.h"
#include "targets/lookup.h"

namespace muster::targets::kubernetes {
namespace {

constexpr std::string_view hostname = "kubernetes.io/hostname";

Node in_list(std::string_view key, std::string_view op, std::span<const std::string> values) {
  return map({{"key", text(key)}, {"operator", text(op)}, {"values", texts(values)}});
}

// Whether pools of the plane have GPUs of different models: then a pod must say which.
bool models_differ(const PodDraft& pod) {
  std::set<std::string> models;
  if (pod.draft.plan.fleet == nullptr) return true;
  for (const model::Pool& pool : pod.draft.plan.fleet->pools)
    if (pool.gpu && pod.plane().owns(pool.name)) models.insert(pool.gpu->model);
  return models.size() > 1;
}

// Another pool of the plane whose nodes bear the same label and whose GPUs have less memory than is asked for.
const model::Pool* smaller_alike(const PodDraft& pod, const model::GpuLabel& label) {
  const auto& asked = pod.role.resources.gpu_memory;
  if (!asked || pod.draft.plan.fleet == nullptr) return nullptr;
  for (const model::Pool& pool : pod.draft.plan.fleet->pools)
    if (pool.gpu && pod.plane().owns(pool.name) && pool.gpu->memory < asked->value &&
        model::gpu_label(pod.site(), pod.plane(), pool.gpu->model, &pool).values == label.values)
      return &pool;
  return nullptr;
}

// Whether the manifest has to name the model: the role asks for some GPUs and not others, or pools of the queue have
// other GPUs than the chosen one.
bool needs_model(const PodDraft& pod) {
  const auto& asked = pod.role.resources;
  if (asked.gpu || asked.gpu_memory || pod.wrote(model::Field::require) || pod.draft.plan.fleet == nullptr) return true;
  const model::Queue* queue = pod.draft.plan.queue;
  const auto reaches = [&](const model::Pool& pool) {
    const auto named = [&](const auto& name) { return name.value == pool.name; };
    return pod.plane().owns(pool.name) &&
           (queue == nullptr || queue->pools.empty() || std::any_of(queue->pools.begin(), queue->pools.end(), named));
  };
  const auto is_other = [&](const model::Pool& pool) {
    return pool.gpu && pod.shape.pool != nullptr && &pool != pod.shape.pool && reaches(pool);
  };
  const auto& pools = pod.draft.plan.fleet->pools;
  return std::any_of(pools.begin(), pools.end(), is_other);
}

// What of the model and its memory the manifest says: `as`, or nothing where the plane has no other GPUs.
void report_gpu(PodDraft& pod, const std::string& as, const model::Pool* smaller) {
  const auto& asked = pod.role.resources.gpu;
  if (pod.shape.pool == nullptr && pod.role.resources.gpu_memory)
    pod.refuse(model::Field::resources_gpu_memory, "without a fleet it is not known which GPUs have that much memory",
               "add `fleet = NAME` to the site");
  if (as.empty()) {
    for (const model::Field field : {model::Field::resources_gpu, model::Field::resources_gpu_memory})
      pod.read(field, "the choice of the pool; the plane has no other GPUs");
    return;
  }
  if (asked && asked->value.size() > 1)
    pod.approximated(model::Field::resources_gpu, as, "one model of the list, that of the chosen pool");
  else pod.exact(model::Field::resources_gpu, as);
  if (smaller == nullptr) pod.exact(model::Field::resources_gpu_memory, as);
  else
    pod.approximated(
        model::Field::resources_gpu_memory, as,
        "the label only gives the model, and pool `" + smaller->name + "` has the same label with less memory");
}

void select_gpu(PodDraft& pod, Node& terms) {
  const std::string gpu = gpu_model(pod.shape);
  const bool claimed = pod.plane().gpu_request == model::GpuRequest::dra && !pod.role.resources.part_of_gpu();
  if (!pod.pod_has_gpus() || gpu.empty()) return report_gpu(pod, "", nullptr);
  if (claimed) return report_gpu(pod, "ResourceClaimTemplate", nullptr);
  if (!needs_model(pod)) return;
  const model::GpuLabel label = model::gpu_label(pod.site(), pod.plane(), gpu, pod.shape.pool);
  report_gpu(pod, label.values.empty() ? "" : "label " + label.key, smaller_alike(pod, label));
  if (label.values.size() == 1) {
    put(at(pod.spec, "nodeSelector"), label.key, text(label.values[0]));
  } else if (label.values.size() > 1) {
    terms.items.push_back(in_list(label.key, "In", label.values));
  } else if (models_differ(pod)) {
    pod.refuse(model::Field::resources_gpu,
               "the node label of GPU `" + gpu + "` is not known on plane `" + pod.plane().name + "`",
               "add it to the site: `gpu " + gpu + " { label = \"…\" }`");
  }
}

// Whether nodes of another architecture would do by all else that the manifest says.
bool has_other_arch(const PodDraft& pod, const model::Pool& chosen) {
  if (pod.draft.plan.fleet == nullptr) return false;
  const auto would_do = [&](const model::Pool& pool) {
    const bool gpus = pool.gpu && chosen.gpu && pool.gpu->model == chosen.gpu->model;
    return pool.arch != chosen.arch && pod.plane().owns(pool.name) && (!pod.pod_has_gpus() || gpus);
  };
  const auto& pools = pod.draft.plan.fleet->pools;
  return std::any_of(pools.begin(), pools.end(), would_do);
}

void select_nodes(PodDraft& pod, Node& terms) {
  if (const model::Pool* pool = pod.shape.pool) {
    if (pool->arch != "amd64" || has_other_arch(pod, *pool))
      put(at(pod.spec, "nodeSelector"), "kubernetes.io/arch", text(pool->arch));
    if (!pool->zone.empty()) put(at(pod.spec, "nodeSelector"), "topology.kubernetes.io/zone", text(pool->zone));
  }
  if (!pod.shape.pinned.empty()) return terms.items.push_back(in_list(hostname, "In", pod.shape.pinned));
  if (!pod.shape.only_nodes.empty()) terms.items.push_back(in_list(hostname, "In", pod.shape.only_nodes));
  std::vector<std::string> others = pod.shape.not_nodes;
  for (const std::string& name : pod.shape.kept_out)
    if (pod.shape.only_nodes.empty() && std::find(others.begin(), others.end(), name) == others.end())
      others.push_back(name);
  if (!others.empty()) terms.items.push_back(in_list(hostname, "NotIn", others));
}

// Whether its pods have to be kept apart where a node has room for two: they would want the same ports or network
// devices of their host, or are pinned to as many nodes.
bool has_to_be_apart(const PodDraft& pod) {
  const plan::RolePlan& shape = pod.node;
  const bool pinned = shape.pinned.size() > 1 && static_cast<std::int64_t>(shape.pinned.size()) == shape.total();
  if (!pinned && (!shape.apart || shape.pool == nullptr || shape.nodes * pod.role.copies() < 2)) return false;
  const bool whole = shape.pool != nullptr && shape.pool->gpu && 2 * shape.gpus > shape.pool->gpu->count;
  const model::FabricAttachment* fabric = find_fabric(pod.draft.plan, pod.shape);
  if (fabric != nullptr && fabric->resource) return false;  // each pod asks for all that a node has of it
  return !whole && !shape.exclusive && !shape.all_cpus && !shape.all_memory;
}

// What the pods of a role have in common, and no others. Those of a TrainJob are of a JobSet that has its name.
Node labels_of_role(const PodDraft& pod) {
  if (pod.draft.target == "trainjob") return map({{"jobset.sigs.k8s.io/jobset-name", text(pod.draft.name)}});
  Node labels = map({});
  for (const data::Member& label : pod.draft.labels_for(pod.role.name).members)
    if (label.key.starts_with("app.kubernetes.io/") && !label.key.ends_with("managed-by"))
      put(labels, label.key, label.value);
  return labels;
}

void keep_apart(PodDraft& pod) {
  if (!has_to_be_apart(pod)) return;
  if (pod.draft.target == "trainjob" && pod.draft.is_generated())
    return pod.refuse(model::Field::resources,
                      "two pods of a TrainJob whose name the API server generates may share a node",
                      "request whole nodes, or use `--names digest`");
  Node labels = labels_of_role(pod);
  Node term = map({{"topologyKey", text(hostname)}, {"labelSelector", map({{"matchLabels", std::move(labels)}})}});
  put(at(pod.spec, "affinity"), "podAntiAffinity",
      map({{"requiredDuringSchedulingIgnoredDuringExecution", list({std::move(term)})}}));
}

// Kubernetes knows of a pool what its nodes' labels say.
void report_needs(PodDraft& pod) {
  if (pod.wrote(model::Field::require) && pod.shape.pool != nullptr)
    pod.approximated(model::Field::require, "labels of the nodes of pool " + pod.shape.pool->name,
                     pod.shape.kept_out.empty()
                         ? "that pool meets it; the manifest selects its GPUs, zone and nodes, but no other fact"
                         : "that pool meets it; nodes with the same labels that do not are kept out by name");
  else if (pod.wrote(model::Field::require))
    pod.refuse(model::Field::require, "without a fleet it is not known which nodes meet this",
               "add `fleet = NAME` to the site");
  pod.read(model::Field::prefer, "the choice of the pool");
}

void tolerate(PodDraft& pod) {
  Node tolerations = list({});
  std::set<std::tuple<std::string, std::string, std::string>> known;
  for (const model::Pool* pool : pod.shape.choice())
    for (const model::Taint& taint : pool->taints)
      if (known.emplace(taint.name, taint.value, taint.effect).second)
        tolerations.items.push_back(map({{"key", text(taint.name)},
                                         {"operator", text(taint.value.empty() ? "Exists" : "Equal")},
                                         {"value", taint.value.empty() ? nothing() : text(taint.value)},
                                         {"effect", taint.effect.empty() ? text("NoSchedule") : text(taint.effect)}}));
  if (pod.pod_has_gpus()) {
    Node usual = map({{"key", text(std::string(model::gpu_taint(pod.vendor())))}, {"operator", text("Exists")}});
    tolerations.items.push_back(with_comment(std::move(usual), "the taint that most clouds set on nodes with GPUs"));
  }
  if (!tolerations.items.empty()) put(pod.spec, "tolerations", std::move(tolerations));
}

void add_priority_class(PodDraft& pod) {
  const auto& priority = pod.workload.priority;
  if (!priority) return;
  const std::string& name = priority->value;
  const auto* known = pod.site().priorities.find(name, pod.plane());
  if (known != nullptr && known->priority_class) {
    put(pod.spec, "priorityClassName", text(known->priority_class->value));
    return pod.exact(model::Field::priority, "priorityClassName");
  }
  // A class of the queue alone belongs to the gang scheduler.
  if (known != nullptr && known->queue_class && !pod.draft.gang_row().queue_priority_key.empty())
    return pod.exact(model::Field::priority, std::string(pod.draft.gang_row().queue_priority_key));
  if (name == "normal") return pod.read(model::Field::priority, "the site's default");
  if (known != nullptr || name == "low" || name == "high" || name == "urgent")
    return pod.approximated(model::Field::priority, "nothing",
                            "site `" + pod.site().name + "` does not declare a class for `" + name + "`");
  std::vector<std::string_view> names = {"low", "normal", "high", "urgent"};
  for (const model::Priority& p : pod.site().priorities) names.push_back(p.name);
  pod.refuse_at(priority->span, model::Field::priority, "site `" + pod.site().name + "` has no priority `" + name + "`",
                near_or(name, names, "priorities are " + quoted_list(names)));
}

// As whom: the site's identity, and what its pod security standard asks for.
void add_security(PodDraft& pod) {
  Node context = map({});
  if (const auto& identity = pod.site().identity) {
    if (identity->uid) put(context, "runAsUser", number(identity->uid->value));
    if (identity->gid) put(context, "runAsGroup", number(identity->gid->value));
    if (identity->gid) put(context, "fsGroup", number(identity->gid->value));
    for (const auto& group : identity->groups) append(context, "supplementalGroups", number(group.value));
  }
  if (Node own = container_security(pod.draft); own.is_map()) {
    put(context, "runAsNonRoot", truth(true));
    put(context, "seccompProfile", map({{"type", text("RuntimeDefault")}}));
    put(pod.container, "securityContext", std::move(own));
  }
  if (!context.members.empty()) put(pod.spec, "securityContext", std::move(context));
}

// k3s has NVIDIA's runtime, but not as the default one.
void add_runtime(PodDraft& pod) {
  const model::PodPlane& words = pod.draft.pods;
  const bool k3s = pod.plane().kind() == model::PlaneKind::k3s && pod.vendor() == "nvidia";
  if (pod.pod_has_gpus() && (words.runtime_class || k3s))
    put(pod.spec, "runtimeClassName", text(words.runtime_class ? words.runtime_class->value : "nvidia"));
  if (words.service_account) put(pod.spec, "serviceAccountName", text(words.service_account->value));
}

}  // namespace

Node container_security(const Draft& draft) {
  if (!draft.pods.security || draft.pods.security->value != "restricted") return nothing();
  return map({{"allowPrivilegeEscalation", truth(false)},
              {"capabilities", map({{"drop", texts(std::vector<std::string>{"ALL"})}})}});
}

void add_placement(PodDraft& pod) {
  add_runtime(pod);
  add_priority_class(pod);
  add_security(pod);
  Node terms = list({});
  select_gpu(pod, terms);
  select_nodes(pod, terms);
  if (!terms.items.empty()) {
    Node selector = list({map({{"matchExpressions", std::move(terms)}})});
    put(at(pod.spec, "affinity"), "nodeAffinity",
        map({{"requiredDuringSchedulingIgnoredDuringExecution", map({{"nodeSelectorTerms", std::move(selector)}})}}));
  }
  keep_apart(pod);
  tolerate(pod);
  report_needs(pod);
}

}  // namespace muster::targets::kubernetes
