#include "targets/contract/resolve.h"

#include "targets/contract/checks.h"
#include "targets/lookup.h"

namespace muster::targets::contract {
namespace {

using By = CodeSource::By;

std::string name_of(const model::Site& site) { return "site `" + site.name + "`"; }

std::string name_of(const model::Site& site, const model::Plane& plane) {
  return "plane `" + plane.name + "` of " + name_of(site);
}

std::optional<CodeSource> from_git(Account& account, const model::Git& git, const model::Site& site,
                                   const model::Plane& plane, const CodeRules& rules) {
  const model::SiteCode* code = model::code_of(site, plane);
  if (code == nullptr)
    account.refuse(Field::code, name_of(site, plane) + " does not declare how code reaches the nodes (`code`)",
                   rules.help_for_git);
  else if (code->by.value != model::CodeBy::git)
    account.refuse(Field::code, name_of(site, plane) + " does not provide code from git");
  else if (check_git(account, git)) return CodeSource{By::git, &git, {}, {}};
  return std::nullopt;
}

std::optional<CodeSource> from_folder(Account& account, const std::string& folder, const model::Site& site,
                                      const model::Plane& plane, const CodeRules& rules) {
  const model::SiteCode* code = model::code_of(site, plane);
  if (code == nullptr && rules.submission_is_shared) return CodeSource{By::submission, nullptr, folder, {}};
  if (code == nullptr) {
    account.refuse(Field::code, name_of(site, plane) + " does not declare how code reaches the nodes (`code`)",
                   rules.help_for_folder);
    return std::nullopt;
  }
  const std::string root = code->path ? code->path->value : std::string();
  switch (code->by.value) {
    case model::CodeBy::git:
      account.refuse(Field::code, name_of(site, plane) + " only provides code from git",
                     "write `code { git { url = … rev = … } }`");
      return std::nullopt;
    case model::CodeBy::image: return CodeSource{By::image, nullptr, folder, root};
    case model::CodeBy::shared_path: break;
  }
  if (code->path) return CodeSource{By::shared_path, nullptr, folder, root};
  account.refuse_at(code->by.span, Field::code,
                    name_of(site, plane) + " sets `code { by = shared-path }` without a `path`");
  return std::nullopt;
}

}  // namespace

std::optional<CodeSource> code_source(Account& account, const model::Role& role, const model::Site& site,
                                      const model::Plane& plane, const CodeRules& rules) {
  if (!role.code) return std::nullopt;
  if (const auto* git = std::get_if<model::Git>(&role.code->value)) return from_git(account, *git, site, plane, rules);
  return from_folder(account, std::get<std::string>(role.code->value), site, plane, rules);
}

const model::SiteSecret* site_secret(Account& account, const model::Secret& secret, const model::Site& site,
                                     const model::Plane& plane, std::string help) {
  if (const auto* known = site.secrets.find(secret.name, plane)) return known;
  std::vector<std::string_view> names;
  for (const model::SiteSecret& s : site.secrets) names.push_back(s.name);
  account.refuse_at(secret.span, {Field::secret, secret.name}, name_of(site) + " has no secret `" + secret.name + "`",
                    near_or(secret.name, names, std::move(help)));
  return nullptr;
}

void refuse_storage(Account& account, const model::Mount& mount, const model::Site& site, std::string help) {
  std::vector<std::string_view> known;
  for (const model::Storage& storage : site.storage) known.push_back(storage.name);
  account.refuse_at(mount.span, {Field::mount, mount.name}, name_of(site) + " has no storage `" + mount.name + "`",
                    near_or(mount.name, known, std::move(help)));
}

const model::FabricAttachment* fabric_of(Account& account, const plan::Plan& plan, const plan::RolePlan& shape,
                                         std::string_view users, std::string_view key) {
  const model::FabricAttachment* fabric = find_fabric(plan, shape);
  if (fabric != nullptr) return fabric;
  if (shape.role->fabric.value != model::FabricRequest::required) {
    account.read(Field::fabric, "no settings of the site are added");
    return nullptr;
  }
  const std::string pool = shape.pool == nullptr ? "" : shape.pool->fabric;
  if (pool.empty())
    account.refuse(Field::fabric, "no fleet declares a fast network for the nodes",
                   "declare the site's fleet and the `network` of its pools");
  else
    account.refuse(Field::fabric, name_of(*plan.site) + " does not declare how " + std::string(users) + " use " + pool,
                   "add `fabric " + pool + " { " + std::string(key) + " }` to the site");
  return nullptr;
}

}  // namespace muster::targets::contract
