// SLM005 walltime-over-limit, SLM006 walltime-at-limit, SLM007 array-over-maxjobs, SLM008 walltime-missing, SLM013
// topology-conf-missing: what Slurm's partitions and limits say to a workload.
#include <algorithm>

#include "compiler/base/text.h"
#include "lint/spec_scene.h"

namespace muster::lint {
namespace {

bool is_slurm(const model::Plane& plane) { return plane.kind.value == model::PlaneKind::slurm; }

// SLM005, SLM006. That it does not fit the placement says; this says where.
void check_time(const SpecScene& scene, const model::Queue& queue) {
  const auto& time = scene.workload.time_limit;
  if (!time || !queue.max_time || time->value < queue.max_time->value) return;
  const std::string most = to_string(queue.max_time->value);
  if (time->value > queue.max_time->value) {
    Finding& f =
        scene.wrong(RuleId::walltime_over_limit, "time-limit",
                    "`" + to_string(time->value) + "` is above the " + most + " of queue `" + queue.name + "`");
    f.labels.push_back({queue.max_time->span, "its limit"});
  } else if (!scene.workload.checkpoint && scene.workload.kind.value != model::Kind::dev) {
    Finding& f = scene.wrong(RuleId::walltime_at_limit, "time-limit",
                             "the time is all that queue `" + queue.name +
                                 "` gives, and there is no `checkpoint`: what does not end in it is lost");
    f.labels.push_back({queue.max_time->span, "its limit"});
  }
}

// SLM007.
void check_points(const SpecScene& scene, const model::Queue& queue) {
  const auto& sweep = scene.workload.sweep;
  if (!sweep || sweep->max_parallel || !queue.max_jobs) return;
  const auto points = static_cast<std::int64_t>(sweep->points());
  if (points <= queue.max_jobs->value) return;
  const std::string most = std::to_string(queue.max_jobs->value);
  Finding& f = scene.wrong(RuleId::array_over_maxjobs, "sweep.axes." + sweep->axes.front().name,
                           "the sweep has " + std::to_string(points) + " points, and a user may have " + most +
                               " jobs in queue `" + queue.name + "`");
  f.labels.push_back({queue.max_jobs->span, "its limit"});
  f.notes.push_back("`max-parallel = " + most + "` in the sweep keeps so many of them running");
}

// SLM008. Slurm alone has limits that a job gets without asking.
void check_missing_time(const SpecScene& scene, const model::Queue* queue) {
  if (scene.workload.time_limit) return;
  if (scene.context.site == nullptr) {
    scene.cannot_tell(RuleId::walltime_missing, "time-limit",
                      "without `time-limit` the job gets the partition's default, which takes a site to tell");
    return;
  }
  if (queue != nullptr && queue->default_time) return;
  Finding& f = scene.wrong(RuleId::walltime_missing, "time-limit",
                           queue == nullptr
                               ? "without `time-limit` the job gets the default of a partition that the site does "
                                 "not declare"
                               : "without `time-limit` the job has no time limit that the site declares: its queue `" +
                                     queue->name + "` has no `default-time`");
  if (queue == nullptr) return;
  f.severity = Severity::error;
  f.labels.push_back({queue->span, "the queue"});
}

// SLM013.
void check_switches(const SpecScene& scene, const plan::Plan& plan) {
  if (scene.context.site == nullptr || plan.plane->topology != model::SlurmTopology::none) return;
  if (decided(plan, "coupled") != "multi-node") return;
  for (const plan::RolePlan& role : plan.roles) {
    if (role.total() < 2 || role.gpus == 0 || role.pool == nullptr || role.pool->leaves.size() < 2) continue;
    Finding& f = scene.wrong(
        RuleId::topology_conf_missing, scene.path_in(*role.role, "resources.nodes"),
        "plane `" + plan.plane->name + "` declares no topology: Slurm spreads these nodes over the " +
            std::to_string(role.pool->leaves.size()) + " leaf switches of pool `" + role.pool->name + "` as they come");
    f.labels.push_back({plan.plane->span, "says no `topology`"});
    return;
  }
}

// ---- target slurm { } --------------------------------------------------------------------------------

void check_option(const SpecScene& scene, const model::RawOption& option, bool exclusive) {
  const std::string path = "target.slurm." + option.name, value = lower(option.value.value);
  if (option.name == "mem" && value == "0" && !exclusive)
    scene.wrong_at(RuleId::mem_zero_shared, option.value.span, path,
                   "`mem = 0` takes the memory of whole nodes, and the job does not take the nodes");
  if (option.name == "comment" &&
      (value.find("gang sched") != std::string::npos || value.find("gang-sched") != std::string::npos))
    scene.wrong_at(RuleId::gang_term, option.value.span, path,
                   "gang scheduling means time slicing in Slurm: a job always starts with all of its nodes");
  if (option.name != "partition" || scene.context.site == nullptr) return;
  const auto& queues = scene.context.site->queues;
  const auto has = [&](const model::Queue& q) {
    return (q.plane_name.empty() ? q.name : q.plane_name) == option.value.value;
  };
  if (option.value.value.find(',') != std::string::npos || queues.empty() ||
      std::any_of(queues.begin(), queues.end(), has))
    return;
  scene.wrong_at(RuleId::unknown_partition, option.value.span, path,
                 "no queue of the site is the partition `" + printable(option.value.value, 60) + "`");
}

}  // namespace

void check_slurm_limits(const SpecScene& scene) {
  const model::Plane* plane = scene.plane();
  if (plane == nullptr || !is_slurm(*plane)) return;
  const model::Queue* queue = scene.result.plan->queue;
  if (queue != nullptr) check_time(scene, *queue), check_points(scene, *queue);
  check_missing_time(scene, queue);
  check_switches(scene, *scene.result.plan);
}

void check_slurm_options(const SpecScene& scene) {
  const auto whole_node = [](const model::Role& role) {
    return role.resources.exclusive && role.resources.exclusive->value;
  };
  for (const model::TargetOptions& target : scene.workload.targets) {
    if (target.target != "slurm") continue;
    const auto is_exclusive = [](const model::RawOption& option) { return option.name == "exclusive"; };
    const bool exclusive = std::any_of(target.options.begin(), target.options.end(), is_exclusive) ||
                           std::all_of(scene.workload.roles.begin(), scene.workload.roles.end(), whole_node);
    for (const model::RawOption& option : target.options) check_option(scene, option, exclusive);
  }
}

}  // namespace muster::lint
