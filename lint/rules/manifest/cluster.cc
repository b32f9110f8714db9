// SCH004 kueue-without-guarantee, SCH005 kuberay-gang-version, SCH009 topology-unset, SCH010 gang-autoscaled-max,
// SCH011 gpu-type-unpinned, SCH012 taint-not-tolerated, QTA001 tenant-without-quota, QTA002 queue-unset: what an object
// is at this cluster. Without a site none of them is more than unclear, but where the file alone shows it.
#include <algorithm>
#include <array>
#include <set>

#include "compiler/base/text.h"
#include "lint/heuristics.h"
#include "lint/rules/manifest/scene.h"
#include "lint/yaml_edit.h"
#include "targets/kubernetes/gates.h"
#include "targets/kubernetes/read/node_choice.h"

namespace muster::lint {
namespace {

using k8s::SchedulerMark;

// A coupled job of two pods and more.
bool is_gang(const Object& object) { return needs_gang(object) && pod_count(object).value_or(0) >= 2; }

Field kind_of(const Object& object) { return object.root.get("kind"); }

// ---- SCH004, SCH009 ----------------------------------------------------------------------------------

constexpr std::array<std::string_view, 8> topology_keys = {
    "kueue.x-k8s.io/podset-required-topology",        "kueue.x-k8s.io/podset-preferred-topology",
    "kueue.x-k8s.io/podset-unconstrained-topology",   "alpha.jobset.sigs.k8s.io/exclusive-topology",
    "leaderworkerset.sigs.k8s.io/exclusive-topology", "kai.scheduler/topology",
    "kai.scheduler/topology-required-placement",      "kai.scheduler/topology-preferred-placement"};

bool group_requests_topology(const Object& group) {
  return group.root.at("spec.networkTopology") || group.root.at("spec.schedulingConstraints.topology") ||
         std::any_of(topology_keys.begin(), topology_keys.end(),
                     [&](std::string_view word) { return bool(group.annotation(word)); });
}

// By itself, or by the PodGroup of its pods.
bool requests_topology(const ManifestScene& scene, const Object& object) {
  for (const std::string_view word : topology_keys) {
    if (object.annotation(word)) return true;
    for (const PodTemplate& pods : object.pods)
      if (pods.annotation(word)) return true;
  }
  for (const PodTemplate& pods : object.pods)
    if (pods.spec.at("affinity.podAffinity")) return true;
  const bool volcano =
      object.root.at("spec.networkTopology") || !matches(object.root, "spec.tasks[].partitionPolicy").empty();
  const bool jobset = !matches(object.root, "spec.replicatedJobs[].template.metadata.annotations").empty();
  if (volcano || jobset) return true;
  const Object* group = k8s::start_of(object, scene.manifest).group;
  return group != nullptr && group_requests_topology(*group);
}

void check_one_guarantee(const ManifestScene& scene, const Object& object) {
  const auto marks = scheduler_marks(object);
  const auto kueue =
      std::find_if(marks.begin(), marks.end(), [](const SchedulerMark& s) { return !s.is_of_scheduler(); });
  const bool other =
      std::any_of(marks.begin(), marks.end(), [](const SchedulerMark& s) { return s.gang && s.is_of_scheduler(); });
  if (kueue == marks.end() || other || !is_gang(object) || requests_topology(scene, object)) return;
  const model::Plane* plane = kubernetes_plane(scene.context);
  if (plane == nullptr) {
    scene
        .cannot_tell(RuleId::kueue_without_guarantee, object, kueue->where,
                     "Kueue admits a job by quota; whether its pods can be placed together is unknown without a site",
                     "`wait-for-pods` of its plane, or a topology")
        .needs_site = true;
  } else if (const auto waits = k8s::waits_for_pods(*plane); !waits) {
    scene.cannot_tell(RuleId::kueue_without_guarantee, object, kueue->where,
                      "Kueue admits this job by quota, and the site does not declare whether it waits for the pods",
                      "`wait-for-pods` of `" + plane->name + "`");
  } else if (!*waits) {
    scene.wrong(RuleId::kueue_without_guarantee, object, kueue->where,
                "Kueue admits this job by quota alone, because `wait-for-pods` of `" + plane->name + "` is off",
                "the job does not request a topology either");
  }
}

void check_one_topology(const ManifestScene& scene, const Object& object) {
  if (!spans_nodes(scene.context, object) || requests_topology(scene, object)) return;
  const auto pools = gpu_pools(scene.context);
  const auto spread =
      std::find_if(pools.begin(), pools.end(), [](const model::Pool* p) { return p->leaves.size() > 1; });
  const std::string pods = "the " + std::to_string(*pod_count(object)) + " pods of this job do not request a topology";
  if (spread == pools.end()) {
    if (!pools.empty()) return;  // one leaf switch, or no others are declared
    scene
        .cannot_tell(RuleId::topology_unset, object, counted_at(object),
                     pods + "; whether the cluster has several switches cannot be checked without a site")
        .needs_site = true;
    return;
  }
  scene.wrong(RuleId::topology_unset, object, counted_at(object), pods,
              "they may be spread over the " + std::to_string((*spread)->leaves.size()) + " leaf switches of pool `" +
                  (*spread)->name + "`");
}

// ---- SCH005, SCH010 ----------------------------------------------------------------------------------

// The scheduler that KubeRay uses. A label that names none leaves it to how KubeRay was started: that is the
// plane's provider; before others could be chosen it was Volcano.
const k8s::GangProviderRow& provider_of(const SchedulerMark& mark, const model::Plane* plane) {
  if (mark.provider != nullptr) return *mark.provider;
  const auto given = plane == nullptr ? model::GangProvider::none : plane->pods()->gang;
  const k8s::GangProviderRow& row = k8s::gang_provider(given);
  return row.kuberay.empty() ? k8s::gang_provider(model::GangProvider::volcano) : row;
}

std::vector<Field> worker_groups(const Object& object) {
  for (const char* path : {"spec", "spec.rayClusterSpec", "spec.rayClusterConfig"})
    if (const Field groups = object.root.at(path).get("workerGroupSpecs")) return groups.items();
  return {};
}

bool autoscales(const Object& object) {
  for (const char* path : {"spec", "spec.rayClusterSpec", "spec.rayClusterConfig"})
    if (object.root.at(path).get("enableInTreeAutoscaling").is_true()) return true;
  return false;
}

void check_ray_version(const ManifestScene& scene, const Object& object, const SchedulerMark& mark) {
  const std::size_t groups = worker_groups(object).size();
  const model::Plane* plane = kubernetes_plane(scene.context);
  const auto& fault = provider_of(mark, plane).ray_fault;
  if (!fault || groups < fault->groups) return;
  if (plane == nullptr || !k8s::version_of(*plane, fault->component))
    scene.cannot_tell(RuleId::kuberay_gang_version, object, mark.where,
                      std::string(fault->what) + "; its version cannot be checked without a site");
  else if (k8s::has_fault(*plane, *fault))
    scene.wrong(RuleId::kuberay_gang_version, object, mark.where,
                std::string(fault->what) + ", and plane `" + plane->name + "` runs an affected version");
}

void check_one_ray(const ManifestScene& scene, const Object& object) {
  const auto marks = scheduler_marks(object);
  const auto gang =
      std::find_if(marks.begin(), marks.end(), [](const SchedulerMark& s) { return s.gang && s.is_of_scheduler(); });
  if (gang == marks.end()) return;
  check_ray_version(scene, object, *gang);
  if (!autoscales(object)) return;
  for (const Field& group : worker_groups(object)) {
    const Field least = group.get("minReplicas"), most = group.get("maxReplicas"), wanted = group.get("replicas");
    if (!least.whole() || !most.whole() || *least.whole() >= *most.whole()) continue;
    const std::string gang = "the gang contains " + counted(*least.whole(), "worker") + " of this group";
    if (wanted.whole().value_or(0) <= *least.whole()) {
      scene.cannot_tell(RuleId::gang_autoscaled_max, object, least,
                        gang + "; whether the program runs with so few cannot be checked");
      continue;
    }
    Finding& f = scene.wrong(RuleId::gang_autoscaled_max, object, least,
                             gang + ", but the group requests " + std::to_string(*wanted.whole()),
                             "the others start one by one");
    f.labels.push_back({wanted.span(), "requested at the start"});
  }
}

// ---- SCH011, SCH012 ----------------------------------------------------------------------------------

bool selects_nodes(const PodTemplate& pods) {
  return pods.spec.get("nodeSelector") || pods.spec.at("affinity.nodeAffinity") || pods.spec.get("nodeName");
}

void check_models(const ManifestScene& scene, const Object& object, const std::vector<const model::Pool*>& pools) {
  const bool chosen = std::any_of(object.pods.begin(), object.pods.end(), selects_nodes);
  if (!spans_nodes(scene.context, object) || chosen) return;
  std::set<std::string_view> models;
  for (const model::Pool* pool : pools) models.insert(pool->gpu->model);
  const std::string pods = "the " + std::to_string(*pod_count(object)) + " pods of this job do not select a GPU model";
  if (pools.empty())
    scene
        .cannot_tell(RuleId::gpu_type_unpinned, object, counted_at(object),
                     pods + "; whether the cluster has several cannot be checked without a site")
        .needs_site = true;
  else if (models.size() > 1)
    scene.wrong(RuleId::gpu_type_unpinned, object, counted_at(object), pods,
                "the cluster has " + quoted_list(std::vector<std::string_view>(models.begin(), models.end())));
}

bool keeps_out(const PodTemplate& pods, const model::Taint& taint) {
  return taint.effect != "PreferNoSchedule" && !k8s::tolerates(pods.spec, taint);
}

bool is_plain(std::string_view word) {
  return std::all_of(word.begin(), word.end(),
                     [](unsigned char c) { return is_alnum(c) || c == '.' || c == '/' || c == '-' || c == '_'; });
}

// Tolerates all taints of a pool. Safe where each is named after the device that the pods ask for: so Kubernetes itself
// does it (ExtendedResourceToleration). Other taints keep people out on purpose.
std::optional<Fix> tolerate(const ManifestScene& scene, const PodTemplate& pods, const k8s::Container& container,
                            const model::Pool& pool) {
  std::vector<std::string> lines;
  bool of_device = true;
  for (const model::Taint& taint : pool.taints) {
    if (!keeps_out(pods, taint)) continue;
    if (!is_plain(taint.name) || !is_plain(taint.effect) || taint.name.empty()) return std::nullopt;
    lines.push_back("key: " + taint.name);
    lines.emplace_back("operator: Exists");
    if (!taint.effect.empty()) lines.push_back("effect: " + taint.effect);
    of_device = of_device && !container.resources().get("limits").get(taint.name).text().empty();
    if (lines.size() > 3) return std::nullopt;  // several are a list of their own
  }
  const Field list = pods.spec.get("tolerations");
  std::optional<Edit> edit;
  if (list) {
    edit = add_to_list(scene.context.sources, list, lines);
  } else {
    for (std::string& line : lines) line.insert(0, &line == &lines.front() ? "  - " : "    ");
    lines.insert(lines.begin(), "tolerations:");
    edit = add_to_map(scene.context.sources, pods.spec, lines);
  }
  if (!edit) return std::nullopt;
  return Fix{"tolerate the taint of pool `" + pool.name + "`", of_device, {*edit}};
}

void check_taints(const ManifestScene& scene, const Object& object, const PodTemplate& pods,
                  const std::vector<const model::Pool*>& pools) {
  const model::Taint* taint = nullptr;
  const model::Pool* first = nullptr;
  for (const model::Pool* pool : pools) {
    const auto found = std::find_if(pool->taints.begin(), pool->taints.end(),
                                    [&](const model::Taint& t) { return keeps_out(pods, t); });
    if (found == pool->taints.end()) return;  // one pool takes it
    if (taint == nullptr) taint = &*found, first = pool;
  }
  const auto c = std::find_if(pods.containers.begin(), pods.containers.end(),
                              [](const k8s::Container& container) { return container.has_accelerator(); });
  const Field where = c->gpu_field() ? c->gpu_field() : c->resources();
  if (taint != nullptr)
    scene
        .wrong(RuleId::taint_not_tolerated, object, where,
               "every pool with GPUs is tainted, but the pods do not tolerate `" + taint->name + "`",
               "they stay pending")
        .fix = tolerate(scene, pods, *c, *first);
  else if (!pods.spec.get("tolerations"))
    scene
        .cannot_tell(
            RuleId::taint_not_tolerated, object, where,
            "the pods do not tolerate a taint; whether the GPU nodes have one cannot be checked without a site")
        .needs_site = true;
}

// The pods of a job with GPUs that have none themselves, in a fleet whose pools are all tainted: a launcher, a head, a
// submitter. The fleet may leave out nodes without GPUs, so it is a warning.
void check_pods_beside(const ManifestScene& scene, const Object& object) {
  const auto pools = all_pools(scene.context);
  const auto stopped_by = [&](const auto& stops) -> const model::Taint* {
    const model::Taint* first = nullptr;
    for (const model::Pool* pool : pools) {
      const auto found = std::find_if(pool->taints.begin(), pool->taints.end(), stops);
      if (found == pool->taints.end()) return nullptr;
      if (first == nullptr) first = &*found;
    }
    return first;
  };
  const auto say = [&](const Field& where, const std::string& pods, const model::Taint& taint) -> Finding& {
    Finding& f = scene.wrong(RuleId::taint_not_tolerated, object, where,
                             "every pool is tainted, but " + pods + " does not tolerate `" + taint.name + "`",
                             "it stays pending, and the others wait for it");
    f.severity = Severity::warning;
    return f;
  };
  for (const PodTemplate& pods : object.pods) {
    if (pods.has_accelerator()) continue;
    if (const auto* taint = stopped_by([&](const model::Taint& t) { return keeps_out(pods, t); }))
      say(pods.spec, pods.role.empty() ? "the pod" : "the pod of `" + printable(pods.role, 60) + "`", *taint);
  }
  for (const k8s::Added& added : k8s::added_to(object)) {
    if (added.row->as != model::AddedAs::pod) continue;
    const auto* taint = stopped_by([](const model::Taint& t) { return t.effect != "PreferNoSchedule"; });
    if (taint == nullptr) continue;
    say(added.where ? added.where : kind_of(object), "the " + std::string(added.row->name) + " that the operator adds",
        *taint)
        .notes.push_back("set `submissionMode: HTTPMode`, or add `submitterPodTemplate` with the toleration");
  }
}

// ---- QTA001, QTA002 ----------------------------------------------------------------------------------

void check_quota(const ManifestScene& scene, const Object& object) {
  const model::Site* site = scene.context.site;
  if (site == nullptr) {
    scene
        .cannot_tell(RuleId::tenant_without_quota, object, kind_of(object),
                     "whether several teams with quotas share the cluster cannot be checked without a site")
        .needs_site = true;
    return;
  }
  if (site->tenants.size() < 2) return;
  const auto of = std::find_if(site->tenants.begin(), site->tenants.end(), [&](const model::Tenant& t) {
    return t.name_space && !object.name_space.empty() && t.name_space->value == object.name_space;
  });
  if (of == site->tenants.end() || !of->quotas.empty()) return;
  scene.wrong(RuleId::tenant_without_quota, object, object.root.at("metadata.namespace"),
              "tenant `" + of->name + "` has no quota, and " + std::to_string(site->tenants.size()) +
                  " tenants share the cluster",
              "it can use every GPU");
}

void check_queue_label(const ManifestScene& scene, const Object& object) {
  const bool job =
      object.is("batch", "Job") || (object.known->work != k8s::Work::service && object.known->work != k8s::Work::batch);
  if (!job || !scheduler_marks(object).empty()) return;
  const model::Plane* plane = kubernetes_plane(scene.context);
  if (plane == nullptr)
    scene
        .cannot_tell(RuleId::queue_unset, object, kind_of(object),
                     "the job does not name a queue; whether the cluster has queues cannot be checked without a site")
        .needs_site = true;
  else if (const auto& row = k8s::gang_provider(plane->pods()->gang); row.takes_what_is_marked && !is_gang(object))
    scene.wrong(
        RuleId::queue_unset, object, kind_of(object), "the job has no `" + std::string(row.queue_key) + "`",
        std::string(row.title) + " does not manage it, so it uses GPUs outside the queues of `" + plane->name + "`");
}

}  // namespace

void check_kueue_guarantee(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) check_one_guarantee(scene, object);
}

void check_topology(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) check_one_topology(scene, object);
}

void check_ray_gang(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects)
    if (object.known != nullptr && object.known->work == k8s::Work::ray) check_one_ray(scene, object);
}

void check_pools(const ManifestScene& scene) {
  const auto pools = gpu_pools(scene.context);
  for (const Object& object : scene.manifest.objects) {
    if (object.known == nullptr || !object.known->complete) continue;
    check_models(scene, object, pools);
    for (const PodTemplate& pods : object.pods)
      if (pods.has_accelerator()) check_taints(scene, object, pods, pools);
    const bool whole = object.known->work != k8s::Work::service && object.known->work != k8s::Work::batch;
    if (whole && wants_gpu(object)) check_pods_beside(scene, object);
  }
}

void check_tenancy(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) {
    if (object.known == nullptr || !wants_gpu(object)) continue;
    check_quota(scene, object);
    check_queue_label(scene, object);
  }
}

}  // namespace muster::lint
