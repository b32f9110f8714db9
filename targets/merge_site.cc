// Fragments of one site, from several scripts, as one.
#include <algorithm>

#include "targets/imported.h"

namespace muster::targets {
namespace {

bool same_text(const model::Optional<std::string>& a, const model::Optional<std::string>& b) {
  return a.has_value() == b.has_value() && (!a || a->value == b->value);
}

bool same_queue(const model::Queue& a, const model::Queue& b) {
  return a.plane_name == b.plane_name && a.plane == b.plane && same_text(a.pod, b.pod) && same_text(a.qos, b.qos) &&
         same_text(a.reservation, b.reservation) && same_text(a.constraint, b.constraint);
}

// The name, or the name with the first number that is free.
template <class Taken>
std::string free_name(const std::string& wanted, const Taken& taken) {
  std::string name = wanted;
  for (int number = 2; taken(name); ++number) name = wanted + "-" + std::to_string(number);
  return name;
}

void merge_queue(model::Site& site, model::Queue queue, model::Workload& workload) {
  const auto known =
      std::find_if(site.queues.begin(), site.queues.end(), [&](const model::Queue& q) { return same_queue(q, queue); });
  const bool named = !workload.queues.empty() && workload.queues.front().value == queue.name;
  if (known != site.queues.end()) {
    if (named) workload.queues.front().value = known->name;
    return;
  }
  queue.name = free_name(queue.name, [&](const std::string& name) {
    return std::any_of(site.queues.begin(), site.queues.end(), [&](const model::Queue& q) { return q.name == name; });
  });
  if (named) workload.queues.front().value = queue.name;
  site.queues.push_back(std::move(queue));
}

void merge_tenant(model::Site& site, const model::Tenant& tenant) {
  const auto known = std::find_if(site.tenants.begin(), site.tenants.end(),
                                  [&](const model::Tenant& t) { return t.name == tenant.name; });
  if (known == site.tenants.end()) return site.tenants.push_back(tenant);
  for (const auto& account : tenant.accounts) {
    const bool there = std::any_of(known->accounts.begin(), known->accounts.end(),
                                   [&](const auto& a) { return a.value == account.value; });
    if (!there) known->accounts.push_back(account);
  }
}

// `V100` and `v100` are two words of Slurm and one model of the language: the second gets a name of its own.
void merge_gpu(model::Site& site, model::GpuDialect gpu, model::Workload& workload) {
  const auto word = [](const model::GpuDialect& g) {
    return g.gres ? g.gres->value : g.label ? g.label->value : g.model;
  };
  const auto same = [&](const model::GpuDialect& g) { return word(g) == word(gpu); };
  const auto known = std::find_if(site.gpus.begin(), site.gpus.end(), same);
  std::string name;
  if (known != site.gpus.end()) {
    name = known->model;
  } else {
    name = free_name(gpu.model, [&](const std::string& n) {
      return std::any_of(site.gpus.begin(), site.gpus.end(), [&](const model::GpuDialect& g) { return g.model == n; });
    });
  }
  for (model::Role& role : workload.roles)
    if (auto& asked = role.resources.gpu) std::replace(asked->value.begin(), asked->value.end(), gpu.model, name);
  if (known != site.gpus.end()) return;
  gpu.model = std::move(name);
  site.gpus.push_back(std::move(gpu));
}

bool same_texts(const std::vector<model::Located<std::string>>& a, const std::vector<model::Located<std::string>>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.value == y.value; });
}

bool same_software(const model::SoftwareSpec& a, const model::SoftwareSpec& b) {
  const bool same_prelude = a.prelude.has_value() == b.prelude.has_value() &&
                            (!a.prelude || a.prelude->value.bytes == b.prelude->value.bytes);
  return same_texts(a.modules, b.modules) && same_texts(a.module_use, b.module_use) && a.purge == b.purge &&
         same_text(a.conda, b.conda) && same_text(a.venv, b.venv) && same_prelude;
}

// Scripts that load the same have one software.
void merge_software(model::Site& site, const std::string& name, const model::SoftwareSpec& spec,
                    model::Workload& workload) {
  const auto known = std::find_if(site.software.begin(), site.software.end(),
                                  [&](const auto& s) { return same_software(s.second, spec); });
  const std::string own = known != site.software.end() ? known->first : free_name(name, [&](const std::string& n) {
    return std::any_of(site.software.begin(), site.software.end(), [&](const auto& s) { return s.first == n; });
  });
  if (known == site.software.end()) site.software.emplace_back(own, spec);
  auto& used = workload.roles.front().software;
  if (used && std::holds_alternative<std::string>(used->value)) used->value = own;
}

