// K8S001 image-unpinned, K8S006 no-ttl-or-deadline, K8S007 shm-unsized, IMG001
// wrong-architecture, SRV001 no-readiness, SRV003 autoscaler-bounds, SRV004 exposed-service, SRV006 single-replica:
// what becomes pods of a workload, and what is before them.
#include <algorithm>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/text.h"
#include "lint/heuristics.h"
#include "lint/rules/site/site.h"
#include "lint/rules/spec/scene.h"
#include "plan/quota/ceilings.h"
#include "plan/quota/tenant.h"
#include "targets/lookup.h"

namespace muster::lint {
namespace {

using model::Kind;
using model::Role;
using plan::RolePlan;

// An image that the workload itself spells, and not the site: by its place.
const model::Located<std::string>* own_image(const SpecScene& scene, const Role& role) {
  const auto is_name = [&](const std::string& given) {
    if (scene.plane() == nullptr) return false;
    return scene.result.plan->site->images.find(given, *scene.plane()) != nullptr;
  };
  if (role.image) return is_name(role.image->value) ? nullptr : &*role.image;
  const auto* spec = role.software ? std::get_if<model::SoftwareSpec>(&role.software->value) : nullptr;
  return spec != nullptr && spec->image && !is_name(spec->image->value) ? &*spec->image : nullptr;
}

void check_pin(const SpecScene& scene, const Role& role) {
  const auto* image = own_image(scene, role);
  if (image == nullptr || image->value.find("://") != std::string::npos) return;
  const Pin pin = pin_of(image->value);
  if (pin == Pin::pinned) return;
  if (pin == Pin::no_tag && scene.context.site == nullptr && image->value.find_first_of("/.:") == std::string::npos) {
    scene
        .cannot_tell(
            RuleId::image_unpinned, scene.field_in(role, model::Field::image),
            "whether `" + printable(image->value, 100) + "` is an image of the site cannot be checked without a site")
        .needs_site = true;
    return;
  }
  const std::string word = "the image `" + printable(image->value, 100) + "` ";
  Finding& f = scene.wrong_at(RuleId::image_unpinned, image->span, scene.field_in(role, model::Field::image),
                              word + (pin == Pin::no_tag   ? "has no tag, so `latest` is pulled"
                                      : pin == Pin::latest ? "uses the tag `latest`, which changes over time"
                                                           : "has a tag but no digest, and a tag can be moved"));
  if (pin == Pin::tagged) f.severity = Severity::info, f.since = Profile::strict;
}

// The image that a role runs in on its plane; "" for none.
std::string image_of(const plan::Plan& plan, const Role& role) {
  if (role.image) return targets::find_image(*plan.site, *plan.plane, role.image->value).ref;
  const model::SoftwareSpec* software = targets::find_software(role, *plan.site, *plan.plane);
  return software != nullptr && software->image
             ? targets::find_image(*plan.site, *plan.plane, software->image->value).ref
             : std::string();
}

void check_arch(const SpecScene& scene, const plan::Plan& plan, const RolePlan& role) {
  if (role.pool == nullptr || !plan.plane->runs_images()) return;
  const std::string image = image_of(plan, *role.role);
  const std::string_view arch = arch_of_image(image);
  const model::FieldRef field =
      scene.field_in(*role.role, role.role->image ? model::Field::image : model::Field::software);
  if (image.empty() || arch == role.pool->arch) return;
  if (!arch.empty()) {
    Finding& f = scene.wrong(RuleId::wrong_architecture, field,
                             "the image `" + printable(image, 100) + "` is built for " + std::string(arch) +
                                 ", but pool `" + role.pool->name + "` is " + role.pool->arch);
    f.labels.push_back({role.pool->span, "the pool"});
  } else if (role.pool->arch != "amd64") {
    scene.cannot_tell(RuleId::wrong_architecture, field,
                      "pool `" + role.pool->name + "` is " + role.pool->arch +
                          "; whether the image is built for it is not visible from its "
                          "name");
  }
}

void check_end(const SpecScene& scene) {
  const Kind kind = scene.workload.kind.value;
  if (scene.workload.time_limit || kind == Kind::serve || kind == Kind::dev) return;
  scene.wrong(RuleId::no_ttl_or_deadline, model::Field::kind,
              "without `time-limit` the job has no deadline, and a job that hangs keeps its GPUs");
}

void check_shm(const SpecScene& scene, const RolePlan& role) {
  const auto& shm = role.role->resources.shm;
  if (!shm || !role.memory || shm->value < *role.memory) return;
  const auto [asked, whole] = in_one_unit(shm->value, *role.memory);
  scene.wrong_at(
      RuleId::shm_unsized, shm->span, scene.field_in(*role.role, model::Field::resources_shm),
      "`shm = " + asked + "` is the whole memory of the pod, " + whole + ", and its contents count towards it");
}

// ---- services ----------------------------------------------------------------------------------------

// GPUs that a role may have at most, against those of the pools and of the tenant's quota.
void check_bounds(const SpecScene& scene, const plan::Plan& plan, const RolePlan& role) {
  const auto& replicas = role.role->replicas;
  if (!scene.workload.scale || !replicas || role.gpus == 0 || role.allowed.empty()) return;
  const std::int64_t most = plan::demand_of(scene.workload, *role.role).gpus_at_most();
  std::int64_t fleet = 0, quota = 0;
  const model::Tenant* tenant = plan::tenant_of(scene.workload, *plan.site, *plan.plane, plan.queue);
  std::optional<model::Tenant> held;
  if (tenant != nullptr) held = plan::with_ceilings(*tenant, *plan.site, *plan.plane);
  for (const model::Pool* pool : role.allowed) {
    const std::int64_t all = pool->gpu ? pool->node_count * pool->gpu->count : 0;
    const auto bound = held ? bound_of(*held, pool->name) : std::nullopt;
    fleet += all, quota += std::min(all, bound.value_or(all));
  }
  if (most <= quota) return;
  Finding& f = scene.wrong(
      RuleId::autoscaler_bounds, scene.field_in(*role.role, model::Field::replicas),
      "up to " + std::to_string(replicas->value.high) + " replicas request " + counted(most, "GPU") + ", but " +
          (quota < fleet ? "tenant `" + tenant->name + "` can use " : "the pools have ") + std::to_string(quota),
      "the rest stays pending");
  if (quota < fleet) f.labels.push_back({tenant->span, "its quota"});
}

bool asks_for_key(const model::Workload& workload, const Role& role) {
  const auto is_key = [](std::string_view word) { return word.starts_with("--api-key"); };
  const auto arguments = arguments_of(role);
  if (std::any_of(arguments.begin(), arguments.end(), [&](const auto& w) { return is_key(w.value); })) return true;
  if (workload.serve && std::any_of(workload.serve->args.begin(), workload.serve->args.end(),
                                    [&](const auto& w) { return is_key(w.value); }))
    return true;
  const auto holds_key = [](const model::Secret& s) { return s.env && s.env->value.ends_with("API_KEY"); };
  return script_of(role).find("--api-key") != std::string_view::npos ||
         std::any_of(role.secrets.begin(), role.secrets.end(), holds_key);
}

void check_server(const SpecScene& scene, const Role& role) {
  const auto ready = [](const model::Probe& p) { return p.kind == model::ProbeKind::readiness; };
  if (!role.ports.empty() && std::none_of(role.probes.begin(), role.probes.end(), ready))
    scene.wrong(RuleId::no_readiness, scene.field_in(role, {model::Field::port_number, role.ports.front().name}),
                "the service has no `probe readiness`", "it receives traffic as soon as its process starts");
  for (const model::Port& port : role.ports)
    if (port.is_public && !asks_for_key(scene.workload, role))
      scene.wrong_at(RuleId::exposed_service, port.span, scene.field_in(role, {model::Field::port_public, port.name}),
                     "port `" + port.name + "` is public, and the server does not require authentication");
}

}  // namespace

void check_pods(const SpecScene& scene) {
  for (const Role& role : scene.workload.roles) check_pin(scene, role);
  if (!scene.result.plan || scene.result.plan->plane == nullptr) return;
  const plan::Plan& plan = *scene.result.plan;
  const bool pods = plan.plane->pods() != nullptr;
  for (const RolePlan& role : plan.roles) {
    check_arch(scene, plan, role);
    if (pods) check_shm(scene, role);
  }
  if (pods) check_end(scene);
}

void check_service(const SpecScene& scene) {
  if (scene.workload.kind.value != Kind::serve) return;
  for (const Role& role : scene.workload.roles)
    if (!role.ports.empty()) check_server(scene, role);
  const Role& first = scene.workload.main();
  if (first.copies() == 1 && (!first.replicas || first.replicas->value.high == 1))
    scene.wrong(RuleId::single_replica,
                scene.key(model::Field::replicas).known() ? model::Field::replicas : model::Field::kind,
                "the service has one replica and is unavailable while its node is down or it reloads its model");
  if (!scene.result.plan || scene.result.plan->plane == nullptr || scene.context.site == nullptr) return;
  for (const RolePlan& role : scene.result.plan->roles) check_bounds(scene, *scene.result.plan, role);
}

}  // namespace muster::lint
