#include "targets/kubernetes/pod_draft.h"

#include "targets/kubernetes/names.h"

namespace muster::targets::kubernetes {
namespace {

void report_role(PodDraft& pod) {
  pod.read_each(model::Field::parallelism, "the check of degrees against GPUs");
  for (const model::Allow& allow : pod.role.allows) pod.read_each({model::Field::allow, allow.code}, "lint");
  if (pod.role.primary && pod.role.primary->value && pod.draft.plan.roles.size() > 1)
    pod.exact(model::Field::role_primary, "the workload ends when this role ends");
  else pod.read(model::Field::role_primary, "the workload ends when all roles have ended");
}

Node finished(PodDraft& pod) {
  put(pod.container, "env", pod.variables.empty() ? nothing() : list(std::move(pod.variables)));
  if (!pod.workdir.empty()) put(pod.container, "workingDir", text(pod.workdir));
  put(pod.container, "volumeMounts", list(std::move(pod.mounts)));
  if (!pod.init_containers.empty()) put(pod.spec, "initContainers", list(std::move(pod.init_containers)));
  put(pod.spec, "containers", list({std::move(pod.container)}));
  put(pod.spec, "volumes", list(std::move(pod.volumes)));
  Node metadata = map({{"labels", pod.draft.labels_for(pod.role.name)}});
  if (!pod.annotations.members.empty()) put(metadata, "annotations", std::move(pod.annotations));
  return map({{"metadata", std::move(metadata)}, {"spec", std::move(pod.spec)}});
}

// A probe finds what the container's `env` has.
void want_in_probes(PodDraft& pod) {
  for (const model::Probe& probe : pod.role.probes)
    for (const auto& word : probe.command)
      for (const contract::Piece& piece : pieces_of(pod, word.value))
        if (piece.is_variable()) pod.wanted.add(piece.variable);
}

}  // namespace

std::string PodDraft::vendor() const {
  return shape.pool != nullptr && shape.pool->gpu ? shape.pool->gpu->vendor : "nvidia";
}

contract::Wanted wanted_of(const Draft& draft, const plan::RolePlan& shape) {
  const bool slurm = shape.role->launch.compat.value == model::Compat::slurm;
  return slurm ? contract::Wanted::everything() : contract::wanted_by(draft.plan, shape);
}

namespace {

// The pod as one role has it; `node`: what all roles of the pod ask for.
Node pod_of_role(Draft& draft, const plan::RolePlan& node, std::size_t place, const PodOptions& options, Node* into) {
  const plan::RolePlan shape = node.sharing.empty() ? node : own_shape(node, node.sharing[place]);
  PodDraft pod{{draft.workload, draft.diagnostics}, draft, node, shape, *shape.role, options, place};
  const bool named = pod.role.span.known() || draft.plan.roles.size() > 1;
  if (named) pod.role_name = pod.role.name;
  contract::check_wanted(pod, draft.plan, shape);
  pod.wanted = wanted_of(draft, shape);
  pod.object_name = named ? draft.name + "-" + dns_label(pod.role.name) : draft.name;
  if (!options.restart.empty()) put(pod.spec, "restartPolicy", text(options.restart));
  put(pod.container, "name", text(options.container));
  if (into != nullptr) check_beside(pod);
  add_image(pod);
  add_placement(pod);
  add_contract(pod);
  want_in_probes(pod);
  add_environment(pod);
  add_volumes(pod);
  add_code(pod);
  add_fabric(pod);
  add_preflight(pod);
  add_program(pod);
  add_ports(pod);
  add_resources(pod);
  add_probes(pod);
  add_stop(pod);
  mount_config(pod);
  report_role(pod);
  report_start(pod);
  Node out = finished(pod);
  apply_site_settings(pod, out);
  if (into != nullptr) put_beside(pod, *into, std::move(out));
  draft.take_losses(pod.loss);
  return out;
}

}  // namespace

Node make_pod(Draft& draft, const plan::RolePlan& shape, const PodOptions& options) {
  PodOptions own = options;
  // They have the addresses of their pods.
  for (const plan::RolePlan& role : shape.sharing)
    if (options.others.empty())
      own.others.push_back({role.role->name, options.run.head.empty() ? "\"$MUSTER_NODE_ADDR\"" : options.run.head,
                            options.run.hosts.empty() ? "echo \"$MUSTER_NODE_ADDR\"" : options.run.hosts});
  Node out = pod_of_role(draft, shape, 0, own, nullptr);
  for (std::size_t place = 1; place < shape.sharing.size(); ++place)
    pod_of_role(draft, shape, place, options_beside(own, *shape.sharing[place].role), &out);
  return out;
}

Node field_variable(std::string_view name, std::string_view path) {
  return map({{"name", text(name)}, {"valueFrom", map({{"fieldRef", map({{"fieldPath", text(path)}})}})}});
}

std::string counted_hosts(std::int64_t count, std::string_view address) {
  return "i=0; while [ \"$i\" -lt " + std::to_string(count) + " ]; do echo " + std::string(address) +
         "; i=$((i + 1)); done";
}

}  // namespace muster::targets::kubernetes