void fill_in(model::SiteSecret& into, const model::SiteSecret& from) {
  if (!into.object) into.object = from.object;
  if (!into.key) into.key = from.key;
  if (!into.file) into.file = from.file;
  if (!into.env) into.env = from.env;
}

// One secret may be a variable of jobs and an object of pods. What is not the same has a name of its own.
void merge_secret(model::Site& site, model::SiteSecret secret, model::Workload& workload) {
  const auto agree = [](const auto& a, const auto& b) { return !a || !b || a->value == b->value; };
  const std::string before = secret.name;
  const auto known = std::find_if(site.secrets.begin(), site.secrets.end(),
                                  [&](const model::SiteSecret& s) { return s.name == before; });
  if (known != site.secrets.end() && agree(known->object, secret.object) && agree(known->key, secret.key) &&
      agree(known->file, secret.file) && agree(known->env, secret.env)) {
    model::NamedList<model::SiteSecret> merged;
    for (model::SiteSecret s : site.secrets) {
      if (s.name == before) fill_in(s, secret);
      merged.push_back(std::move(s));
    }
    site.secrets = std::move(merged);
    return;
  }
  secret.name = free_name(before, [&](const std::string& n) {
    return std::any_of(site.secrets.begin(), site.secrets.end(),
                       [&](const model::SiteSecret& s) { return s.name == n; });
  });
  for (model::Role& role : workload.roles)
    for (model::Secret& used : role.secrets)
      if (used.name == before) used.name = secret.name;
  site.secrets.push_back(std::move(secret));
}

bool same_storage(const model::Storage& a, const model::Storage& b) {
  return same_text(a.pvc, b.pvc) && same_text(a.host_path, b.host_path) && a.path.value == b.path.value;
}

// Storage of one name that is not the same has a name of its own, in the mounts too.
void merge_storage(model::Site& site, model::Storage storage, model::Workload& workload) {
  const auto same = std::find_if(site.storage.begin(), site.storage.end(),
                                 [&](const model::Storage& s) { return same_storage(s, storage); });
  const std::string before = storage.name;
  if (same != site.storage.end()) {
    storage.name = same->name;
  } else {
    storage.name = free_name(storage.name, [&](const std::string& n) {
      return std::any_of(site.storage.begin(), site.storage.end(),
                         [&](const model::Storage& s) { return s.name == n; });
    });
  }
  for (model::Role& role : workload.roles)
    for (model::Mount& mount : role.mounts)
      if (mount.name == before) mount.name = storage.name;
  if (same == site.storage.end()) site.storage.push_back(std::move(storage));
}

// One file has one name, and a name one file.
void merge_image(model::Site& site, model::ImageName image, model::Workload& workload) {
  const auto same = std::find_if(site.images.begin(), site.images.end(),
                                 [&](const model::ImageName& i) { return i.ref.value == image.ref.value; });
  const std::string before = image.name;
  if (same != site.images.end()) image.name = same->name;
  else
    image.name = free_name(image.name, [&](const std::string& n) {
      return std::any_of(site.images.begin(), site.images.end(),
                         [&](const model::ImageName& i) { return i.name == n; });
    });
  for (model::Role& role : workload.roles)
    if (role.image && role.image->value == before) role.image->value = image.name;
  if (same == site.images.end()) site.images.push_back(std::move(image));
}

// The classes of a priority, of pods and of the queue, may come from two files. One of a name that means another class
// has a name of its own.
void merge_priority(model::Site& site, model::Priority priority, model::Workload& workload) {
  const auto agree = [](const auto& a, const auto& b) { return !a || !b || a->value == b->value; };
  const auto same = [&](const model::Priority& p) {
    return p.name == priority.name && agree(p.priority_class, priority.priority_class) &&
           agree(p.queue_class, priority.queue_class) && agree(p.qos, priority.qos);
  };
  const std::string before = priority.name;
  if (std::none_of(site.priorities.begin(), site.priorities.end(), same))
    priority.name = free_name(before, [&](const std::string& n) {
      return std::any_of(site.priorities.begin(), site.priorities.end(),
                         [&](const model::Priority& p) { return p.name == n; });
    });
  if (workload.priority && workload.priority->value == before) workload.priority->value = priority.name;
  model::NamedList<model::Priority> merged;
  bool there = false;
  for (model::Priority p : site.priorities) {
    if (p.name == priority.name) {
      there = true;
      if (!p.priority_class) p.priority_class = priority.priority_class;
      if (!p.queue_class) p.queue_class = priority.queue_class;
      if (!p.qos) p.qos = priority.qos;
    }
    merged.push_back(std::move(p));
  }
  if (!there) merged.push_back(priority);
  site.priorities = std::move(merged);
}

