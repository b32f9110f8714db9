// Gangs: whether something starts the pods of a coupled job together, with all of them, in one scheduler.
#include <algorithm>
#include <map>

#include "lint/rules/manifest/scene.h"

namespace muster::lint {
namespace {

using k8s::Field;
using k8s::Object;
using k8s::PodTemplate;
using k8s::Scheduler;
using k8s::SchedulerSign;
using k8s::Work;
using model::GangProvider;

// Operators of these kinds make the PodGroup themselves if they were started with the flag for it.
bool operator_groups(const Object& object) { return k8s::group_of(object.api_version) == "kubeflow.org"; }

const Field* policy_of(const Object& object, Field& policy) {
  policy = object.root.at("spec.runPolicy.schedulingPolicy");
  return policy ? &policy : nullptr;
}

void judge_by_site(const ManifestScene& scene, const Object& object, const Field& where, const std::string& gang) {
  const model::Plane* plane = kubernetes_plane(scene.context);
  if (plane == nullptr) {
    scene.cannot_tell(RuleId::gang_required, object, where, gang + ": nothing in this file starts them together",
                      "whether the cluster does is a fact of the site: `gang`");
  } else if (plane->gang == GangProvider::none) {
    scene.wrong(RuleId::gang_required, object, where, gang + " and `" + plane->name + "` has no gang provider",
                "some may hold GPUs and wait for the rest for ever");
  } else if (operator_groups(object) && plane->gang != GangProvider::kueue && plane->gang != GangProvider::kai) {
    scene.cannot_tell(RuleId::gang_required, object, where,
                      gang + ": the operator groups them only if it was started with `--gang-scheduler-name`",
                      "the flags of the operator are a fact of the site");
  } else {
    scene.wrong(RuleId::gang_required, object, where,
                gang + " and nothing in this file hands them to " + std::string(name(plane->gang)),
                "some may hold GPUs and wait for the rest for ever");
  }
}

// An elastic job goes on with as few as its lower bound.
std::optional<std::int64_t> needed_together(const Object& object) {
  const auto least = object.root.at("spec.elasticPolicy.minReplicas").whole(), all = pod_count(object);
  return least && all ? std::min(*least, *all) : all;
}

void check_job(const ManifestScene& scene, const Object& object) {
  const auto count = needed_together(object);
  if (!needs_gang(object) || !count || *count < 2) return;
  const Field where = counted_at(object);
  const std::string gang = "the " + std::to_string(*count) + " pods of this job need each other";
  const auto signs = scheduler_signs(object);
  const auto has = [&](const auto& test) { return std::any_of(signs.begin(), signs.end(), test); };
  if (has([](const SchedulerSign& s) { return s.gang; })) return;
  if (has([](const SchedulerSign& s) { return s.named && s.scheduler != Scheduler::stock; })) {
    scene.cannot_tell(RuleId::gang_required, object, where, gang + ": a `schedulerName` alone makes no group of them",
                      "the operator may make one: a fact of the site");
    return;
  }
  if (Field policy; policy_of(object, policy) != nullptr) {
    scene.cannot_tell(RuleId::gang_required, object, policy,
                      "`schedulingPolicy` acts only if the operator was started with `--gang-scheduler-name`",
                      "the flags of the operator are a fact of the site");
    return;
  }
  judge_by_site(scene, object, where, gang);
}

bool is_elastic(const Object& object) {
  if (object.root.at("spec.elasticPolicy")) return true;
  for (const PodTemplate& pods : object.pods)
    for (const k8s::Container& c : pods.containers)
      if (const auto nnodes = option_of(c, {"--nnodes"}); nnodes && nnodes->value.find(':') != std::string::npos)
        return true;
  return false;
}

void too_small(const ManifestScene& scene, const Object& object, const Field& minimum, std::int64_t pods) {
  const auto n = minimum.whole();
  if (!n || *n >= pods) return;
  Finding& f = scene.wrong(
      RuleId::gang_min_too_small, object, minimum,
      "the gang may start with " + std::to_string(*n) + " of the " + std::to_string(pods) + " pods that the job needs",
      "the others may never get a place");
  if (!minimum.aliased)
    f.fix = Fix{"set `" + std::string(minimum.key) + "` to all pods", false, {{minimum.span(), std::to_string(pods)}}};
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
      const std::string_view group = annotation ? annotation.text() : pods.label("scheduling.x-k8s.io/pod-group");
      if (!group.empty()) sums[k8s::reference(object.name_space, "PodGroup", group)] += pods.count.value_or(0);
    }
  }
  return sums;
}

bool is_pod_group(const Object& object) {
  return object.is("scheduling.volcano.sh", "PodGroup") || object.is("scheduling.x-k8s.io", "PodGroup");
}

// Whether a mark is of another scheduler than the one that is named.
bool contradicts(const SchedulerSign& named, const SchedulerSign& mark) {
  if (mark.scheduler == Scheduler::kueue || mark.scheduler == Scheduler::other || mark.named) return false;
  return named.scheduler != Scheduler::other && named.scheduler != mark.scheduler;
}

