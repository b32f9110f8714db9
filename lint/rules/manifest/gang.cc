// Gangs: whether something starts the pods of a coupled job together, with all of them, in one scheduler.
#include <algorithm>
#include <map>

#include "lint/rules/manifest/scene.h"

namespace muster::lint {
namespace {

using k8s::SchedulerMark;
using k8s::Start;
using k8s::stock_scheduler;
using k8s::Work;
using model::GangProvider;

// Operators of these kinds make the PodGroup themselves if they were started with the flag for it.
bool operator_groups(const Object& object) { return k8s::group_of(object.api_version) == "kubeflow.org"; }

constexpr std::string_view holds = "some pods may hold GPUs and wait for the rest indefinitely";

// What makes one gang of the pods that a scheduler starts each alone.
std::string grouped_by(const k8s::GangProviderRow& row) {
  if (row.provider == GangProvider::volcano)
    return "add the annotation `scheduling.volcano.sh/group-min-member` with the number of pods, or a PodGroup";
  if (row.provider == GangProvider::kai)
    return "add the annotation `kai.scheduler/batch-min-member` with the number of pods";
  if (row.provider == GangProvider::yunikorn) return "add the annotation `yunikorn.apache.org/task-groups` to the pods";
  return "add a PodGroup, and its name to the pods";
}

// Nothing in the file starts its pods together.
void judge_by_site(const ManifestScene& scene, const Object& object, const Field& where, const std::string& gang) {
  const model::Plane* plane = kubernetes_plane(scene.context);
  if (plane == nullptr) {
    Finding& f = scene.wrong(RuleId::gang_required, object, where, gang + ", but nothing in this file starts them so",
                             std::string(holds));
    f.severity = Severity::warning;  // the operator's configuration or a queue of the namespace may
    if (operator_groups(object))
      f.notes.push_back("the operator starts them together only if it runs with `--gang-scheduler-name`");
  } else if (!plane->starts_gangs()) {
    scene.wrong(RuleId::gang_required, object, where, gang + ", but plane `" + plane->name + "` has no gang scheduler",
                std::string(holds));
  } else if (operator_groups(object) && !k8s::gang_provider(plane->pods()->gang).groups_by_owner) {
    scene.cannot_tell(RuleId::gang_required, object, where,
                      gang + "; the operator groups them only if it runs with `--gang-scheduler-name`",
                      "a site declares the flags of the operator");
  } else {
    scene.wrong(RuleId::gang_required, object, where,
                gang + ", but nothing in this file assigns them to " + std::string(name(plane->pods()->gang)),
                std::string(holds));
  }
}

// Its scheduler is named, but makes no group of these pods.
void judge_alone(const ManifestScene& scene, const Object& object, const Start& start, const std::string& gang) {
  Finding& f =
      scene.wrong(RuleId::gang_required, object, start.where,
                  gang + ", but " + std::string(start.provider->title) + " starts each alone", std::string(holds));
  f.notes.push_back(grouped_by(*start.provider));
}

void judge_unknown(const ManifestScene& scene, const Object& object, const Start& start, const Field& where,
                   const std::string& gang) {
  if (start.where.key == "schedulingPolicy")
    scene.cannot_tell(RuleId::gang_required, object, start.where,
                      "`schedulingPolicy` has an effect only if the operator runs with `--gang-scheduler-name`",
                      "a site declares the flags of the operator");
  else
    scene.cannot_tell(RuleId::gang_required, object, where,
                      gang + "; `" + std::string(start.where.key) + "` alone does not make them a group",
                      "the operator may do so, which only a site declares");
}

// An elastic job goes on with as few as its lower bound. A launcher that comes after its one worker waits for nothing
// that waits for it.
std::optional<std::int64_t> needed_together(const Object& object) {
  const bool comes_after = object.root.at("spec.launcherCreationPolicy").text() == "WaitForWorkersReady";
  if (comes_after && pod_count(object) == 2) return 1;
  const auto least = object.root.at("spec.elasticPolicy.minReplicas").whole(), all = pod_count(object);
  return least && all ? std::min(*least, *all) : all;
}

void check_job(const ManifestScene& scene, const Object& object) {
  const auto count = needed_together(object);
  if (!needs_gang(object) || !count || *count < 2) return;
  const Field where = counted_at(object);
  const std::string gang = "the " + std::to_string(*count) + " pods of this job must start together";
  const Start start = k8s::start_of(object, scene.manifest);
  if (start.how == Start::How::unknown) judge_unknown(scene, object, start, where, gang);
  if (start.how != Start::How::alone) return;
  if (start.provider != nullptr) judge_alone(scene, object, start, gang);
  else judge_by_site(scene, object, where, gang);
}

bool is_elastic(const Object& object) {
  if (object.root.at("spec.elasticPolicy")) return true;
  for (const PodTemplate& pods : object.pods)
    for (const k8s::Container& c : pods.containers)
      if (const auto nnodes = option_of(c, {"--nnodes"}); nnodes && nnodes->value.find(':') != std::string::npos)
        return true;
  return false;
}

void too_small(const ManifestScene& scene, const Object& object, const Field& where, std::optional<std::int64_t> least,
               std::int64_t pods) {
  if (!least || *least >= pods) return;
  Finding& f = scene.wrong(RuleId::gang_min_too_small, object, where,
                           "the gang may start with " + std::to_string(*least) + " of the " + std::to_string(pods) +
                               " pods that the job needs",
                           "the others may never be scheduled");
  if (where.aliased || !where.whole()) return;  // a list of groups has several numbers
  // An annotation is a text.
  const bool is_text = where.key.find('/') != where.key.npos;
  const std::string all = is_text ? "\"" + std::to_string(pods) + "\"" : std::to_string(pods);
  f.fix = Fix{"set `" + std::string(where.key) + "` to all pods", false, {{where.span(), all}}};
}

void too_small(const ManifestScene& scene, const Object& object, const Field& minimum, std::int64_t pods) {
  too_small(scene, object, minimum, minimum.whole(), pods);
}

// Volcano creates the pods of a task that depends on another one only when that one runs: a gang that waits for them
// never starts.
std::optional<std::int64_t> created_at_first(const Object& object) {
  std::int64_t sum = 0;
  for (const PodTemplate& pods : object.pods) {
    if (pods.holder.get("dependsOn").node != nullptr) continue;
    if (!pods.count) return std::nullopt;
    sum += *pods.count;
  }
  return sum;
}

bool uses_plugin(const Object& object) {
  const Field plugins = object.root.at("spec.plugins");
  return plugins.get("pytorch").node != nullptr || plugins.get("mpi").node != nullptr;
}

// How many coupled pods of the file belong to each PodGroup.
std::map<std::string, std::int64_t> group_members(const ManifestScene& scene) {
  std::map<std::string, std::int64_t> sums;
  for (const Object& object : scene.manifest.objects) {
    if (!is_coupled(object) || is_elastic(object)) continue;
    for (const PodTemplate& pods : object.pods) {
      const Field annotation = pods.annotation("scheduling.k8s.io/group-name");
      const Field native = pods.spec.get("schedulingGroup").get("podGroupName");
      const std::string_view group = annotation ? annotation.text()
                                     : native   ? native.text()
                                                : pods.label("scheduling.x-k8s.io/pod-group");
      if (!group.empty()) sums[k8s::reference(object.name_space, "PodGroup", group)] += pods.count.value_or(0);
    }
  }
  return sums;
}

// Whether a mark is of another scheduler than the one that is named.
bool contradicts(const SchedulerMark& named, const SchedulerMark& mark) {
  if (mark.named || mark.provider == nullptr || !mark.is_of_scheduler()) return false;
  const bool stock = named.where.text() == stock_scheduler;
  if (stock && mark.provider->scheduler.empty()) return false;  // Kubernetes' own gangs are the stock scheduler's
  const bool known = named.provider != nullptr || stock;
  return known && named.provider != mark.provider;
}

void check_names(const ManifestScene& scene, const Object& object, const std::vector<SchedulerMark>& marks) {
  const auto named = std::find_if(marks.begin(), marks.end(), [](const SchedulerMark& s) { return s.named; });
  if (named == marks.end()) return;
  for (const SchedulerMark& other : marks) {
    const bool other_name = other.named && other.where.text() != named->where.text();
    if (!other_name && !contradicts(*named, other)) continue;
    const std::string what = other_name ? "`" + std::string(other.where.text()) + "`"
                             : other.where.key == "kind"
                                 ? "a Volcano job"
                                 : "`" + std::string(other.where.key) + "` of " + std::string(other.provider->title);
    Finding& f = scene.wrong(RuleId::scheduler_name_mismatch, object, other.where,
                             what + " conflicts with the `schedulerName` `" + std::string(named->where.text()) + "`",
                             other_name ? "two schedulers for the pods of one job" : "that scheduler does not read it");
    f.labels.push_back({named->where.span(), "the scheduler of the pods"});
    return;
  }
}

void check_name_with_site(const ManifestScene& scene, const Object& object, const std::vector<SchedulerMark>& marks) {
  const model::Plane* plane = kubernetes_plane(scene.context);
  if (plane == nullptr) return;
  const k8s::GangProviderRow& own = k8s::gang_provider(plane->pods()->gang);
  if (own.renamed_often) return;
  for (const SchedulerMark& other : marks)
    if (other.named && other.provider != nullptr && !other.provider->renamed_often &&
        other.where.text() != own.scheduler) {
      // Its own jobs are for no other scheduler; only the site knows whether it runs beside the plane's.
      if (object.is("batch.volcano.sh", "Job") && other.provider->provider == GangProvider::volcano) {
        if (!plane->pods()->has_operator("volcano"))
          scene.cannot_tell(RuleId::scheduler_name_mismatch, object, other.where,
                            "`" + plane->name + "` starts gangs with " + std::string(name(plane->pods()->gang)) +
                                "; whether Volcano runs too is not declared",
                            "declare `operator volcano` in the site");
        return;
      }
      Finding& f =
          scene.wrong(RuleId::scheduler_name_mismatch, object, other.where,
                      "`" + std::string(other.where.text()) + "` is not the scheduler of `" + plane->name + "`",
                      "its gang scheduler is " + std::string(name(plane->pods()->gang)) + ", so the pods stay pending");
      f.severity = Severity::error;
      return;
    }
}

}  // namespace

bool wants_gpu(const Object& object) {
  for (const PodTemplate& pods : object.pods)
    for (const k8s::Container& c : pods.containers)
      if (c.has_accelerator()) return true;
  return false;
}

// Ranks of one job, or pods of a group with GPUs: LeaderWorkerSet exists for models over several pods.
bool needs_gang(const Object& object) {
  if (object.known == nullptr || object.pods.empty() || !object.known->complete) return false;
  if (!object.known->groups.empty()) return wants_gpu(object);
  return is_coupled(object);
}

// The place that says how many pods there are: of the role with the most.
Field counted_at(const Object& object) {
  const auto most = std::max_element(
      object.pods.begin(), object.pods.end(),
      [](const PodTemplate& a, const PodTemplate& b) { return a.count.value_or(0) < b.count.value_or(0); });
  return most->count_field ? most->count_field : object.root.get("kind");
}

void check_gang(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) {
    check_job(scene, object);
    const Field nodes = trainer_field(object).get("numNodes");
    if (nodes.whole().value_or(0) > 1 && scheduler_marks(object).empty())
      scene.cannot_tell(
          RuleId::gang_required, object, nodes,
          "the " + std::to_string(*nodes.whole()) + " pods of this job must start together, which its runtime decides",
          "`podGroupPolicy` of the runtime `" + std::string(object.root.at("spec.runtimeRef.name").text()) + "`");
  }
}