// Whether two planes may be one.
bool same_plane(const model::Plane& a, const model::Plane& b) {
  if (a.traits().family != b.traits().family) return false;
  if (a.pods() == nullptr || b.pods() == nullptr) return true;
  const auto none = model::GangProvider::none;
  const bool gang = a.pods()->gang == b.pods()->gang || a.pods()->gang == none || b.pods()->gang == none;
  return gang && same_text(a.pods()->name_space, b.pods()->name_space);
}

// What a plane of the fragment adds to one of the site, or the plane itself. Returns its name in the site.
std::string merge_plane(model::Site& site, const model::Plane& plane) {
  const auto own =
      std::find_if(site.planes.begin(), site.planes.end(), [&](const model::Plane& p) { return same_plane(p, plane); });
  if (own == site.planes.end()) {
    model::Plane added = plane;
    added.name = free_name(plane.name, [&](const std::string& n) {
      return std::any_of(site.planes.begin(), site.planes.end(), [&](const model::Plane& p) { return p.name == n; });
    });
    site.planes.push_back(std::move(added));
    return site.planes.back().name;
  }
  if (own->batch() != nullptr && plane.batch() != nullptr) {
    own->batch()->login_shell |= plane.batch()->login_shell;
    if (own->batch()->mpi == model::BatchPlane{}.mpi) own->batch()->mpi = plane.batch()->mpi;
  }
  if (own->pods() != nullptr && own->pods()->gang == model::GangProvider::none) own->pods()->gang = plane.pods()->gang;
  if (plane.gpu_request == model::GpuRequest::gres) own->gpu_request = model::GpuRequest::gres;
  own->version.value = std::max(own->version.value, plane.version.value);
  return own->name;
}

// One script that does not ask for an amount leaves it to the site; those that do say so themselves.
void merge_defaults(model::Site& site, const model::Site& fragment) {
  if (!fragment.defaults) return;
  if (!site.defaults) {
    site.defaults = fragment.defaults;
    return;
  }
  model::Resources& into = site.defaults->roles.front().resources;
  const model::Resources& from = fragment.defaults->roles.front().resources;
  if (!into.cpus) into.cpus = from.cpus;
  if (!into.memory) into.memory = from.memory;
  if (!site.defaults->retry_default) site.defaults->retry_default = fragment.defaults->retry_default;
}

}  // namespace

void merge_site(model::Site& site, const model::Site& fragment, model::Workload& workload) {
  const std::string first = site.planes.empty() ? std::string() : site.planes.front().name;
  const std::size_t before = site.planes.size();
  std::string home;
  for (const model::Plane& plane : fragment.planes) home = merge_plane(site, plane);
  // With a second plane, each queue is of the plane whose files named it.
  if (site.planes.size() > 1)
    for (model::Queue& queue : site.queues)
      if (queue.plane.empty() && before > 0) queue.plane = first;
  for (model::Queue queue : fragment.queues) {
    if (site.planes.size() > 1) queue.plane = home;
    merge_queue(site, std::move(queue), workload);
  }
  for (const model::Storage& storage : fragment.storage) merge_storage(site, storage, workload);
  for (const model::ImageName& image : fragment.images) merge_image(site, image, workload);
  for (const model::Priority& priority : fragment.priorities) merge_priority(site, priority, workload);
  for (const model::Tenant& tenant : fragment.tenants) merge_tenant(site, tenant);
  for (const model::GpuDialect& gpu : fragment.gpus) merge_gpu(site, gpu, workload);
  for (const auto& [name, spec] : fragment.software) merge_software(site, name, spec, workload);
  for (const model::SiteSecret& secret : fragment.secrets) merge_secret(site, secret, workload);
  merge_defaults(site, fragment);
}

}  // namespace muster::targets
