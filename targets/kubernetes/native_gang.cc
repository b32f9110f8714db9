// The gangs of Kubernetes itself, which the stock scheduler starts: a Job says that it is one where the Job controller
// makes its group (WorkloadWithJob, 1.37), else a PodGroup stands beside the object and every pod names it.
#include <algorithm>

#include "targets/kubernetes/gang.h"
#include "targets/kubernetes/gang_topology.h"
#include "targets/kubernetes/job_parts.h"
#include "targets/kubernetes/pod.h"

namespace muster::targets::kubernetes {
namespace {

using model::FeatureGate;

bool is_before_1_37(const Draft& draft) { return draft.plane.version.value < model::Version{1, 37}; }

const kubernetes::Kind& kind_of_object(const Node& object) {
  return *kubernetes::find_kind(object.get("apiVersion")->text, object.get("kind")->text);
}

// One required domain, or nothing.
Node native_topology(Draft& draft) {
  const model::Topology* topology = topology_of(draft);
  if (topology == nullptr) return nothing();
  if (!topology->required) {
    cannot_place(draft, *topology, "kube-scheduler only knows a required topology", "set `required = true`");
    return nothing();
  }
  if (!draft.pods.has_gate(FeatureGate::topology_aware_workload_scheduling)) {
    cannot_place(
        draft, *topology, "plane `" + draft.plane.name + "` does not declare the gate for topologies of gangs",
        "add `topology-aware-workload-scheduling` to its `gates` once `TopologyAwareWorkloadScheduling` is on");
    return nothing();
  }
  const std::string label = near_label(draft, *topology);
  if (label.empty() || !serves_gang(draft, *topology)) return nothing();
  report_topology(draft, "schedulingConstraints by " + label);
  return map({{"topology", list({map({{"key", text(label)}})})}});
}

// Pods that are preempted are preempted together: none of them can go on alone.
Node whole_disruption(const Draft& draft) {
  if (!is_before_1_37(draft)) return map({{"all", map({})}});
  return draft.pods.has_gate(FeatureGate::workload_aware_preemption) ? text("PodGroup") : nothing();
}

// The priority of a gang is its group's, whatever its pods say.
Node group_priority(const Draft& draft, const GangMember& member) {
  const Node* priority = member.pod_template->get("spec")->get("priorityClassName");
  const bool known = !is_before_1_37(draft) || draft.pods.has_gate(FeatureGate::workload_aware_preemption);
  return priority == nullptr || !known ? nothing() : *priority;
}

void add_own_group(Draft& draft, std::span<const GangMember> members) {
  const std::string_view version =
      is_before_1_37(draft) ? "scheduling.k8s.io/v1alpha2" : draft.gang_row().group.api_version;
  Node group = draft.object(version, "PodGroup", draft.name);
  put(group, "spec",
      map({{"schedulingPolicy", map({{"gang", map({{"minCount", number(pods_of(members))}})}})},
           {"schedulingConstraints", native_topology(draft)},
           {"disruptionMode", whole_disruption(draft)},
           {"priorityClassName", group_priority(draft, members.front())}}));
  draft.add(std::move(group));
  for (const GangMember& member : members)
    put(at(*member.pod_template, "spec"), "schedulingGroup", map({{"podGroupName", text(draft.name)}}));
}

// In front of the pods, where people look for it. The gang has as many pods as run at once, which is all of them.
void add_scheduling(Draft& draft, Node& job) {
  Node scheduling = map({{"schedulingPolicy", map({{"gang", map({})}})},
                         {"schedulingConstraints", native_topology(draft)},
                         {"disruptionMode", whole_disruption(draft)}});
  std::vector<data::Member>& spec = at(job, "spec").members;
  const auto pods = std::find_if(spec.begin(), spec.end(), [](const data::Member& m) { return m.key == "template"; });
  data::Member member;
  member.key = "scheduling";
  member.value = std::move(scheduling);
  spec.insert(pods, std::move(member));
}

// Roles that start later have no pods yet when the gang is to start, so that it never would.
bool refuse_later_roles(Draft& draft, const kubernetes::Kind& kind) {
  if (kind.work == Work::ray) return false;  // they only wait in the program
  for (const plan::RolePlan& role : draft.plan.roles)
    for (const model::RoleStart& start : role.role->depends_on) {
      if (runs_in_pod(role, start.role)) continue;
      draft.refuse_at(start.span, {model::Field::role_depends_on, start.role, role.role->name},
                      "kube-scheduler starts a gang when all its pods are there, but this role's pods come later",
                      "set `gang = none`, or let the program wait");
      return true;
    }
  return false;
}

// What keeps the pods of this object from being one group.
bool refuse_native(Draft& draft, const Node& object) {
  const kubernetes::Kind& kind = kind_of_object(object);
  if (!kind.gangs.contains(draft.provider)) {
    draft.refuse(model::Field::gang,
                 "kube-scheduler knows a gang by a field of its pods, which a " + std::string(kind.name) +
                     " does not pass on for all of them",
                 "use target `jobset`, or a plane with another gang scheduler");
    return true;
  }
  const Node* groups = kind.groups.empty() ? nullptr : object.at(kind.groups);
  if (groups != nullptr && groups->text != "1") {
    draft.refuse(model::Field::replicas,
                 "the groups of a " + std::string(kind.name) +
                     " share a pod template, so that all would be one gang of kube-scheduler",
                 "set `replicas = 1`, and make each replica a workload");
    return true;
  }
  return refuse_later_roles(draft, kind);
}

// Kubernetes 1.36 makes a gang of each Indexed Job whose pods all run at once; no field asks for it.
bool starts_as_gang(const Node& spec) {
  const Node* pods = spec.get("completions");
  const Node* at_once = spec.get("parallelism");
  return pods != nullptr && at_once != nullptr && pods->text == at_once->text && pods->text != "1";
}

void refuse_unasked_gang(Draft& draft, const Node& object) {
  if (!is_before_1_37(draft) || !draft.pods.has_gate(FeatureGate::workload_with_job)) return;
  bool found = kind_of_object(object).is("batch", "Job") && starts_as_gang(*object.get("spec"));
  if (const Node* jobs = object.at("spec.replicatedJobs"))
    for (const Node& job : jobs->items) found = found || starts_as_gang(*job.at("template.spec"));
  if (!found) return;
  draft.refuse(draft.workload.sweep ? model::Field::sweep : model::Field::replicas,
               "Kubernetes 1.36 with `workload-with-job` starts all pods of such a Job together, or none",
               "let fewer run at once (`max-parallel` of a sweep), or use a plane of version 1.37");
}

void report_native(Draft& draft, const std::string& as) {
  const bool replicas = draft.workload.starts() == model::Gang::replica &&
                        std::any_of(draft.plan.roles.begin(), draft.plan.roles.end(),
                                    [](const plan::RolePlan& role) { return role.role->copies() > 1; });
  if (replicas) draft.approximated(model::Field::gang, as, "all replicas start together, not one by one");
  else draft.exact(model::Field::gang, as);
}

}  // namespace

void add_native_gang(Draft& draft, Node& object, std::span<const GangMember> members) {
  draft.approximated(model::Field::queue, "nothing", "kube-scheduler has no queues");
  if (!needs_gang(draft)) {
    refuse_unasked_gang(draft, object);
    if (const model::Topology* topology = topology_of(draft))
      cannot_place(draft, *topology, "kube-scheduler places only gangs by topology, but these pods start independently",
                   "set `gang = all`");
    return draft.read(model::Field::gang, "pods start independently");
  }
  if (refuse_native(draft, object)) return;
  const bool by_job = kind_of_object(object).is("batch", "Job") && !is_before_1_37(draft) &&
                      draft.pods.has_gate(FeatureGate::workload_with_job);
  if (by_job) add_scheduling(draft, object);
  else add_own_group(draft, members);
  report_native(draft, by_job ? "spec.scheduling of the Job" : "PodGroup of Kubernetes");
  const std::string condition = is_before_1_37(draft) ? "PodGroupScheduled" : "PodGroupInitiallyScheduled";
  remark_admission(draft, "podgroups.scheduling.k8s.io " + (by_job ? "" : draft.name + " ") + "-o yaml  # condition " +
                              condition + ": True");
}

}  // namespace muster::targets::kubernetes
