#include "lint/rules/manifest/manifest.h"

#include <algorithm>

#include "lint/rules/manifest/scene.h"

namespace muster::lint {

namespace {

// Of a map or list its key: all of it would underline a page.
Where place_of(const k8s::Object& object, const k8s::Field& field) {
  const bool whole = field.key_span.known() && (field.node->is_map() || field.node->is_list());
  return {whole ? field.key_span : field.span(), object.subject(), field.path};
}

}  // namespace

Finding& ManifestScene::wrong(RuleId rule, const k8s::Object& object, const k8s::Field& where, std::string message,
                              std::string label) const {
  return report.wrong(rule, place_of(object, where), std::move(message), std::move(label));
}

Finding& ManifestScene::cannot_tell(RuleId rule, const k8s::Object& object, const k8s::Field& where,
                                    std::string message, std::string label) const {
  return report.cannot_tell(rule, place_of(object, where), std::move(message), std::move(label));
}

Finding& ManifestScene::wrong(RuleId rule, const k8s::Object& object, const k8s::Word& where, std::string message,
                              std::string label) const {
  return report.wrong(rule, {where.place(context.sources), object.subject(), where.field.path}, std::move(message),
                      std::move(label));
}

const model::Plane* kubernetes_plane(const Context& context) {
  if (context.site == nullptr) return nullptr;
  for (const model::Plane& plane : context.site->planes)
    if (plane.pods() != nullptr) return &plane;
  return nullptr;
}

std::vector<const model::Pool*> all_pools(const Context& context) {
  std::vector<const model::Pool*> out;
  const model::Plane* plane = kubernetes_plane(context);
  if (plane == nullptr || context.fleet == nullptr) return out;
  for (const model::Pool& pool : context.fleet->pools)
    if (plane->owns(pool.name)) out.push_back(&pool);
  return out;
}

std::vector<const model::Pool*> gpu_pools(const Context& context) {
  std::vector<const model::Pool*> out = all_pools(context);
  std::erase_if(out, [](const model::Pool* pool) { return !pool->gpu; });
  return out;
}

std::int64_t gpus_of(const k8s::PodTemplate& pods) {
  std::int64_t sum = 0;
  for (const k8s::Container& c : pods.containers)
    if (!c.init) sum += c.gpus();
  return sum;
}

bool spans_nodes(const Context& context, const k8s::Object& object) {
  if (!needs_gang(object) || !wants_gpu(object) || pod_count(object).value_or(0) < 2) return false;
  std::int64_t gpus = 0, node = 0;
  for (const k8s::PodTemplate& pods : object.pods) gpus += pods.count.value_or(1) * gpus_of(pods);
  for (const model::Pool* pool : gpu_pools(context)) node = std::max(node, pool->gpu->count);
  return gpus == 0 || gpus > node;
}

void check_manifest(const k8s::Manifest& manifest, const Context& context, std::vector<Finding>& findings) {
  std::vector<Finding> found;
  const ManifestScene scene{manifest, context, {found}};
  for (const auto check :
       {check_images,         check_resources,       check_shared_memory,  check_volumes,     check_gang,
        check_gang_minimum,   check_scheduler_names, check_elastic_bounds, check_spread,      check_arithmetic,
        check_server_degrees, check_readiness,       check_autoscalers,    check_exposure,    check_secrets,
        check_quotas,         check_kueue_guarantee, check_ray_gang,       check_topology,    check_pools,
        check_tenancy,        check_surge,           check_fabric,         check_cleanup,     check_memory_volumes,
        check_single_replica, check_privileges,      check_architecture,   check_releases,    check_native_group,
        check_devices,        check_lifetime,        check_pod_network,    check_kinds,       check_schema,
        check_contradictions, check_gpu_names,       check_storage,        check_environment, check_idle,
        check_ranges,         check_launch_options,  check_overwritten,    check_fit,         check_container_texts})
    check(scene);
  append_in_order(std::move(found), findings);
}

}  // namespace muster::lint
