#include "lint/rules/site/site.h"

#include <algorithm>
#include <set>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/secret.h"
#include "compiler/base/text.h"
#include "compiler/data/read.h"
#include "compiler/model/marks.h"
#include "lint/heuristics.h"
#include "lint/rules/site/scene.h"
#include "lint/target_block/place.h"
#include "plan/quota/ceilings.h"
#include "targets/kubernetes/gates.h"
#include "targets/kubernetes/read/field.h"

namespace muster::lint {
namespace {

namespace k8s = targets::kubernetes;
using model::Plane;
using model::Pool;
using model::Site;

bool has_gpus(const Pool& pool) { return pool.gpu && pool.gpu->count > 0; }

// Whether two planes may give out the same nodes.
bool overlap(const Plane& a, const Plane& b) {
  if (a.pools.empty() || b.pools.empty()) return true;
  return std::any_of(a.pools.begin(), a.pools.end(), [&](const auto& pool) { return b.owns(pool.value); });
}

// ---- what decisions rest on --------------------------------------------------------------------------

void check_planes(const SiteScene& scene) {
  std::int64_t nodes = 0;
  if (scene.fleet != nullptr)
    for (const Pool& pool : scene.fleet->pools) nodes += pool.node_count;
  for (const Plane& plane : scene.site.planes)
    if (auto f = k3s_beyond(plane, nodes, scene.policy)) scene.add(std::move(*f), "plane." + plane.name + ".kind");
  if (auto f = shared_nodes(scene.site)) scene.add(std::move(*f), "plane.pools");
}

// No job of its own is broken yet.
void warn(const SiteScene& scene, std::optional<Finding> found, std::string path) {
  if (!found) return;
  found->severity = Severity::warning;
  scene.add(std::move(*found), std::move(path));
}

// SCH001, NET001, SCH009.
void check_gangs(const SiteScene& scene) {
  if (scene.fleet == nullptr) return;
  for (const Plane& plane : scene.site.planes) {
    warn(scene, without_gangs(scene.site, *scene.fleet, plane), "plane." + plane.name + ".gang");
    for (const Pool& pool : scene.fleet->pools)
      warn(scene, unattached(scene.site, plane, pool), "fabric." + pool.fabric);
    for (const Pool& pool : scene.fleet->pools)
      if (auto f = without_levels(plane, pool)) {
        scene.add(std::move(*f), "plane." + plane.name + ".level");
        break;  // of the plane, whichever pool shows it
      }
  }
}

// ---- what the site sets for every job ----------------------------------------------------------------

void check_variables(const SiteScene& scene, const std::vector<model::EnvVar>& env, const std::string& path) {
  for (const model::EnvVar& variable : env) {
    if (forces_tcp(variable.name, variable.value.bytes))
      scene.wrong(
          RuleId::nccl_forced_tcp, variable.span, path + variable.name,
          "`" + variable.name + "=" + printable(variable.value.bytes, 40) + "` sends every job's traffic over TCP");
    if (!is_secret(variable.name, variable.value.bytes)) continue;
    Finding& f =
        scene.wrong(RuleId::secret_in_env, variable.span, path + variable.name,
                    "`" + variable.name + "` contains a secret in plain text, and every job of the site gets it");
    f.notes.push_back("declare `secret NAME` in the site, and revoke this secret");
    f.secret = variable.value.bytes;
    if (!is_strong(variable.value.bytes)) f.severity = Severity::warning;
  }
}

// ---- what the site puts into every pod ---------------------------------------------------------------

// SEC002. A patch of a plane or a fabric gives the node away for every workload at once.
void check_patch(const SiteScene& scene, const model::Optional<std::string>& patch, const std::string& path) {
  if (!patch) return;
  Sources sources;
  const data::Documents read = data::read_yaml(sources, sources.add("patch", patch->value));
  if (read.documents.size() != 1 || !read.documents[0].root.is_map()) return;
  const k8s::Field root = k8s::root_field(read.documents[0].root);
  const auto say = [&](const k8s::Field& field, const std::string& message) {
    const std::uint32_t line = sources.position(1, field.span().begin).line;
    Finding& f =
        scene.wrong(RuleId::privileged, place_of_line(scene.sources, *patch, line), path + "." + field.path, message);
    f.notes.push_back("the patch applies to every pod of the plane; RDMA only needs the capability `IPC_LOCK`");
  };
  for (const char* key : {"spec.hostIPC", "spec.hostPID"})
    if (const k8s::Field host = root.at(key); host.is_true())
      say(host, "`" + std::string(host.key) + "` exposes the node's processes to the pods");
  for (const char* list : {"spec.containers[]", "spec.initContainers[]"})
    for (const k8s::Field& container : matches(root, list))
      if (const k8s::Field given = container.at("securityContext.privileged"); given.is_true()) {
        const std::string_view name = container.get("name").text();
        say(given, name == "*" ? "the patch makes every container privileged"
                               : "the patch makes the container `" + printable(name, 60) + "` privileged");
      }
}

void check_patches(const SiteScene& scene) {
  for (const Plane& plane : scene.site.planes)
    if (const model::PodPlane* pods = plane.pods()) check_patch(scene, pods->pod, "plane." + plane.name + ".pod");
  for (const model::FabricAttachment& fabric : scene.site.fabrics)
    check_patch(scene, fabric.pod, "fabric." + fabric.name + ".pod");
}

// ---- tenants -----------------------------------------------------------------------------------------

void check_tenants(const SiteScene& scene) {
  if (scene.site.tenants.size() < 2 || scene.fleet == nullptr) return;
  for (const model::Tenant& tenant : scene.site.tenants)
    for (const Plane& plane : scene.site.planes) {
      if (plane.pods() == nullptr) continue;
      const auto& pools = scene.fleet->pools;
      const model::Tenant held = plan::with_ceilings(tenant, scene.site, plane);
      const auto open = std::find_if(pools.begin(), pools.end(), [&](const Pool& pool) {
        return plane.owns(pool.name) && unbounded(held, pool).has_value();
      });
      if (open == pools.end()) continue;
      scene.add(*unbounded(held, *open), "tenant." + tenant.name + ".quota");
      break;
    }
}

// ---- names and limits --------------------------------------------------------------------------------

// SIT001. A name that the fleet has not is met by nothing, and says so nowhere.
void check_pool(const SiteScene& scene, const model::Located<std::string>& name, const std::string& path) {
  std::vector<std::string_view> names;
  for (const Pool& pool : scene.fleet->pools) names.push_back(pool.name);
  if (std::find(names.begin(), names.end(), name.value) != names.end()) return;
  Finding& f = scene.wrong(RuleId::unknown_pool, name.span, path,
                           "fleet `" + scene.fleet->name + "` has no pool `" + printable(name.value, 60) + "`");
  const std::string near = closest(name.value, names);
  if (near.empty() || !name.span.known()) return;
  f.notes.push_back("did you mean `" + near + "`?");
  f.fix = Fix{"write `" + near + "`", false, {{name.span, near}}};
}

bool is_flavor(const Site& site, std::string_view name) {
  return std::any_of(site.planes.begin(), site.planes.end(), [&](const Plane& plane) {
    const model::PodPlane* pods = plane.pods();
    return pods != nullptr && std::any_of(pods->flavors.begin(), pods->flavors.end(),
                                          [&](const model::Flavor& flavor) { return flavor.name == name; });
  });
}

void check_pool_names(const SiteScene& scene) {
  for (const Plane& plane : scene.site.planes)
    for (const auto& pool : plane.pools) check_pool(scene, pool, "plane." + plane.name + ".pools");
  for (const model::Queue& queue : scene.site.queues)
    for (const auto& pool : queue.pools) check_pool(scene, pool, "queue." + queue.name + ".pools");
  const auto check_quotas = [&](const std::vector<model::Quota>& quotas, const std::string& path) {
    for (const model::Quota& quota : quotas) {
      for (const auto& pool : quota.pools) check_pool(scene, pool, path);
      if (quota.pools.empty() && quota.pool.value != model::all_pools && !is_flavor(scene.site, quota.pool.value))
        check_pool(scene, quota.pool, path);
    }
  };
  for (const model::Tenant& tenant : scene.site.tenants)
    check_quotas(tenant.quotas, "tenant." + tenant.name + ".quota");
  for (const model::Cohort& cohort : scene.site.cohorts)
    check_quotas(cohort.quotas, "cohort." + cohort.name + ".quota");
  for (const Plane& plane : scene.site.planes)
    if (const model::PodPlane* pods = plane.pods())
      for (const model::Flavor& flavor : pods->flavors)
        for (const auto& pool : flavor.pools) check_pool(scene, pool, "plane." + plane.name + ".flavor." + flavor.name);
  for (const model::FabricAttachment& fabric : scene.site.fabrics)
    for (const auto& pool : fabric.pools) check_pool(scene, pool, "fabric." + fabric.name + ".pools");
}

// Whether a job on the plane can come to the pool: without queues all can, but for its taints.
bool reaches(const Site& site, const Plane& plane, const Pool& pool) {
  bool any = false;
  for (const model::Queue& queue : site.queues) {
    if (!queue.plane.empty() && queue.plane != plane.name) continue;
    any = true;
    const bool lists = queue.pools.empty() || std::any_of(queue.pools.begin(), queue.pools.end(),
                                                          [&](const auto& name) { return name.value == pool.name; });
    if (lists && model::stopping_taint(plane, &queue, pool, true) == nullptr) return true;
  }
  return !any && model::stopping_taint(plane, nullptr, pool, true) == nullptr;
}

// SIT002.
void check_reach(const SiteScene& scene) {
  for (const Pool& pool : scene.fleet->pools) {
    std::vector<const Plane*> owners;
    for (const Plane& plane : scene.site.planes)
      if (plane.owns(pool.name)) owners.push_back(&plane);
    if (std::any_of(owners.begin(), owners.end(), [&](const Plane* p) { return reaches(scene.site, *p, pool); }))
      continue;
    const std::string idle = counted(pool.node_count, "node") + (pool.node_count == 1 ? " stays idle" : " stay idle");
    Finding& f = scene.wrong(
        RuleId::unreachable_pool, owners.empty() ? scene.site.span : owners.front()->span, "pool." + pool.name,
        owners.empty()
            ? "no plane manages pool `" + pool.name + "`, so its " + idle
            : "no queue of plane `" + owners.front()->name + "` can use pool `" + pool.name + "`, so its " + idle);
    f.labels.push_back({pool.span, pool.taints.empty() ? "the pool" : "the pool, which is tainted"});
  }
}

// SIT003.
void check_times(const SiteScene& scene) {
  for (const model::Queue& queue : scene.site.queues) {
    if (!queue.default_time || !queue.max_time || queue.default_time->value <= queue.max_time->value) continue;
    const auto [given, most] = in_one_unit(queue.default_time->value, queue.max_time->value);
    Finding& f = scene.wrong(
        RuleId::default_over_limit, queue.default_time->span, "queue." + queue.name + ".default_time",
        "jobs without a time limit get " + given + ", but queue `" + queue.name + "` allows at most " + most);
    f.labels.push_back({queue.max_time->span, "its limit"});
  }
}

// SIT004. Words for a model that no pool has are for one that is spelt otherwise, or is gone.
void check_models(const SiteScene& scene) {
  for (const model::GpuDialect& settings : scene.site.gpus) {
    const auto& pools = scene.fleet->pools;
    const auto has = [&](const Pool& pool) { return pool.gpu && equal_ignoring_case(pool.gpu->model, settings.model); };
    if (std::any_of(pools.begin(), pools.end(), has)) continue;
    const auto* stated = settings.gres      ? &*settings.gres
                         : settings.feature ? &*settings.feature
                         : settings.label   ? &*settings.label
                                            : nullptr;
    scene.wrong(RuleId::unused_gpu_words, stated == nullptr ? scene.site.span : stated->span, "gpu." + settings.model,
                "no pool of fleet `" + scene.fleet->name + "` has the GPU model `" + settings.model + "`");
  }
}

// The place of a component's declared release: of Kubernetes that of the plane.
Span release_place(const Plane& plane, std::string_view component) {
  const model::Operator* op = k8s::operator_of(plane, component);
  if (op == nullptr) return plane.version.span.known() ? plane.version.span : plane.span;
  return op->version && op->version->span.known() ? op->version->span : op->span;
}

// SIT005. Releases that do not work together, and flags that a release does not know.
void check_releases(const SiteScene& scene, const Plane& plane) {
  const std::string path = "plane." + plane.name + ".operator.";
  for (const k8s::Clash* clash : k8s::clashes_of(plane)) {
    const std::string first(clash->first), second(clash->second);
    Finding& f = scene.wrong(RuleId::clashing_releases, release_place(plane, first), path + first + ".version",
                             std::string(clash->what), "this version of `" + first + "`");
    f.labels.push_back({release_place(plane, second), "with this version of `" + second + "`"});
  }
  for (const model::Operator& op : plane.pods()->operators)
    for (const auto& flag : op.flags)
      if (k8s::has_feature(plane, op.name, flag.value) == false)
        scene.wrong(
            RuleId::clashing_releases, flag.span, path + op.name + ".flags",
            sentence(plane, "`" + printable(flag.value, 60) + "`", op.name, k8s::feature_row(op.name, flag.value).in));
}

void check_clashing_releases(const SiteScene& scene) {
  for (const Plane& plane : scene.site.planes)
    if (plane.pods() != nullptr) check_releases(scene, plane);
}

}  // namespace

std::optional<Finding> k3s_beyond(const Plane& plane, std::int64_t nodes, const model::Policy& policy) {
  const std::string_view limit = plane.traits().fleet_limit;
  if (limit.empty()) return std::nullopt;
  for (const model::Threshold& t : policy.thresholds) {
    const auto* most = t.name == limit ? std::get_if<std::int64_t>(&t.value) : nullptr;
    if (most == nullptr || nodes <= *most) continue;
    return finding(RuleId::k3s_envelope, plane.span,
                   "plane `" + plane.name + "` is " + std::string(plane.traits().name) + ", on a fleet of " +
                       counted(nodes, "node") + "; the policy recommends at most " + std::to_string(*most));
  }
  return std::nullopt;
}

std::optional<Finding> shared_nodes(const Site& site) {
  for (const Plane& batch : site.planes)
    for (const Plane& pods : site.planes) {
      if (batch.batch() == nullptr || pods.pods() == nullptr || !overlap(batch, pods)) continue;
      Finding f = finding(RuleId::hybrid_boundary_missing, batch.span,
                          std::string(batch.traits().title) + " and Kubernetes share the fleet, and no `pools` of `" +
                              batch.name + "` and `" + pods.name + "` part it",
                          "its nodes are");
      f.labels.push_back({pods.span, "also those of this plane"});
      return f;
    }
  return std::nullopt;
}

std::optional<Finding> without_gangs(const Site& site, const model::Fleet& fleet, const Plane& plane) {
  const bool taken =
      std::any_of(site.planes.begin(), site.planes.end(), [](const Plane& p) { return p.starts_gangs(); });
  const auto wide = std::find_if(fleet.pools.begin(), fleet.pools.end(), [&](const Pool& pool) {
    return plane.owns(pool.name) && has_gpus(pool) && pool.node_count > 1 && has_rdma(pool);
  });
  if (taken || plane.pods() == nullptr || wide == fleet.pools.end()) return std::nullopt;
  Finding f = finding(RuleId::gang_required, plane.span,
                      "no plane has a gang scheduler, so jobs on several nodes of pool `" + wide->name +
                          "` are refused, although it has " + wide->fabric,
                      "does not set `gang`");
  f.labels.push_back({wide->span, "the pool"});
  return f;
}

std::optional<Finding> without_levels(const Plane& plane, const Pool& pool) {
  const model::PodPlane* pods = plane.pods();
  if (pods == nullptr || !plane.owns(pool.name) || !has_gpus(pool) || pool.leaves.size() < 2) return std::nullopt;
  const model::LevelKey key = model::level_key(pods->gang);
  if (key == model::LevelKey::none || pods->nearest_level(pods->gang) != nullptr) return std::nullopt;
  Finding f =
      finding(RuleId::topology_unset, plane.span,
              "plane `" + plane.name + "` does not declare a topology level, but pool `" + pool.name + "` has " +
                  std::to_string(pool.leaves.size()) + " leaf switches",
              std::string("`level leaf { ") + (key == model::LevelKey::tier ? "tier" : "label") + " = … }` is missing");
  f.labels.push_back({pool.span, "the pool"});
  return f;
}

std::optional<Finding> unattached(const Site& site, const Plane& plane, const Pool& pool) {
  const auto serves = [&](const model::FabricAttachment& f) {
    return f.name == pool.fabric && f.serves(pool.name) && (f.plane.empty() || f.plane == plane.name);
  };
  if (plane.pods() == nullptr || !plane.owns(pool.name) || !has_gpus(pool) || pool.node_count < 2 || !has_rdma(pool) ||
      std::any_of(site.fabrics.begin(), site.fabrics.end(), serves))
    return std::nullopt;
  Finding f = finding(RuleId::rdma_not_requested, plane.span,
                      "pool `" + pool.name + "` has " + pool.fabric +
                          ", but the site does not declare how pods request it, so NCCL falls back to TCP");
  f.labels.push_back({pool.span, "the pool"});
  f.notes.push_back("add `fabric " + pool.fabric + " { resource = … }` to the site");
  return f;
}

std::optional<std::int64_t> bound_of(const model::Tenant& tenant, std::string_view pool) {
  for (const model::Quota& quota : tenant.quotas)
    if (plan::counts_pool(quota, pool) && quota.gpus) return quota.gpus->value;
  return std::nullopt;
}

std::optional<Finding> unbounded(const model::Tenant& tenant, const Pool& pool) {
  if (!has_gpus(pool)) return std::nullopt;
  const std::int64_t all = pool.node_count * pool.gpu->count;
  // A quota of several pools, or one that a cohort extends, may be above what the pool has.
  const auto is_wide = [&](const model::Quota& quota) {
    return quota.gpus && plan::counts_pool(quota, pool.name) && (quota.pools.size() > 1 || tenant.cohort);
  };
  if (std::any_of(tenant.quotas.begin(), tenant.quotas.end(), is_wide)) return std::nullopt;
  const auto bound = bound_of(tenant, pool.name);
  if (bound ? *bound <= all : bound_of(tenant, model::all_pools).has_value()) return std::nullopt;
  return finding(RuleId::tenant_without_quota, tenant.span,
                 bound ? "the quota of tenant `" + tenant.name + "` is " + counted(*bound, "GPU") + ", and pool `" +
                             pool.name + "` has " + std::to_string(all) + ", so it has no effect"
                       : "tenant `" + tenant.name + "` has no quota for pool `" + pool.name +
                             "`, which other tenants share, and can use every GPU");
}

std::vector<Finding> check_site(const Sources& sources, const Site& site, const model::Fleet* fleet,
                                const model::Policy& policy) {
  std::vector<Finding> out;
  const SiteScene scene{sources, site, fleet, policy, {out}};
  check_planes(scene);
  check_gangs(scene);
  check_tenants(scene);
  for (const model::FabricAttachment& fabric : site.fabrics)
    check_variables(scene, fabric.env, "fabric." + fabric.name + ".env.");
  check_patches(scene);
  check_times(scene);
  check_clashing_releases(scene);
  if (fleet != nullptr) check_pool_names(scene), check_reach(scene), check_models(scene);
  drop_unplaced_labels(out);
  return out;
}

std::vector<Finding> check_fleet(const model::Fleet& fleet) {
  std::vector<Finding> out;
  for (const Pool& pool : fleet.pools) {
    std::set<std::uint32_t> away(pool.drained.begin(), pool.drained.end());
    away.insert(pool.spare.begin(), pool.spare.end());
    if (pool.node_count == 0 || away.size() < static_cast<std::size_t>(pool.node_count)) continue;
    Finding f = finding(
        RuleId::unreachable_pool, pool.span,
        "no workload can use pool `" + pool.name + "`, because " +
            (pool.node_count == 1 ? "its only node is" : "each of its " + counted(pool.node_count, "node") + " is") +
            " drained or a spare");
    f.subject = "fleet/" + fleet.name;
    f.path = "pool." + pool.name;
    out.push_back(std::move(f));
  }
  return out;
}

}  // namespace muster::lint
