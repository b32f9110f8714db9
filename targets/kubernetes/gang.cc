#include "targets/kubernetes/gang.h"

#include <algorithm>

#include "compiler/model/coupling.h"
#include "targets/kubernetes/gang_topology.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/report.h"

namespace muster::targets::kubernetes {
namespace {

using model::GangProvider;

// "kubectl -n team get", for a person to type.
std::string kubectl_get(const Draft& draft) {
  return "kubectl" + (draft.name_space.empty() ? "" : " -n " + draft.name_space) + " get ";
}

void remark(Draft& draft, const std::string& command) {
  draft.remarks.push_back("to check that the whole gang was admitted: " + command);
}

}  // namespace

void report_group(Draft& draft, const std::string& group) {
  if (needs_gang(draft)) draft.exact(model::Field::gang, group);
  else draft.read(model::Field::gang, "pods start independently");
}

std::int64_t pods_of(std::span<const GangMember> members) {
  std::int64_t out = 0;
  for (const GangMember& member : members) out += member.pods;
  return out;
}

namespace {

void add_none(Draft& draft) {
  if (needs_gang(draft) && !draft.options.any_gang)
    return draft.refuse_at(
        draft.span_of(model::Field::gang), model::Field::gang,
        "the pods of this gang must start together, but plane `" + draft.plane.name + "` has no gang scheduler",
        "set `gang = kueue` (or volcano, kai, yunikorn, coscheduling, kube-scheduler) on a plane where it is "
        "installed");
  if (const model::Topology* topology = topology_of(draft))
    cannot_place(draft, *topology,
                 "plane `" + draft.plane.name + "` has no gang scheduler that places pods by topology",
                 "set `gang = kueue` on a plane where it is installed");
}

// ---- one function a provider

// Whether pods get their GPUs by claims, each of the class that a vendor's driver has.
bool has_claims(const Draft& draft) {
  return draft.plane.gpu_request == model::GpuRequest::dra &&
         std::any_of(draft.plan.roles.begin(), draft.plan.roles.end(), [](const auto& role) { return role.gpus > 0; });
}

// Kueue counts quota. Which nodes have room it asks only where it assigns them; else a pod outside of its queues can
// hold what one of the gang needs.
void report_kueue_gang(Draft& draft, bool places) {
  const std::string as = "Kueue admits the whole gang", held = "the others hold theirs and wait";
  const auto waits = waits_for_pods(draft.plane);
  const std::string then = !waits   ? held + ", unless its `waitForPodsReady` is on"
                           : *waits ? "Kueue stops the whole gang and tries again"
                                    : held;
  if (places && has_claims(draft))
    draft.approximated(model::Field::gang, as,
                       "Kueue does not count the devices of claims on each node; if a pod finds none, " + then);
  else if (places) draft.exact(model::Field::gang, as + " when there is quota and a node for each pod");
  else draft.approximated(model::Field::gang, as, "Kueue reserves quota, not nodes; if a pod finds no node, " + then);
  const std::string nodes = places && !has_claims(draft) ? " and nodes" : "; its pods may still wait for nodes";
  const std::string flavors =
      places ? "; the queue's flavors need a Topology with " + level_label(draft, topology_of(draft)->within.value)
             : "";
  remark(draft,
         kubectl_get(draft) + "workloads.kueue.x-k8s.io  # ADMITTED: the whole gang has quota" + nodes + flavors);
}

bool too_many_for_kueue(Draft& draft, std::size_t roles) {
  const auto most = static_cast<std::size_t>(most_pod_sets(draft.plane));
  if (roles <= most) return false;
  const model::Role& first = *draft.plan.roles.at(std::min(most, draft.plan.roles.size() - 1)).role;
  draft.refuse_at(first.span, {model::Field::role, first.name},
                  "Kueue admits at most " + std::to_string(most) + " roles together, but this workload has " +
                      std::to_string(roles),
                  "merge roles of the same shape, or use another gang scheduler");
  return true;
}

// The kinds that a release of Kueue admits without being told to, and the releases of their operators with which it
// does.
bool refused_by_kueue(Draft& draft, const Node& object) {
  const kubernetes::Kind* kind = kubernetes::find_kind(object.get("apiVersion")->text, object.get("kind")->text);
  if (kind == nullptr) return false;
  if (!kind->kueue.empty() && !kueue_admits(draft.plane, kind->kueue)) {
    const std::string name(kind->kueue);
    draft.refuse(model::Field::queue,
                 "the declared version of Kueue does not admit a " + std::string(kind->name) + " by default",
                 "add `" + name + "` to `integrations.frameworks` of its configuration, and `flags = [\"" + name +
                     "\"]` to `operator kueue`");
    return true;
  }
  const Clash* clash = kind->operator_name.empty() ? nullptr : clash_of(draft.plane, kind->operator_name, "kueue");
  if (clash != nullptr)
    draft.refuse(model::Field::queue, std::string(clash->what), "upgrade the older of the two operators");
  return clash != nullptr;
}

void add_kueue(Draft& draft, Node& object, std::span<const GangMember> members) {
  if (too_many_for_kueue(draft, members.size()) || refused_by_kueue(draft, object)) return;
  const std::string queue = queue_name(draft);
  if (queue.empty() && !needs_gang(draft)) return add_none(draft);
  if (queue.empty())
    return draft.refuse(
        model::Field::queue,
        "Kueue only admits jobs with a queue, but site `" + draft.site.name + "` has none for this workload",
        "add `queue NAME { default = true }` to the site");
  const kubernetes::GangProviderRow& row = draft.gang_row();
  put(labels_of(object), row.queue_key, text(queue));
  if (const auto& priority = draft.workload.priority)
    if (const auto* known = draft.site.priorities.find(priority->value, draft.plane);
        known != nullptr && known->queue_class)
      put(labels_of(object), row.queue_priority_key, text(known->queue_class->value));
  const bool places = kueue_topology(draft, members);
  draft.exact(model::Field::queue, "label " + std::string(row.queue_key) + ": " + queue);
  if (!needs_gang(draft)) return draft.read(model::Field::gang, "pods start one by one");
  report_kueue_gang(draft, places);
  if (has_claims(draft))
    draft.remarks.push_back(
        "Kueue admits claims only if `resources.deviceClassMappings` of its configuration has their class");
}

void use_scheduler(const Draft& draft, std::span<const GangMember> members) {
  for (const GangMember& member : members)
    put(at(*member.pod_template, "spec"), "schedulerName", text(draft.gang_row().scheduler));
}

// The object that tells the provider of the gang, and the pods that name it.
void add_pod_group(Draft& draft, std::span<const GangMember> members, Node spec) {
  const kubernetes::PodGroup& kind = draft.gang_row().group;
  Node group = draft.object(kind.api_version, "PodGroup", draft.name);
  put(group, "spec", std::move(spec));
  draft.add(std::move(group));
  for (const GangMember& member : members)
    put(kind.annotated ? annotations_of(*member.pod_template) : labels_of(*member.pod_template), kind.key,
        text(draft.name));
}

}  // namespace

namespace {

// Of pods that start one by one Volcano makes groups itself; the queue is in their annotation.
void join_volcano_queue(Draft& draft, std::span<const GangMember> members, const std::string& queue) {
  for (const GangMember& member : members)
    if (!queue.empty()) put(annotations_of(*member.pod_template), "scheduling.volcano.sh/queue-name", text(queue));
  draft.exact(model::Field::queue, "annotation scheduling.volcano.sh/queue-name");
  draft.read(model::Field::gang, "pods start independently");
  if (const model::Topology* topology = topology_of(draft))
    cannot_place(draft, *topology, "Volcano places only groups by topology, but these pods start independently",
                 "set `gang = all`");
}

void add_volcano(Draft& draft, std::span<const GangMember> members) {
  use_scheduler(draft, members);
  const std::string queue = queue_name(draft);
  if (!needs_gang(draft)) return join_volcano_queue(draft, members, queue);
  const Node* priority = members.front().pod_template->get("spec")->get("priorityClassName");
  add_pod_group(draft, members,
                map({{"minMember", number(pods_of(members))},
                     {"queue", queue.empty() ? nothing() : text(queue)},
                     {"priorityClassName", priority == nullptr ? nothing() : *priority},  // gangs are preempted by it
                     {"networkTopology", volcano_topology(draft)}}));
  draft.exact(model::Field::queue, "queue of the PodGroup");
  draft.exact(model::Field::gang, "PodGroup of Volcano");
  remark(draft,
         kubectl_get(draft) + "podgroups.scheduling.volcano.sh " + draft.name + "  # Running, with all its members");
}

// Of most kinds KAI knows how many pods there are. Of these it started single pods before some release; since 0.15 an
// annotation has the number. Since 0.16 it is that of a JobSet's Jobs, and a larger one stands for all of them.
constexpr std::string_view counted_for_kai[] = {"Job", "JobSet", "TrainJob"};

void add_kai_gang(Draft& draft, Node& object, std::span<const GangMember> members) {
  const std::string& kind = object.get("kind")->text;
  if (std::find(std::begin(counted_for_kai), std::end(counted_for_kai), kind) == std::end(counted_for_kai)) return;
  const std::string gang = "gang of a " + kind;
  if (draft.needs("kai", gang, "a " + gang + " on KAI", model::Field::gang)) return;
  constexpr std::string_view number_of_pods = "kai.scheduler/batch-min-member";
  if (!draft.lacks(mark_gate(number_of_pods)))
    put(annotations_of(object), std::string(number_of_pods), text(std::to_string(pods_of(members))));
}

void add_kai(Draft& draft, Node& object, std::span<const GangMember> members) {
  use_scheduler(draft, members);
  const std::string queue = queue_name(draft);
  if (queue.empty() && !needs_gang(draft)) return add_none(draft);
  if (queue.empty())
    return draft.refuse(
        model::Field::queue,
        "KAI only schedules pods with a queue, but site `" + draft.site.name + "` has none for this workload",
        "add `queue NAME { default = true }` to the site");
  const std::string_view key = draft.gang_row().queue_key;
  put(labels_of(object), key, text(queue));
  for (const GangMember& member : members) put(labels_of(*member.pod_template), key, text(queue));
  if (needs_gang(draft)) add_kai_gang(draft, object, members);
  draft.exact(model::Field::queue, "label " + std::string(key) + ": " + queue);
  report_group(draft, "PodGroup of KAI");
  if (const model::Topology* topology = topology_of(draft)) {
    const std::string label = near_label(draft, *topology);
    if (!label.empty() && serves_gang(draft, *topology)) {
      put(annotations_of(object), "kai.scheduler/topology", text(draft.plane.name));
      put(annotations_of(object),
          topology->required ? "kai.scheduler/topology-required-placement"
                             : "kai.scheduler/topology-preferred-placement",
          text(label));
      report_topology(draft, "annotations of KAI by " + label + ", Topology " + draft.plane.name);
    }
  }
  if (needs_gang(draft)) remark(draft, kubectl_get(draft) + "podgroups.scheduling.run.ai");
}

// {"cpu":"8","nvidia.com/gpu":"8"}: what one pod asks for, which sizes YuniKorn's placeholders.
std::string min_resource(const Node& pod_template) {
  const Node* spec = pod_template.get("spec");
  const Node* resources = spec->get("containers")->first().get("resources");
  std::string out;
  for (const char* kind : {"requests", "limits"}) {
    const Node* amounts = resources != nullptr ? resources->get(kind) : nullptr;
    for (const data::Member& amount : amounts != nullptr ? amounts->members : std::vector<data::Member>{}) {
      const std::string entry = "\"" + amount.key + "\":";
      if (out.find(entry) == std::string::npos)
        out += (out.empty() ? "" : ",") + entry + "\"" + amount.value.text + "\"";
    }
  }
  return "{" + out + "}";
}

void add_yunikorn(Draft& draft, std::span<const GangMember> members) {
  use_scheduler(draft, members);
  const std::string queue = queue_name(draft);
  std::string groups;
  for (const GangMember& member : members)
    groups += (groups.empty() ? "" : ",") +
              ("{\"name\":\"" + member.group + "\",\"minMember\":" + std::to_string(member.pods)) +
              ",\"minResource\":" + min_resource(*member.pod_template) + "}";
  for (const GangMember& member : members) {
    put(labels_of(*member.pod_template), "applicationId", text(draft.name));
    if (!queue.empty()) put(labels_of(*member.pod_template), draft.gang_row().queue_key, text(queue));
    if (!needs_gang(draft)) continue;
    Node& annotations = annotations_of(*member.pod_template);
    put(annotations, "yunikorn.apache.org/task-group-name", text(member.group));
    put(annotations, "yunikorn.apache.org/task-groups", text("[" + groups + "]"));
    put(annotations, "yunikorn.apache.org/schedulingPolicyParameters",
        text("placeholderTimeoutInSeconds=300 gangSchedulingStyle=Hard"));
  }
  if (!queue.empty()) draft.exact(model::Field::queue, "label queue");
  report_group(draft, "task groups of YuniKorn");
  if (const model::Topology* topology = topology_of(draft))
    cannot_place(draft, *topology, "YuniKorn does not place by topology", "use another gang scheduler");
  if (!needs_gang(draft)) return;
  remark(draft, kubectl_get(draft) + "pods -l applicationId=" + draft.name + "  # no placeholder (tg-…) is left");
}

void add_coscheduling(Draft& draft, std::span<const GangMember> members) {
  draft.approximated(model::Field::queue, "nothing", "coscheduling has no queues");
  if (!needs_gang(draft)) return add_none(draft);
  use_scheduler(draft, members);
  add_pod_group(draft, members,
                map({{"minMember", number(pods_of(members))}, {"scheduleTimeoutSeconds", number(300)}}));
  draft.exact(model::Field::gang, "PodGroup of scheduler-plugins");
  if (const model::Topology* topology = topology_of(draft))
    cannot_place(draft, *topology, "coscheduling does not place by topology", "use another gang scheduler");
  remark(draft, kubectl_get(draft) + "podgroups.scheduling.x-k8s.io " + draft.name);
}

}  // namespace

bool needs_gang(const Draft& draft) {
  const model::Gang gang = draft.workload.starts();
  std::int64_t pods = 0, widest = 0;
  for (const plan::RolePlan& role : draft.plan.roles) {
    pods += role.total();
    widest = std::max(widest, role.nodes);
  }
  if (gang == model::Gang::all) return pods > 1;
  return gang == model::Gang::replica && (widest > 1 || model::coupled_nodes(draft.workload) > 1);
}

std::string queue_name(const Draft& draft) {
  const model::Queue* queue = draft.plan.queue;
  if (queue == nullptr) return {};
  if (!queue->plane_name.empty() || !draft.gang_row().needs_queue || !needs_gang(draft)) return queue->plane_name;
  // A queue without a name of the plane's is in its default one.
  for (const model::Queue& other : draft.site.queues)
    if (other.is_default && (other.plane.empty() || other.plane == draft.plane.name)) return other.plane_name;
  return {};
}

void add_gang(Draft& draft, Node& object, std::span<const GangMember> members) {
  switch (draft.provider) {
    case GangProvider::none: return add_none(draft);
    case GangProvider::kueue: return add_kueue(draft, object, members);
    case GangProvider::volcano: return add_volcano(draft, members);
    case GangProvider::kai: return add_kai(draft, object, members);
    case GangProvider::yunikorn: return add_yunikorn(draft, members);
    case GangProvider::coscheduling: return add_coscheduling(draft, members);
    case GangProvider::kube_scheduler: return add_native_gang(draft, object, members);
  }
}

void remark_admission(Draft& draft, const std::string& what) { remark(draft, kubectl_get(draft) + what); }

}  // namespace muster::targets::kubernetes
