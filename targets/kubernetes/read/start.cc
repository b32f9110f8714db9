// With how many of an object's pods its scheduler starts: what counts is the group that it makes of them, not its name.
#include "compiler/base/text.h"
#include "compiler/data/read.h"
#include "targets/kubernetes/read/manifest.h"

namespace muster::targets::kubernetes {
namespace {

using model::GangProvider;
using How = Start::How;

Start starts_with_least(const Field& count, const GangProviderRow* provider) {
  const auto least = count.whole();
  return {least ? How::some : How::all, least.value_or(1), count, provider};
}

const GangProviderRow* provider_row(GangProvider provider) { return &gang_provider(provider); }

// Operators of these kinds may make the group themselves, if they were started with the flag for it.
bool may_group(const Object& object) {
  const std::string_view group = group_of(object.api_version);
  return group == "kubeflow.org" || group == "trainer.kubeflow.org" || !object.known->groups.empty() ||
         object.known->work == Work::ray;
}

// The name by which pods say that they belong to a group, and whose group it is.
struct GroupName {
  Field field;
  const GangProviderRow* provider = nullptr;
};

GroupName named_group(const PodTemplate& pods) {
  if (Field name = pods.annotation(gang_provider(GangProvider::volcano).group.key))
    return {name, provider_row(GangProvider::volcano)};
  for (const ProviderMark& mark : gang_provider(GangProvider::coscheduling).marks)
    if (Field name = pods.metadata.get("labels").get(mark.key)) return {name, provider_row(GangProvider::coscheduling)};
  if (Field name = pods.spec.get("schedulingGroup").get("podGroupName"))
    return {name, provider_row(GangProvider::kube_scheduler)};
  if (Field name = pods.spec.get("workloadRef").get("name")) return {name, provider_row(GangProvider::kube_scheduler)};
  return {};
}

// A group that is an object: its size, where the file has it.
std::optional<Start> by_group(const Object& object, const Manifest& manifest) {
  for (const PodTemplate& pods : object.pods) {
    const GroupName name = named_group(pods);
    if (!name.field) continue;
    const auto found = manifest.by_name.find(reference(object.name_space, "PodGroup", name.field.text()));
    const Field least = found == manifest.by_name.end() ? Field{} : minimum_of_group(*found->second);
    if (!least) return Start{How::all, 1, name.field, name.provider};
    Start out = starts_with_least(least, name.provider);
    out.group = found->second;
    return out;
  }
  return std::nullopt;
}

// Gangs of Kubernetes itself that the object says of itself.
std::optional<Start> by_field(const Object& object) {
  if (object.is("batch.volcano.sh", "Job")) {
    const Field least = object.root.at("spec.minAvailable");
    if (least.whole().value_or(0) > 0) return starts_with_least(least, provider_row(GangProvider::volcano));
    // Its webhook fills in the sum.
    return Start{How::all, 1, object.root.get("kind"), provider_row(GangProvider::volcano)};
  }
  for (const char* path :
       {"spec.scheduling.schedulingPolicy.gang", "spec.jobTemplate.spec.scheduling.schedulingPolicy.gang"})
    if (const Field gang = object.root.at(path); gang && group_of(object.api_version) == "batch") {
      const Field least = gang.get("minCount");
      return least ? starts_with_least(least, provider_row(GangProvider::kube_scheduler))
                   : Start{How::all, 1, gang, provider_row(GangProvider::kube_scheduler)};
    }
  for (const Field& job : object.root.at("spec.replicatedJobs").items())
    if (const Field name = job.at("template.metadata.annotations").get("scheduling.k8s.io/group-template-name"))
      return Start{How::all, 1, name, provider_row(GangProvider::kube_scheduler)};
  return std::nullopt;
}

// The annotation or label of an object or its pods.
Field mark_of(const Object& object, std::string_view key) {
  if (Field own = object.annotation(key)) return own;
  if (Field own = object.label(key)) return own;
  for (const PodTemplate& pods : object.pods) {
    if (Field of_pods = pods.annotation(key)) return of_pods;
    if (Field of_pods = pods.metadata.get("labels").get(key)) return of_pods;
  }
  return {};
}

// Kueue admits the object whole; the label of a group of plain pods says the same of them.
std::optional<Start> by_kueue(const Object& object) {
  for (const ProviderMark& mark : gang_provider(GangProvider::kueue).marks)
    if (const Field found = mark_of(object, mark.key))
      return Start{How::all, 1, found, provider_row(GangProvider::kueue)};
  return std::nullopt;
}

// The pods of all groups that YuniKorn is told of; nullopt where the annotation is a template or cannot be read.
std::optional<std::int64_t> pods_of_task_groups(std::string_view annotation) {
  Sources own;
  const data::Document groups = data::read_json(own, own.add("task-groups", std::string(annotation)));
  if (groups.diagnostics.has_errors() || groups.root.items.empty()) return std::nullopt;
  std::int64_t sum = 0;
  for (const data::Node& group : groups.root.items) {
    const data::Node* least = group.get("minMember");
    const auto pods = least == nullptr ? std::nullopt : whole_number(least->text);
    if (!pods || *pods > 1'000'000) return std::nullopt;
    sum += *pods;
  }
  return sum;
}

// What pods that name a scheduler get from it without a group of their own.
Start by_scheduler(const Object& object, const GangProviderRow& row) {
  const bool operated = may_group(object);
  if (row.provider == GangProvider::volcano) {
    // It makes a group of one of them, whose owner may say more.
    if (const Field least = object.annotation("scheduling.volcano.sh/group-min-member"))
      return starts_with_least(least, &row);
    // An operator whose queue is Volcano's makes the group by its own configuration.
    for (const char* queue : {"scheduling.volcano.sh/queue-name", "volcano.sh/queue-name"})
      if (const Field found = mark_of(object, queue); found && operated) return {How::all, 1, found, &row};
  } else if (row.provider == GangProvider::kai) {
    if (const Field least = object.annotation("kai.scheduler/batch-min-member")) return starts_with_least(least, &row);
    if (operated) return {How::all, 1, {}, &row};
    if (object.is("jobset.x-k8s.io", "JobSet")) return {How::unknown, 1, {}, &row};  // as its release does
  } else if (row.provider == GangProvider::yunikorn) {
    if (const Field groups = mark_of(object, "yunikorn.apache.org/task-groups")) {
      const auto pods = pods_of_task_groups(groups.text());
      return {pods ? How::some : How::all, pods.value_or(1), groups, &row};
    }
    if (const Field group = mark_of(object, "yunikorn.apache.org/task-group-name")) return {How::all, 1, group, &row};
  }
  return {operated ? How::unknown : How::alone, 1, {}, &row};
}

}  // namespace

Start start_of(const Object& object, const Manifest& manifest) {
  if (object.known == nullptr) return {How::unknown};
  if (const auto found = by_field(object)) return *found;
  if (const auto found = by_group(object, manifest)) return *found;
  if (const auto found = by_kueue(object)) return *found;
  const SchedulerMark* marked = nullptr;
  const std::vector<SchedulerMark> marks = scheduler_marks(object);
  for (const SchedulerMark& mark : marks) {
    if (mark.provider == nullptr && mark.gang) return {How::all, 1, mark.where};  // KubeRay's own
    if (mark.provider == nullptr && mark.named && mark.where.text() != stock_scheduler)
      return {How::unknown, 1, mark.where};  // under a name that a site gave it
    if (mark.provider != nullptr && (marked == nullptr || mark.named)) marked = &mark;
  }
  if (marked != nullptr) {
    Start out = by_scheduler(object, *marked->provider);
    if (!out.where) out.where = marked->where;
    return out;
  }
  if (const Field policy = object.root.at("spec.runPolicy.schedulingPolicy")) return {How::unknown, 1, policy};
  return {};
}

}  // namespace muster::targets::kubernetes