void check_names(const ManifestScene& scene, const Object& object, const std::vector<SchedulerSign>& signs) {
  const auto named = std::find_if(signs.begin(), signs.end(), [](const SchedulerSign& s) { return s.named; });
  if (named == signs.end()) return;
  for (const SchedulerSign& sign : signs) {
    const bool other_name = sign.named && sign.where.text() != named->where.text();
    if (!other_name && !contradicts(*named, sign)) continue;
    const std::string what = other_name ? "`" + std::string(sign.where.text()) + "`"
                             : sign.where.key == "kind"
                                 ? "a Volcano job"
                                 : "`" + std::string(sign.where.key) + "` of " + std::string(name(sign.scheduler));
    Finding& f = scene.wrong(RuleId::scheduler_name_mismatch, object, sign.where,
                             what + " stands beside the `schedulerName` `" + std::string(named->where.text()) + "`",
                             other_name ? "pods of one job under two schedulers" : "that scheduler does not read it");
    f.labels.push_back({named->where.span(), "the scheduler of the pods"});
    return;
  }
}

// The name of the scheduler that a gang provider runs as, unless the site renamed it; "" for Kueue.
std::string_view usual_name(GangProvider provider) {
  switch (provider) {
    case GangProvider::volcano: return "volcano";
    case GangProvider::kai: return "kai-scheduler";
    case GangProvider::yunikorn: return "yunikorn";
    default: return "";
  }
}

bool runs_volcano(const model::Plane& plane) {
  return std::any_of(plane.pods.operators.begin(), plane.pods.operators.end(),
                     [](const model::Operator& o) { return o.name == "volcano"; });
}

void check_name_with_site(const ManifestScene& scene, const Object& object, const std::vector<SchedulerSign>& signs) {
  const model::Plane* plane = kubernetes_plane(scene.context);
  if (plane == nullptr) return;
  const std::string_view wanted = usual_name(plane->gang);
  for (const SchedulerSign& sign : signs)
    if (sign.named && sign.scheduler <= Scheduler::yunikorn && name(plane->gang) != "coscheduling" &&
        sign.where.text() != wanted) {
      // Its own jobs are for no other scheduler; only the site knows whether it runs beside the plane's.
      if (object.is("batch.volcano.sh", "Job") && sign.scheduler == Scheduler::volcano) {
        if (!runs_volcano(*plane))
          scene.cannot_tell(RuleId::scheduler_name_mismatch, object, sign.where,
                            "`" + plane->name + "` gives gangs by " + std::string(name(plane->gang)) +
                                ": whether Volcano runs beside it",
                            "a fact of the site: `operator volcano`");
        return;
      }
      Finding& f = scene.wrong(RuleId::scheduler_name_mismatch, object, sign.where,
                               "`" + std::string(sign.where.text()) + "` is not the scheduler of `" + plane->name + "`",
                               "its gang provider is " + std::string(name(plane->gang)) + ": the pods stay pending");
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
  if (object.kind == "LeaderWorkerSet") return wants_gpu(object);
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
    const Field nodes = object.root.at("spec.trainer.numNodes");
    if (object.is("trainer.kubeflow.org", "TrainJob") && nodes.whole().value_or(0) > 1 &&
        scheduler_signs(object).empty())
      scene.cannot_tell(
          RuleId::gang_required, object, nodes,
          "the " + std::to_string(*nodes.whole()) +
              " pods of this job need each other: its runtime decides whether they start together",
          "`podGroupPolicy` of the runtime `" + std::string(object.root.at("spec.runtimeRef.name").text()) + "`");
  }
}

void check_gang_minimum(const ManifestScene& scene) {
  const auto members = group_members(scene);
  for (const Object& object : scene.manifest.objects) {
    const Field policy = object.root.at("spec.runPolicy.schedulingPolicy.minAvailable");
    const auto pods = pod_count(object);
    const bool coupled = is_coupled(object) || uses_plugin(object);
    if (object.is("batch.volcano.sh", "Job") && coupled && pods && !is_elastic(object))
      too_small(scene, object, object.root.at("spec.minAvailable"), *pods);
    // A TFJob with parameter servers may train with some of its workers.
    if (policy && coupled && pods && object.kind != "TFJob" && !is_elastic(object))
      too_small(scene, object, policy, *pods);
    const auto group = members.find(k8s::reference(object.name_space, "PodGroup", object.name));
    if (is_pod_group(object) && group != members.end())
      too_small(scene, object, object.root.at("spec.minMember"), group->second);
  }
}

void check_scheduler_names(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) {
    const auto signs = scheduler_signs(object);
    const std::size_t before = scene.report.findings.size();
    check_names(scene, object, signs);
    if (scene.report.findings.size() == before) check_name_with_site(scene, object, signs);
  }
}

}  // namespace muster::lint
