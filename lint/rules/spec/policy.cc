// SEC001 secret-in-env, QTA001 tenant-without-quota, QTA002 queue-unset, PRT001 absolute-path: whose a workload is,
// what it gives away, and what it knows of one cluster only.
#include <algorithm>
#include <array>

#include "compiler/base/secret.h"
#include "compiler/base/secret_scan.h"
#include "compiler/base/text.h"
#include "lint/heuristics.h"
#include "lint/rules/site/site.h"
#include "lint/rules/spec/scene.h"
#include "plan/quota/ceilings.h"
#include "plan/quota/tenant.h"

namespace muster::lint {
namespace {

using model::Role;

// ---- SEC001 ------------------------------------------------------------------------------------------

void add_secret(const SpecScene& scene, Span where, const model::FieldRef& field, const std::string& what, bool sure,
                std::string_view secret) {
  Finding& f = scene.wrong_at(RuleId::secret_in_env, where, field,
                              what + " is in plain text, and everyone who can read the file can read it");
  f.notes.push_back(
      "write `secret NAME { env = … }`, and revoke this secret, because it is in the repository's history");
  if (!sure) f.severity = Severity::warning;
  f.secret = secret;
}

void check_secrets(const SpecScene& scene, const Role& role) {
  for (const model::EnvVar& variable : role.env)
    if (!variable.value.bytes.empty() && is_secret(variable.name, variable.value.bytes))
      add_secret(scene, variable.span, scene.field_in(role, {model::Field::env, variable.name}),
                 "`" + variable.name + "`", is_strong(variable.value.bytes), variable.value.bytes);
  for (const auto& word : arguments_of(role))
    if (has_secret_form(word.value))
      add_secret(scene, word.span, scene.field_in(role, model::Field::command), "a token", true, word.value);
  // Of a script's text a finding is no more than a warning.
  const std::string_view script = script_of(role);
  std::string all, first;
  for (const SecretPlace& place : find_secrets(script)) {
    if (!place.sure || !place.strong) continue;
    if (first.empty()) first = place.what;
    all.append(script.substr(place.begin, place.end - place.begin)).append("\n");
  }
  if (!all.empty())
    add_secret(scene, role.program->span, scene.field_in(role, model::Field::script), first + " in the script", false,
               all);
}

// ---- QTA001, QTA002 ----------------------------------------------------------------------------------

// At the tenant, in the words that the site alone has for it.
void check_quotas(const SpecScene& scene, const plan::Plan& plan, const model::Tenant& tenant) {
  if (plan.plane->pods() == nullptr) return;
  const model::Tenant held = plan::with_ceilings(tenant, *scene.context.site, *plan.plane);
  for (const plan::RolePlan& role : plan.roles) {
    auto found = role.pool == nullptr || role.gpus == 0 ? std::nullopt : unbounded(held, *role.pool);
    if (found) return scene.of_site(std::move(found), model::Field::account);
  }
}

void check_tenant(const SpecScene& scene, const plan::Plan& plan) {
  const auto& tenants = scene.context.site->tenants;
  if (tenants.size() < 2) return;
  const model::Tenant* tenant = plan::tenant_of(scene.workload, *scene.context.site, *plan.plane, plan.queue);
  if (tenant != nullptr) return check_quotas(scene, plan, *tenant);
  if (!plan.account.empty()) return;
  Finding& f =
      scene.wrong(RuleId::tenant_without_quota, model::Field::account,
                  std::to_string(tenants.size()) + " tenants share the site, but the workload does not set `account`");
  f.labels.push_back({tenants.front().span, "one of them"});
}

void check_queue(const SpecScene& scene, const plan::Plan& plan) {
  if (plan.queue != nullptr || !scene.workload.queues.empty()) return;
  const auto& queues = scene.context.site->queues;
  const auto of_plane = std::count_if(queues.begin(), queues.end(), [&](const model::Queue& q) {
    return q.plane.empty() || q.plane == plan.plane->name;
  });
  if (of_plane < 2) return;
  scene.wrong(RuleId::queue_unset, model::Field::queue,
              "the workload does not set `queue`, and none of the " + std::to_string(of_plane) + " of plane `" +
                  plan.plane->name + "` is the default");
}

// ---- PRT001 ------------------------------------------------------------------------------------------

// Where clusters keep people's files. What an image may well hold is among them only outside of one.
constexpr std::array<std::string_view, 13> shared_folders = {"home",     "users", "scratch", "lustre", "gpfs",
                                                             "beegfs",   "nfs",   "fsx",     "ceph",   "work",
                                                             "projects", "proj",  "project"};
constexpr std::array<std::string_view, 4> image_folders = {"data", "datasets", "mnt", "shared"};

bool of_one_cluster(std::string_view path, bool in_image) {
  if (!path.starts_with('/') || path.size() < 2) return false;
  const std::size_t slash = path.find('/', 1);
  if (slash == std::string_view::npos || slash + 1 == path.size()) return false;
  const std::string first = lower(path.substr(1, slash - 1));
  const auto has = [&](const auto& folders) {
    return std::find(folders.begin(), folders.end(), first) != folders.end();
  };
  return has(shared_folders) || (!in_image && has(image_folders));
}

bool is_mounted(const Role& role, std::string_view path) {
  return std::any_of(role.mounts.begin(), role.mounts.end(), [&](const model::Mount& m) {
    return path.starts_with(m.path.value) && (path.size() == m.path.value.size() || path[m.path.value.size()] == '/');
  });
}

// "--data=/home/a/b" is the path behind the sign.
std::string_view path_in_word(std::string_view word) {
  return word.starts_with('/') ? word : word.substr(std::min(word.find("=/"), word.size() - 1) + 1);
}

void check_path(const SpecScene& scene, const Role& role, std::string_view path, Span where,
                const model::FieldRef& key) {
  const bool in_image = role.image || (scene.plane() != nullptr && scene.plane()->traits().runs_images);
  if (!of_one_cluster(path, in_image) || is_mounted(role, path)) return;
  scene
      .wrong_at(RuleId::absolute_path, where, scene.field_in(role, key),
                "`" + printable(path, 80) + "` is a path of one cluster")
      .notes.push_back("write `mount NAME { path = … }` for the storage, and pass the program a path inside it");
}

void check_paths(const SpecScene& scene, const Role& role) {
  for (const auto& word : arguments_of(role))
    if (!word.value.empty()) check_path(scene, role, path_in_word(word.value), word.span, model::Field::command);
  for (const model::EnvVar& variable : role.env)
    check_path(scene, role, model::spelling(variable.value), variable.span, {model::Field::env, variable.name});
  if (role.workdir)
    check_path(scene, role, model::spelling(role.workdir->value), role.workdir->span, model::Field::workdir);
}

}  // namespace

void check_policy(const SpecScene& scene) {
  for (const Role& role : scene.workload.roles) check_secrets(scene, role), check_paths(scene, role);
  if (!scene.result.plan || scene.result.plan->plane == nullptr || scene.context.site == nullptr) return;
  check_tenant(scene, *scene.result.plan);
  check_queue(scene, *scene.result.plan);
}

}  // namespace muster::lint