bool says_one_node(std::string_view lines) {
  return lines.find("MUSTER_NODES=1 ") != lines.npos || lines.find("MUSTER_NODES=1\n") != lines.npos;
}

// Whether each pod runs by itself whatever its launcher is: the lines that muster writes say how many nodes it uses.
bool is_each_alone(const ManifestScene& scene, const Object& object) {
  for (const Field& word : k8s::matches(object.root, "spec.tasks[].template.spec.containers[].command[]"))
    if (says_one_node(word.text())) return true;
  for (const Field& name :
       k8s::matches(object.root, "spec.tasks[].template.spec.volumes[].projected.sources[].configMap.name")) {
    const auto found = scene.manifest.by_name.find(k8s::reference(object.name_space, "ConfigMap", name.text()));
    if (found == scene.manifest.by_name.end()) continue;
    if (says_one_node(found->second->root.at("data.start").text())) return true;
  }
  return false;
}

void check_gang_minimum(const ManifestScene& scene) {
  const auto members = group_members(scene);
  for (const Object& object : scene.manifest.objects) {
    const Field policy = object.root.at("spec.runPolicy.schedulingPolicy.minAvailable");
    const auto pods = pod_count(object);
    const bool coupled = is_coupled(object) || uses_plugin(object);
    if (object.is("batch.volcano.sh", "Job") && coupled && !is_elastic(object) && !is_each_alone(scene, object))
      if (const auto first = created_at_first(object))
        too_small(scene, object, object.root.at("spec.minAvailable"), *first);
    // A TFJob with parameter servers may train with some of its workers.
    if (policy && coupled && pods && object.kind != "TFJob" && !is_elastic(object))
      too_small(scene, object, policy, *pods);
    const auto group = members.find(k8s::reference(object.name_space, "PodGroup", object.name));
    if (const Field minimum = k8s::minimum_of_group(object); minimum && group != members.end())
      too_small(scene, object, minimum, group->second);
    if (!object.is("batch", "Job") || !coupled || !pods || is_elastic(object)) continue;
    // The group of a Job's pods is in the Job itself; that of an object of its own is above.
    const Start start = k8s::start_of(object, scene.manifest);
    if (start.how == Start::How::some && start.group == nullptr)
      too_small(scene, object, start.where, start.least, *pods);
  }
}

void check_scheduler_names(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) {
    const auto marks = scheduler_marks(object);
    const std::size_t before = scene.report.findings.size();
    check_names(scene, object, marks);
    if (scene.report.findings.size() == before) check_name_with_site(scene, object, marks);
  }
}

}  // namespace muster::lint
