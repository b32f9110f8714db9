#include "targets/kubernetes/gang_topology.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "targets/kubernetes/report.h"

namespace muster::targets::kubernetes {
namespace {

const model::TopologyLevel* level_of(const Draft& draft, model::Within within) {
  for (const model::TopologyLevel& level : draft.pods.levels)
    if (level.name == model::name(within)) return &level;
  return nullptr;
}

// The topology of a role whose replicas have several pods: one pod is in a domain wherever it is.
const model::Topology* asked_by(const plan::RolePlan& role) {
  const auto& topology = role.role->topology;
  const auto& nodes = role.role->resources.nodes;
  const bool several = role.nodes > 1 || (nodes && nodes->value.high > 1);
  return topology && several && topology->within.value != model::Within::fleet ? &*topology : nullptr;
}

const plan::RolePlan* asking_role(const Draft& draft) {
  const auto& roles = draft.plan.roles;
  const auto found = std::find_if(roles.begin(), roles.end(), [](const auto& r) { return asked_by(r) != nullptr; });
  return found == roles.end() ? nullptr : &*found;
}

// Whether the role is one that asks, or any of the workload's is where the field is written for all.
bool asks(const Draft& draft, const std::string& role) {
  const auto& roles = draft.plan.roles;
  return std::any_of(roles.begin(), roles.end(), [&](const plan::RolePlan& one) {
    return (role.empty() || one.role->name == role) && asked_by(one) != nullptr;
  });
}

// The fields of `topology`, as the workload or a role wrote them, of roles that it says something of.
std::vector<FieldRef> topology_fields(const Draft& draft) {
  std::vector<FieldRef> out;
  for (const model::WrittenField& written : draft.workload.written)
    if (is_or_below(written.field.field, model::Field::topology) && asks(draft, written.field.role))
      out.push_back(written.field);
  return out;
}

// Whether more pods start together than the role's replica has. Replicas of a service start each by itself.
bool is_part_of_gang(const Draft& draft, const plan::RolePlan& role) {
  if (draft.workload.kind.value == model::Kind::serve) return false;
  std::int64_t pods = 0;
  for (const plan::RolePlan& one : draft.plan.roles) pods += one.total();
  return pods > role.nodes;
}

constexpr const char* all_near = "all replicas are kept near each other, not each by itself";

}  // namespace

const model::Topology* topology_of(const Draft& draft) {
  if (const plan::RolePlan* role = asking_role(draft)) return asked_by(*role);
  return draft.near ? &*draft.near : nullptr;
}

std::string level_label(const Draft& draft, model::Within within) {
  if (const model::TopologyLevel* level = level_of(draft, within); level != nullptr && level->label)
    return level->label->value;
  switch (within) {
    case model::Within::node: return "kubernetes.io/hostname";
    case model::Within::nvlink_domain: return "nvidia.com/gpu.clique";
    case model::Within::zone: return "topology.kubernetes.io/zone";
    case model::Within::leaf:
    case model::Within::block:
    case model::Within::fleet: break;
  }
  return {};
}

std::string near_label(Draft& draft, const model::Topology& topology) {
  const std::string label = level_label(draft, topology.within.value);
  const std::string level(model::name(topology.within.value));
  if (label.empty())
    cannot_place(draft, topology, "plane `" + draft.plane.name + "` does not declare the node label for a " + level,
                 "add `level " + level + " { label = \"…\" }` to the plane");
  return label;
}

bool serves_gang(Draft& draft, const model::Topology& topology) {
  const plan::RolePlan* role = asking_role(draft);
  if (role == nullptr || !topology.required || !is_part_of_gang(draft, *role)) return true;
  const std::string one = "one " + std::string(model::name(topology.within.value));
  cannot_place(draft, topology,
               "the plane's gang scheduler would keep the whole gang in " + one + ", but `topology` asks for " + one +
                   " for each replica",
               "remove `required`, or set `gang = kueue` on a plane where it is installed");
  return false;
}

// Segments, smaller domains inside the one that is asked for, are words of Kueue alone.
void report_topology(Draft& draft, const std::string& as) {
  const plan::RolePlan* role = asking_role(draft);
  const bool more = role != nullptr && is_part_of_gang(draft, *role);
  for (const FieldRef& field : topology_fields(draft)) {
    if (is_segment(field.field))
      draft.loss.approximated(field, "nothing", "the plane's gang scheduler places the whole gang, not its segments");
    else if (more) draft.loss.approximated(field, as, all_near);
    else draft.loss.exact(field, as);
  }
}

void cannot_place(Draft& draft, const model::Topology& topology, const std::string& why, const std::string& help) {
  if (draft.near && &topology == &*draft.near)
    return draft.remarks.push_back(why + ", so the scheduler may use any leaf switch");
  for (const FieldRef& field : topology_fields(draft)) {
    if (topology.required) draft.loss.refused(field, why);
    else draft.loss.approximated(field, "nothing", why);
  }
  if (!topology.required) return;
  draft.diagnostics.add(Code::target_refuses, topology.span, why).notes.push_back(help);
}

void refuse_topology(Draft& draft, const std::string& why, const std::string& help) {
  if (const model::Topology* topology = topology_of(draft)) cannot_place(draft, *topology, why, help);
}

namespace {

// ---- Kueue

// Whether no node is one of both roles. Without a fleet, whether they ask for GPUs of different models.
bool have_other_nodes(const plan::RolePlan& a, const plan::RolePlan& b) {
  if (a.pool != nullptr && b.pool != nullptr) {
    const plan::Pools mine = a.choice(), other = b.choice();
    return std::find_first_of(mine.begin(), mine.end(), other.begin(), other.end()) == mine.end();
  }
  const auto& mine = a.role->resources.gpu;
  const auto& other = b.role->resources.gpu;
  return mine && other && std::none_of(mine->value.begin(), mine->value.end(), [&](const std::string& model) {
           return std::any_of(other->value.begin(), other->value.end(),
                              [&](const std::string& one) { return equal_ignoring_case(model, one); });
         });
}

bool are_of_one_flavor(const std::vector<plan::RolePlan>& roles) {
  for (std::size_t i = 1; i < roles.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (have_other_nodes(roles[i], roles[j])) return false;
  return true;
}

// Kueue looks for a domain for each kind of pods by itself, unless they are of one group: a leader and its workers.
// All pods of a group are of one flavor. keps/2724-topology-aware-scheduling, "Cross-PodSet Topology Aware scheduling".
// Why they cannot be one; empty: they can.
std::string why_no_kueue_group(const Draft& draft, const model::Topology& topology,
                               std::span<const GangMember> members) {
  if (members.size() != 2 || (members[0].pods != 1 && members[1].pods != 1))
    return "Kueue keeps two kinds of pods in one domain only if one of them is a single pod";
  if (!are_of_one_flavor(draft.plan.roles))
    return "Kueue keeps two kinds of pods in one domain only on nodes of one flavor, and theirs are of different pools";
  if (topology.segment) return "Kueue does not place segments of a gang that has two kinds of pods in one domain";
  const bool keeps = has_feature(draft.plane, "kueue", "kueue.x-k8s.io/podset-group-name").value_or(true);
  return keeps ? "" : "Kueue keeps two kinds of pods in one domain since release 0.13";
}

// Whether the pods of all members, which are of one replica, are placed in one domain.
bool places_together(Draft& draft, const model::Topology& topology, std::span<const GangMember> members) {
  if (members.size() == 1) return true;
  const std::string why = why_no_kueue_group(draft, topology, members);
  if (!why.empty() && draft.near) {
    draft.remarks.push_back("each kind of pods is kept near by itself: " + why);
    return false;
  }
  if (!why.empty()) {
    cannot_place(draft, topology, why, "remove `required`: each kind of pods is then placed near by itself");
    return false;
  }
  for (const GangMember& member : members)
    put(annotations_of(*member.pod_template), "kueue.x-k8s.io/podset-group-name", text("gang"));
  return true;
}

// Pods of which every so many lie in one domain of a level.
void put_slices(Draft& draft, Node& annotations, model::Within within, std::int64_t pods) {
  put(annotations, "kueue.x-k8s.io/podset-slice-required-topology", text(level_label(draft, within)));
  put(annotations, "kueue.x-k8s.io/podset-slice-size", text(std::to_string(pods)));
}

// What keeps Kueue from placing one kind of pods; true: it is reported.
bool refused_topology(Draft& draft, const model::Topology& topology, bool several) {
  if (near_label(draft, topology).empty()) return true;
  if (topology.segment && level_label(draft, topology.segment_within.value).empty()) {
    cannot_place(
        draft, topology, "plane `" + draft.plane.name + "` does not declare the node label for the segments' domain",
        "add `level " + std::string(model::name(topology.segment_within.value)) + " { label = \"…\" }` to the plane");
    return true;
  }
  const bool slices = topology.segment || (topology.required && several);
  if (slices && !has_feature(draft.plane, "kueue", "kueue.x-k8s.io/podset-slice-size").value_or(true)) {
    cannot_place(draft, topology, "before release 0.13 Kueue cannot give each replica or segment its own domain",
                 "update Kueue, or make each replica a workload");
    return true;
  }
  if (topology.segment && topology.required && several) {
    cannot_place(draft, topology, "Kueue places segments inside one domain for all replicas, not for each",
                 "make each replica a workload");
    return true;
  }
  return false;
}

// The words for one kind of pods, of replicas of so many. Kueue places all of them in the domain that is asked for, so
// that a required one is asked of slices instead, each of which is a replica.
void put_kueue_topology(Draft& draft, Node& annotations, const model::Topology& topology, std::int64_t replica,
                        bool several) {
  const std::string label = level_label(draft, topology.within.value);
  if (several && topology.required) return put_slices(draft, annotations, topology.within.value, replica);
  put(annotations,
      topology.required ? "kueue.x-k8s.io/podset-required-topology" : "kueue.x-k8s.io/podset-preferred-topology",
      text(label));
  if (topology.segment) put_slices(draft, annotations, topology.segment_within.value, topology.segment->value);
}

void report_kueue_topology(Draft& draft, const model::Topology& topology, bool several) {
  const std::string as = "topology-aware scheduling of Kueue by " + level_label(draft, topology.within.value);
  for (const FieldRef& field : topology_fields(draft)) {
    if (several && !topology.required) draft.loss.approximated(field, as, all_near);
    else draft.loss.exact(field, as);
  }
}

// Roles that have pods of their own in the object, each of which asks for itself.
bool place_roles(Draft& draft, std::span<const GangMember> members) {
  bool several = false;
  for (const GangMember& member : members) {
    const model::Topology* topology = asked_by(*member.role);
    if (topology == nullptr) continue;
    const bool has_several = member.pods > member.role->nodes;
    if (refused_topology(draft, *topology, has_several)) return false;
    put_kueue_topology(draft, annotations_of(*member.pod_template), *topology, member.role->nodes, has_several);
    several |= has_several;
  }
  report_kueue_topology(draft, *topology_of(draft), several);
  return true;
}

}  // namespace

bool kueue_topology(Draft& draft, std::span<const GangMember> members) {
  const model::Topology* topology = topology_of(draft);
  if (topology == nullptr) return false;
  const bool by_role = std::all_of(members.begin(), members.end(), [](const auto& m) { return m.role != nullptr; });
  if (by_role && asking_role(draft) != nullptr) return place_roles(draft, members);
  if (refused_topology(draft, *topology, false) || !serves_gang(draft, *topology)) return false;
  for (const GangMember& member : members)
    put_kueue_topology(draft, annotations_of(*member.pod_template), *topology, member.pods, false);
  const plan::RolePlan* role = asking_role(draft);
  const bool more = role != nullptr && is_part_of_gang(draft, *role);
  if (places_together(draft, *topology, members)) report_kueue_topology(draft, *topology, more);
  return true;
}

Node volcano_topology(Draft& draft) {
  const model::Topology* topology = topology_of(draft);
  if (topology == nullptr) return nothing();
  const Gate& gate = object_gate("scheduling.volcano.sh", "PodGroup", "spec.networkTopology");
  if (draft.near && !has(draft.plane, gate.component, gate.in)) {
    cannot_place(draft, *topology, "this release of Volcano does not place by topology", {});
    return nothing();
  }
  const model::TopologyLevel* level = level_of(draft, topology->within.value);
  if (level == nullptr || !level->tier) {
    const std::string name(model::name(topology->within.value));
    cannot_place(draft, *topology, "plane `" + draft.plane.name + "` does not declare the Volcano tier for a " + name,
                 "add `level " + name + " { tier = … }` to the plane");
    return nothing();
  }
  if (!serves_gang(draft, *topology)) return nothing();
  report_topology(draft, "networkTopology of Volcano");
  return map(
      {{"mode", text(topology->required ? "hard" : "soft")}, {"highestTierAllowed", number(level->tier->value)}});
}

}  // namespace muster::targets::kubernetes
