// SCH001 gang-required, SCH004 kueue-without-guarantee, SCH005 kuberay-gang-version, SCH007 multi-pod-no-gang, SCH009
// topology-unset, SCH011 gpu-type-unpinned, NET001 rdma-not-requested, NET004 mixed-fabric: whether what must start
// together does, and near enough.
#include <algorithm>
#include <set>

#include "compiler/base/text.h"
#include "compiler/model/coupling.h"
#include "lint/heuristics.h"
#include "lint/rules/site/site.h"
#include "lint/rules/spec/scene.h"
#include "targets/kubernetes/gates.h"

namespace muster::lint {
namespace {

namespace k8s = targets::kubernetes;
using plan::RolePlan;

model::FieldRef count_key(const SpecScene& scene) {
  const model::Role& role = scene.workload.main();
  for (const model::Field key : {model::Field::resources_nodes, model::Field::replicas})
    if (const model::FieldRef field = scene.field_in(role, key); scene.key(field).known()) return field;
  return model::Field::kind;
}

// What keeps this gang from what it needs is mended at the site.
void at_site(const SpecScene& scene, Finding found) {
  const Span needed = scene.key(count_key(scene));
  found.labels.push_back({needed.known() ? needed : scene.workload.span, "required here"});
  scene.of_site(std::move(found), count_key(scene));
}

// SCH001, SCH007.
void check_provider(const SpecScene& scene, const plan::Plan& plan, std::string_view coupled) {
  const RuleId rule = coupled == "multi-node" ? RuleId::gang_required : RuleId::multi_pod_no_gang;
  const std::string pods = coupled == "multi-node" ? "the nodes of this gang must start together"
                                                   : "the pods of this gang must start together";
  if (scene.context.site == nullptr) {
    scene
        .cannot_tell(rule, count_key(scene), pods + "; what starts them cannot be checked without a site",
                     "`gang` of its plane")
        .needs_site = true;
  } else if (!plan.plane->starts_gangs()) {
    if (rule == RuleId::gang_required && scene.context.fleet != nullptr)
      if (auto found = without_gangs(*scene.context.site, *scene.context.fleet, *plan.plane))
        return at_site(scene, std::move(*found));
    Finding& f =
        scene.wrong(rule, count_key(scene), pods + ", but plane `" + plan.plane->name + "` has no gang scheduler",
                    "some pods may hold GPUs and wait for the rest indefinitely");
    f.labels.push_back({plan.plane->span, "does not set `gang`"});
  }
}

// SCH001 where the workload itself breaks up its gang.
void check_broken_up(const SpecScene& scene) {
  const auto& gang = scene.workload.gang;
  if (!gang || gang->value != model::Gang::none || model::coupled_nodes(scene.workload) <= 1) return;
  Finding& f = scene.wrong(RuleId::gang_required, model::Field::gang,
                           model::together(scene.workload) + ", but `gang = none` starts each alone",
                           "some pods may hold GPUs and wait for the rest indefinitely");
  f.notes.push_back("remove `gang = none`, or give a range of nodes from 1 to a launcher that starts with one");
}

// SCH004.
void check_guarantee(const SpecScene& scene, const plan::Plan& plan) {
  const model::Plane& plane = *plan.plane;
  const k8s::GangProviderRow& provider = k8s::gang_provider(plane.pods()->gang);
  if (scene.context.site == nullptr || provider.places) return;
  const auto waits = k8s::waits_for_pods(plane);
  if (waits.value_or(false)) return;
  if (plane.pods()->nearest_level(plane.pods()->gang) != nullptr) return;  // then nodes are assigned too
  const bool off = waits.has_value();
  const std::string message =
      std::string(provider.title) + " of plane `" + plane.name + "` admits this gang by quota, but ";
  Finding& f = off ? scene.wrong(RuleId::kueue_without_guarantee, count_key(scene),
                                 message + "`wait-for-pods` is off and no topology level is declared")
                   : scene.cannot_tell(RuleId::kueue_without_guarantee, count_key(scene),
                                       message + "the site does not declare `wait-for-pods`");
  f.labels.push_back({off ? plane.pods()->wait_for_pods->span : plane.span, "the plane"});
}

// SCH005.
void check_kuberay(const SpecScene& scene, const plan::Plan& plan) {
  const std::size_t groups = scene.workload.roles.size() > 1 ? scene.workload.roles.size() - 1 : 1;
  if (plan.decision.runtime != "ray") return;
  const auto& fault = k8s::gang_provider(plan.plane->pods()->gang).ray_fault;
  if (!fault || groups < fault->groups || !k8s::has_fault(*plan.plane, *fault)) return;
  Finding& f =
      scene.wrong(RuleId::kuberay_gang_version, model::Field::launch_runner,
                  std::string(fault->what) + ", and plane `" + plan.plane->name + "` runs an affected version");
  f.labels.push_back({plan.plane->span, "its operators"});
}

bool spans_nodes(const RolePlan& role) { return role.total() > 1 && role.gpus > 0; }

// SCH009. What the site has no words for muster cannot ask for.
void check_topology(const SpecScene& scene, const plan::Plan& plan) {
  if (scene.context.site == nullptr) return;
  for (const RolePlan& role : plan.roles) {
    if (!spans_nodes(role) || role.pool == nullptr || role.role->topology) continue;
    auto found = without_levels(*plan.plane, *role.pool);
    if (!found) continue;
    Finding& f = scene.wrong(RuleId::topology_unset, count_key(scene), found->message);
    f.labels.push_back({plan.plane->span, found->primary_label});
    return;
  }
}

// SCH011.
void check_models(const SpecScene& scene, const RolePlan& role) {
  if (role.role->resources.gpu || !role.role->requires_.empty()) return;
  std::set<std::string_view> models;
  for (const model::Pool* pool : role.allowed)
    if (pool->gpu) models.insert(pool->gpu->model);
  if (models.size() < 2) return;
  scene.wrong(RuleId::gpu_type_unpinned, scene.field_in(*role.role, model::Field::resources_gpus),
              "the " + std::to_string(role.total()) + " nodes do not select a GPU model; the site has " +
                  quoted_list(std::vector<std::string_view>(models.begin(), models.end())));
}

// NET004.
void check_fabrics(const SpecScene& scene, const RolePlan& role) {
  if (role.role->resources.gpu || !role.role->requires_.empty() ||
      role.role->fabric.value != model::FabricRequest::automatic)
    return;
  const auto fast = std::find_if(role.allowed.begin(), role.allowed.end(), [](const auto* p) { return has_rdma(*p); });
  const auto slow = std::find_if(role.allowed.begin(), role.allowed.end(), [](const auto* p) { return !has_rdma(*p); });
  if (fast == role.allowed.end() || slow == role.allowed.end()) return;
  scene.wrong(RuleId::mixed_fabric, scene.field_in(*role.role, model::Field::resources_gpus),
              "the " + std::to_string(role.total()) + " nodes may come from pool `" + (*fast)->name + "` with " +
                  (*fast)->fabric + " or from pool `" + (*slow)->name + "` without; set `fabric = required`");
}

// NET001. muster asks for what the site states; it can state nothing.
void check_attachment(const SpecScene& scene, const plan::Plan& plan) {
  if (scene.context.site == nullptr) return;
  for (const RolePlan& role : plan.roles) {
    if (!spans_nodes(role) || role.pool == nullptr || role.role->fabric.value == model::FabricRequest::none) continue;
    auto found = unattached(*scene.context.site, *plan.plane, *role.pool);
    if (found) return at_site(scene, std::move(*found));
  }
}

}  // namespace

void check_spec_gang(const SpecScene& scene) {
  if (!scene.result.plan || scene.result.plan->plane == nullptr) return;
  const plan::Plan& plan = *scene.result.plan;
  const std::string_view coupled = decided(plan, "coupled");
  if (coupled == "multi-node")
    for (const RolePlan& role : plan.roles)
      if (spans_nodes(role)) check_models(scene, role), check_fabrics(scene, role);
  if (plan.plane->pods() != nullptr) check_broken_up(scene);
  if (plan.plane->pods() == nullptr || (coupled != "multi-node" && coupled != "multi-pod")) return;
  check_provider(scene, plan, coupled);
  check_guarantee(scene, plan);
  check_kuberay(scene, plan);
  if (coupled != "multi-node") return;
  check_topology(scene, plan);
  check_attachment(scene, plan);
}

}  // namespace muster::lint
