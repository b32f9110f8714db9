// SLM005 walltime-over-limit, SLM006 walltime-at-limit, SLM007 array-over-maxjobs, SLM008 walltime-missing, SLM013
// topology-conf-missing: what Slurm's partitions and limits say to a workload.
#include <algorithm>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/text.h"
#include "lint/rules/spec/scene.h"

namespace muster::lint {
namespace {

// SLM005, SLM006. That it does not fit the placement says; this says where.
void check_time(const SpecScene& scene, const model::Queue& queue) {
  const auto& time = scene.workload.time_limit;
  if (!time || !queue.max_time || time->value < queue.max_time->value) return;
  if (time->value > queue.max_time->value) {
    const auto [asked, most] = in_one_unit(time->value, queue.max_time->value);
    Finding& f = scene.wrong(RuleId::walltime_over_limit, model::Field::time_limit,
                             "`" + asked + "` is above the " + most + " of queue `" + queue.name + "`");
    f.labels.push_back({queue.max_time->span, "its limit"});
  } else if (!scene.workload.checkpoint && scene.workload.kind.value != model::Kind::dev) {
    Finding& f = scene.wrong(RuleId::walltime_at_limit, model::Field::time_limit,
                             "the time limit is the maximum of queue `" + queue.name +
                                 "`, and there is no `checkpoint`, so unfinished work is lost");
    f.labels.push_back({queue.max_time->span, "its limit"});
  }
}

// `max-parallel` as the first key of the sweep; nullopt where its block is not spelt as in the language.
std::optional<Fix> limit_sweep(const Sources& sources, const model::Sweep& sweep, const std::string& most) {
  if (!sweep.span.known()) return std::nullopt;
  const std::string_view text = sources.text(sweep.span.file);
  const std::size_t brace = text.find_first_not_of(" \t", sweep.span.end);
  if (sources.text(sweep.span) != "sweep" || brace == std::string_view::npos || text[brace] != '{') return std::nullopt;
  const std::size_t next = text.find_first_not_of(" \t\r", brace + 1);
  const std::string key = "max-parallel = " + most;
  std::string added = " " + key + " ";
  if (next != std::string_view::npos && text[next] == '\n') {
    const std::size_t word = text.find_first_not_of(" \t\r\n", next);
    const std::size_t line = text.rfind('\n', word) + 1;
    added = "\n" + std::string(text.substr(line, word - line)) + key;
  }
  const auto at = static_cast<std::uint32_t>(brace + 1);
  return Fix{"run at most " + most + " of them at a time", true, {{{sweep.span.file, at, at}, added}}};
}

// SLM007.
void check_points(const SpecScene& scene, const model::Queue& queue) {
  const auto& sweep = scene.workload.sweep;
  if (!sweep || sweep->max_parallel || !queue.max_jobs) return;
  const std::int64_t points = plan::demand_of(scene.workload).in_all;
  if (points <= queue.max_jobs->value) return;
  const std::string most = std::to_string(queue.max_jobs->value);
  Finding& f = scene.wrong(RuleId::array_over_maxjobs, {model::Field::sweep_axes, sweep->axes.front().name},
                           "the sweep has " + std::to_string(points) + " points, but a user can have at most " + most +
                               " jobs in queue `" + queue.name + "`");
  f.labels.push_back({queue.max_jobs->span, "its limit"});
  f.notes.push_back("`max-parallel = " + most + "` in the sweep limits the points that run at the same time");
  f.fix = limit_sweep(scene.context.sources, *sweep, most);
}

// SLM008. Slurm alone has limits that a job gets without asking.
void check_missing_time(const SpecScene& scene, const model::Queue* queue) {
  if (scene.workload.time_limit || scene.workload.time_limit_default) return;
  if (scene.context.site == nullptr) {
    scene
        .cannot_tell(RuleId::walltime_missing, model::Field::time_limit,
                     "without `time-limit` the job gets the partition's default, which is not known without a site")
        .needs_site = true;
    return;
  }
  if (queue != nullptr && queue->default_time) return;
  Finding& f =
      scene.wrong(RuleId::walltime_missing, model::Field::time_limit,
                  queue == nullptr ? "without `time-limit` the job gets the default of a partition that the site does "
                                     "not declare"
                                   : "without `time-limit` the job has no declared time limit, because queue `" +
                                         queue->name + "` has no `default-time`");
  if (queue == nullptr) return;
  f.severity = Severity::error;
  f.labels.push_back({queue->span, "the queue"});
}

// SLM013.
void check_switches(const SpecScene& scene, const plan::Plan& plan) {
  if (scene.context.site == nullptr || plan.plane->batch()->topology != model::SlurmTopology::none) return;
  if (decided(plan, "coupled") != "multi-node") return;
  for (const plan::RolePlan& role : plan.roles) {
    if (role.total() < 2 || role.gpus == 0 || role.pool == nullptr || role.pool->leaves.size() < 2) continue;
    Finding& f =
        scene.wrong(RuleId::topology_conf_missing, scene.field_in(*role.role, model::Field::resources_nodes),
                    "plane `" + plan.plane->name + "` does not declare a topology, but pool `" + role.pool->name +
                        "` has " + std::to_string(role.pool->leaves.size()) + " leaf switches");
    f.labels.push_back({plan.plane->span, "does not set `topology`"});
    return;
  }
}

}  // namespace

void check_slurm_limits(const SpecScene& scene) {
  const model::Plane* plane = scene.plane();
  if (plane == nullptr || plane->batch() == nullptr) return;
  const model::Queue* queue = scene.result.plan->queue;
  if (queue != nullptr) check_time(scene, *queue), check_points(scene, *queue);
  check_missing_time(scene, queue);
  check_switches(scene, *scene.result.plan);
}

}  // namespace muster::lint
