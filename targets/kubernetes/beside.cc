// Roles that run on the nodes of another one are further containers of its pods.
//
// Where the pod runs to completion such a container is a sidecar, an init container that goes on: Kubernetes starts it
// before the program and ends it when the program has ended.
#include <algorithm>

#include "compiler/data/write.h"
#include "targets/kubernetes/job_parts.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/pod_draft.h"
#include "targets/lookup.h"

namespace muster::targets::kubernetes {
namespace {

constexpr std::int64_t longest_start = 3600;  // seconds until it is ready, where no startup probe says it

bool is_sidecar(const PodDraft& pod) { return pod.workload.kind.value != model::Kind::serve; }

bool same(const Node& a, const Node& b) { return data::to_yaml(a) == data::to_yaml(b); }

Node* named(std::vector<Node>& items, const std::string& name) {
  for (Node& item : items)
    if (const Node* own = item.get("name"); own != nullptr && own->text == name) return &item;
  return nullptr;
}

void rename_mounts(Node& container, const std::string& from, const std::string& to) {
  if (container.get("volumeMounts") == nullptr) return;
  for (Node& mount : at(container, "volumeMounts").items)
    if (mount.get("name")->text == from) put(mount, "name", text(to));
}

// The same volume is there once; another one of the same name gets one of its own.
void put_volumes(const std::string& suffix, Node& into, std::vector<Node> volumes, std::vector<Node*> containers) {
  for (Node& volume : volumes) {
    const std::string name = volume.get("name")->text;
    const Node* there = named(at(into, "volumes").items, name);
    if (there != nullptr && same(*there, volume)) continue;
    if (there != nullptr) {
      put(volume, "name", text(name + suffix));
      for (Node* container : containers) rename_mounts(*container, name, name + suffix);
    }
    append(into, "volumes", std::move(volume));
  }
}

// The container behind its name.
Node as_sidecar(Node container) {
  Node out = map({});
  for (data::Member& member : container.members) {
    out.members.push_back(std::move(member));
    if (out.members.size() == 1) put(out, "restartPolicy", text("Always"));
  }
  return out;
}

// In front of the containers, where the pod has none yet.
void put_init(Node& spec, Node container) {
  const auto is = [](std::string_view key) { return [key](const data::Member& m) { return m.key == key; }; };
  auto& keys = spec.members;
  if (std::none_of(keys.begin(), keys.end(), is("initContainers")))
    keys.insert(std::find_if(keys.begin(), keys.end(), is("containers")), {"initContainers", {}, list({})});
  append(spec, "initContainers", std::move(container));
}

const model::RoleStart* waits_for(const model::Role& first, const std::string& name) {
  for (const model::RoleStart& start : first.depends_on)
    if (start.role == name) return &start;
  return nullptr;
}

// The program starts when the sidecar's startup probe has succeeded.
void ready_at_start(PodDraft& pod, Node& container) {
  const model::RoleStart* start = waits_for(*pod.node.role, pod.role.name);
  const Node* readiness = container.get("readinessProbe");
  if (start == nullptr || start->on != model::StartOn::ready || readiness == nullptr) return;
  if (container.get("startupProbe") != nullptr) return;
  Node probe = *readiness;
  const std::int64_t seconds = std::max<std::int64_t>(probe.get("periodSeconds")->integer().value_or(10), 1);
  put(probe, "failureThreshold", number((longest_start + seconds - 1) / seconds));
  put(container, "startupProbe", std::move(probe));
}

}  // namespace

plan::RolePlan own_shape(const plan::RolePlan& node, const plan::RolePlan& program) {
  plan::RolePlan out = node;
  out.role = program.role;
  out.gpus = program.gpus, out.processes = program.processes;
  out.cpus = program.cpus, out.memory = program.memory, out.disk = program.disk;
  out.uses_fabric = program.uses_fabric;
  out.sharing.clear();
  return out;
}

PodOptions options_beside(const PodOptions& options, const model::Role& role) {
  PodOptions out = options;
  out.container = dns_label(role.name);
  if (out.container == options.container) out.container += "-beside";
  out.run.operator_sets_launcher = false;  // for its own container alone
  out.counts_nodes = true;
  return out;
}

void check_beside(PodDraft& pod) {
  const PodOptions& options = pod.options;
  const std::string target = "`" + std::string(pod.draft.target) + "`";
  if (options.one_container || !options.instead.empty() || options.program_text != nullptr)
    pod.refuse(model::Field::role_with, "target " + target + " starts the program of a pod itself, and only one",
               "use target `jobset` or `kubernetes`");
  const model::Runner runner = pod.runner();
  if (runner == model::Runner::mpi || runner == model::Runner::ray)
    pod.refuse(model::Field::launch_runner,
               "runner `" + std::string(model::name(runner)) + "` needs pods of its own, without another role");
  if (find_fabric(pod.draft.plan, pod.shape) != nullptr)
    pod.refuse(model::Field::fabric, "a pod has the fabric once, for role `" + pod.node.role->name + "`",
               "remove `fabric` from this role");
  if (pod.role.preflight && pod.role.preflight->nccl)
    pod.refuse(model::Field::preflight_nccl, "a pod has room for one NCCL test", "remove it from this role");
  for (const FieldRef& field : replica_fields(pod.draft, pod.role)) pod.exact(field, "the pods of the other role");
  if (!is_sidecar(pod)) return pod.exact(model::Field::role_with, "a container of the pod");
  if (pod.draft.needs("kubernetes", "sidecar containers", "a container that ends with the program",
                      {model::Field::role_with, "", pod.role.name}))
    return;
  pod.approximated(model::Field::role_with, "a sidecar of the pod",
                   "it ends with role `" + pod.node.role->name + "`; if it ends before, Kubernetes starts it again");
}

void report_start(PodDraft& pod) {
  for (const model::RoleStart& start : pod.role.depends_on) {
    const FieldRef field{model::Field::role_depends_on, start.role, pod.role.name};
    if (pod.place > 0) {
      pod.refuse_at(start.span, field,
                    "role `" + pod.role.name + "` starts with role `" + pod.node.role->name + "`, in the same pods",
                    "write `depends-on` in role `" + pod.node.role->name + "`");
      continue;
    }
    if (!runs_in_pod(pod.node, start.role)) continue;
    if (!is_sidecar(pod)) pod.refuse_at(start.span, field, "the containers of a service start together");
    else if (start.on == model::StartOn::complete)
      pod.refuse_at(start.span, field, "role `" + start.role + "` ends when this role has ended",
                    "give it nodes of its own, or set `on = ready`");
    else
      for (const FieldRef& key : pod.keys_below(field))
        pod.loss.exact(key, start.on == model::StartOn::ready ? "startupProbe of the sidecar" : "the sidecar");
  }
}

bool runs_in_pod(const plan::RolePlan& role, std::string_view other) {
  return std::any_of(role.sharing.begin(), role.sharing.end(),
                     [&](const plan::RolePlan& one) { return one.role->name == other; });
}

void put_beside(PodDraft& pod, Node& into, Node from) {
  Node& spec = at(into, "spec");
  Node& own = at(from, "spec");
  Node container = std::move(at(own, "containers").items.front());
  std::vector<Node> inits;
  if (own.get("initContainers") != nullptr) inits = std::move(at(own, "initContainers").items);
  std::vector<Node*> containers = {&container};
  for (Node& init : inits) containers.push_back(&init);
  put_volumes("-" + dns_label(pod.role.name), spec, std::move(at(own, "volumes").items), containers);
  for (Node& init : inits) {
    const Node* there = spec.get("initContainers") == nullptr
                            ? nullptr
                            : named(at(spec, "initContainers").items, init.get("name")->text);
    if (there == nullptr) put_init(spec, std::move(init));
    else if (!same(*there, init))
      pod.refuse(model::Field::code, "the roles of a pod have one checkout of `code`",
                 "write the same `code` in both roles, or put it into the image");
  }
  if (own.get("resourceClaims") != nullptr)
    for (Node& claim : at(own, "resourceClaims").items) append(spec, "resourceClaims", std::move(claim));
  for (const data::Member& member : at(from, "metadata").members)
    if (member.key == "annotations") merge(annotations_of(into), member.value);
  ready_at_start(pod, container);
  if (is_sidecar(pod)) put_init(spec, as_sidecar(std::move(container)));
  else append(spec, "containers", std::move(container));
}

}  // namespace muster::targets::kubernetes
