// CKP001 no-checkpoint, CKP002 checkpoint-not-shared, CKP003 no-requeue-signal, CKP004 interval-too-long, CKP005
// no-spares: what a failure or a preemption costs. Rates of failure are plan/steps/reliability.h's.
#include <algorithm>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/text.h"
#include "lint/rules/spec/scene.h"
#include "plan/steps/reliability.h"

namespace muster::lint {
namespace {

constexpr std::int64_t long_run_ms = 4 * 3'600'000;  // CKP001
constexpr std::int64_t many_nodes = 64;              // CKP005

std::int64_t nodes_of(const model::Workload& workload) {
  std::int64_t sum = 0;
  for (const model::Role& role : workload.roles)
    if (role.gpus() > 0) sum += plan::demand_of(workload, role).nodes_together();
  return sum;
}

bool learns(const model::Workload& workload) {
  return workload.kind.value == model::Kind::train || workload.kind.value == model::Kind::rl;
}

void check_none(const SpecScene& scene) {
  const model::Workload& w = scene.workload;
  if (w.checkpoint || !w.time_limit || w.time_limit->value.ms <= long_run_ms || !learns(w) || nodes_of(w) < 2) return;
  scene.wrong(RuleId::no_checkpoint, model::Field::time_limit,
              "the workload has no `checkpoint`; at a failure " + counted(nodes_of(w), "node") +
                  " lose all work, up to " + to_string(w.time_limit->value));
}

void check_storage(const SpecScene& scene) {
  const auto& checkpoint = scene.workload.checkpoint;
  if (!checkpoint || !checkpoint->path) return;
  const std::string& path = checkpoint->path->value;
  const auto holds = [&](const model::Mount& m) {
    return path.starts_with(m.path.value) && (path.size() == m.path.value.size() || path[m.path.value.size()] == '/');
  };
  for (const model::Role& role : scene.workload.roles) {
    const auto mount = std::find_if(role.mounts.begin(), role.mounts.end(), holds);
    if (mount == role.mounts.end() || mount->name != "scratch") continue;
    Finding& f = scene.wrong_at(RuleId::checkpoint_not_shared, checkpoint->path->span, model::Field::checkpoint_path,
                                "`scratch` is local to the node, so checkpoints there are lost when the job ends");
    f.labels.push_back({mount->span, "mounted here"});
    return;
  }
}

// What can take the nodes back; "" where nothing can.
std::string preempted_by(const SpecScene& scene) {
  if (scene.workload.preemptible) return scene.workload.preemptible->value ? "the workload is `preemptible`" : "";
  if (!scene.result.plan || scene.context.site == nullptr) return "";
  const plan::Plan& plan = *scene.result.plan;
  return plan.queue != nullptr && plan.queue->preemptible ? "queue `" + plan.queue->name + "` is preemptible" : "";
}

// Lines of a block's own below the line of a key, which nothing else may be on; indented alike.
std::optional<Edit> add_below(const SpecScene& scene, model::Field key, std::string_view lines) {
  const Span at = scene.key(key);
  if (!at.known()) return std::nullopt;
  const std::string_view text = scene.context.sources.text(at.file);
  const std::size_t before = text.rfind('\n', at.begin), end = text.find('\n', at.begin);
  if (before == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
  const std::string_view indent = text.substr(before + 1, at.begin - before - 1),
                         line = text.substr(at.begin, end - at.begin);
  if (indent.find_first_not_of(' ') != std::string_view::npos || line.find_first_of("{}#\r") != std::string_view::npos)
    return std::nullopt;
  Edit out{{at.file, static_cast<std::uint32_t>(end + 1), static_cast<std::uint32_t>(end + 1)}, ""};
  for (std::size_t begin = 0, next = 0; (next = lines.find('\n', begin)) != std::string_view::npos; begin = next + 1)
    out.text += std::string(indent) + std::string(lines.substr(begin, next + 1 - begin));
  return out;
}

void check_preemption(const SpecScene& scene) {
  const model::Workload& w = scene.workload;
  const std::string why = preempted_by(scene);
  if (why.empty() || w.kind.value == model::Kind::serve || w.kind.value == model::Kind::dev) return;
  const bool again = w.retry && std::any_of(w.retry->on.begin(), w.retry->on.end(),
                                            [](const auto& on) { return on.value == model::RetryOn::preemption; });
  const bool warned = w.stop && (w.stop->lead.value.ms > 0 || w.stop->grace.span.known());
  if (again && warned) return;
  const model::Field at = w.preemptible                            ? model::Field::preemptible
                          : scene.key(model::Field::queue).known() ? model::Field::queue
                                                                   : model::Field::kind;
  Finding& f = scene.wrong(RuleId::no_requeue_signal, at,
                           why + ", but the job " +
                               (again    ? "gets no signal in advance (`stop`)"
                                : warned ? "is not restarted (`retry`)"
                                         : "gets no signal in advance (`stop`) and is not restarted (`retry`)"));
  f.notes.push_back("`stop { lead = 2m }` gives the program time to save; `retry { limit = 3 }` restarts it");
  const std::string lines =
      std::string(w.stop ? "" : "stop { lead = 2m }\n") + (w.retry ? "" : "retry { limit = 3 }\n");
  const auto edit = lines.empty() ? std::nullopt : add_below(scene, model::Field::kind, lines);
  if (edit) f.fix = Fix{"add `stop` and `retry`", false, {*edit}};
}

// The mean time between failures of all its nodes: by the fleet's own rate, else by the lowest published one, so that
// the finding holds under each of them.
struct Failures {
  double seconds = 0;
  std::string source;
};

std::optional<Failures> failures_of(const plan::Plan& plan) {
  if (plan.roles.empty() || plan.roles.front().pool == nullptr) return std::nullopt;
  const plan::Reliability report = plan::reliability_of(plan, {});
  if (report.rates.empty() || report.rates.front().figures.empty()) return std::nullopt;
  return Failures{report.rates.front().figures.front().value, report.rates.front().source};
}

Duration whole_minutes(double seconds) { return {static_cast<std::int64_t>(seconds / 60) * 60'000}; }

void check_interval(const SpecScene& scene, const plan::Plan& plan) {
  const auto& checkpoint = scene.workload.checkpoint;
  if (!checkpoint || !checkpoint->every) return;
  const auto failures = failures_of(plan);
  if (!failures || static_cast<double>(checkpoint->every->value.ms) / 1000 <= failures->seconds) return;
  const auto [every, failure] = in_one_unit(checkpoint->every->value, whole_minutes(failures->seconds));
  Finding& f = scene.wrong_at(RuleId::interval_too_long, checkpoint->every->span, model::Field::checkpoint_every,
                              "it saves every " + every + ", but " + counted(nodes_of(scene.workload), "node") +
                                  " fail every " + failure + ", so most of the work is repeated");
  f.notes.push_back("failure rate: " + failures->source);
}

bool is_elastic(const model::Workload& workload) {
  return std::any_of(workload.roles.begin(), workload.roles.end(), [](const model::Role& role) {
    const auto range = [](const model::Optional<model::Count>& n) { return n && n->value.low < n->value.high; };
    return range(role.resources.nodes) || range(role.replicas);
  });
}

void check_spares(const SpecScene& scene, const plan::Plan& plan) {
  const model::Workload& w = scene.workload;
  const std::int64_t nodes = nodes_of(w);
  if (nodes < many_nodes || !w.time_limit || is_elastic(w) || !learns(w)) return;
  const auto failures = failures_of(plan);
  if (!failures) return;
  const model::Pool& pool = *plan.roles.front().pool;
  const double expected = static_cast<double>(w.time_limit->value.ms) / 1000 / failures->seconds;
  const std::int64_t rest = pool.node_count - nodes - static_cast<std::int64_t>(pool.drained.size());
  if (expected < 1 || !pool.spare.empty() || rest > 0) return;
  Finding& f = scene.wrong(RuleId::no_spares, scene.field_in(w.main(), model::Field::resources_nodes),
                           "a failure is expected every " + to_string(whole_minutes(failures->seconds)) + " on " +
                               counted(nodes, "node") + ", and pool `" + pool.name +
                               "` has no spare node, so the job waits for each repair");
  f.labels.push_back({pool.span, "no `spare`"});
  f.notes.push_back("failure rate: " + failures->source);
}

}  // namespace

void check_checkpoints(const SpecScene& scene) {
  check_none(scene);
  check_storage(scene);
  check_preemption(scene);
  if (!scene.result.plan || scene.context.site == nullptr) return;
  check_interval(scene, *scene.result.plan);
  check_spares(scene, *scene.result.plan);
}

}  // namespace muster::lint
