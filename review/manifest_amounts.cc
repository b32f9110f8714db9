#include "review/manifest_amounts.h"

#include <algorithm>

#include "compiler/base/units.h"
#include "lint/rules/manifest/scene.h"
#include "review/cost.h"
#include "review/number.h"

namespace muster::review {
namespace {

namespace k8s = targets::kubernetes;
using k8s::Field, k8s::held, k8s::PodTemplate;

// Nothing of a product where either is none, whatever the other is.
Number times(Number count, Number each) { return each == 0 || count == 0 ? Number(0) : product(count, each); }

// ---- Where -------------------------------------------------------------------------------------------

// The one plane of pods; nullptr: the site has several, or none.
const model::Plane* plane_of_pods(const model::Site* site) {
  const model::Plane* out = nullptr;
  if (site == nullptr) return out;
  for (const model::Plane& plane : site->planes) {
    if (plane.pods() == nullptr) continue;
    if (out != nullptr) return nullptr;
    out = &plane;
  }
  return out;
}

// The pools that may take pods without GPUs.
std::vector<const model::Pool*> pools_of(const model::Site* site, const model::Fleet* fleet) {
  std::vector<const model::Pool*> out;
  const model::Plane* plane = plane_of_pods(site);
  if (plane == nullptr || fleet == nullptr) return out;
  for (const model::Pool& pool : fleet->pools)
    if (plane->owns(pool.name)) out.push_back(&pool);
  return out;
}

// The pools that may take pods of so many GPUs; none where the site has several planes of pods, or none.
std::vector<const model::Pool*> pools_for(std::int64_t gpus, const model::Site* site, const model::Fleet* fleet) {
  if (plane_of_pods(site) == nullptr || fleet == nullptr) return {};
  const Sources none;
  auto out = lint::gpu_pools({none, site, fleet});
  std::erase_if(out, [&](const model::Pool* pool) { return pool->gpu->count < gpus; });
  return out;
}

// What a runtime adds is not in the file.
Resources of_trainer(const k8s::Object& object, const Field& trainer) {
  Resources out;
  const k8s::Container container = k8s::trainer_container(trainer);
  const Number nodes = trainer.get("numNodes").whole();
  if (container.resources()) out.gpus = product(nodes, k8s::gpus_held(container));
  out.time_limit_ms = product(deadline_seconds(object), 1000);
  return out;
}

// Of a Job whose pods have each a deadline of their own and are not started again: how many there are, and how long
// each runs.
struct TimedPods {
  Number pods, seconds;
};

std::optional<TimedPods> timed_pods(const k8s::Object& object) {
  if (object.kind != "Job" || object.pods.size() != 1) return std::nullopt;
  const Field spec = object.root.at("spec");
  const Field each = object.pods.front().spec.get("activeDeadlineSeconds");
  const bool again = spec.get("backoffLimit").whole() != 0 && spec.get("backoffLimitPerIndex").whole() != 0;
  if (!each || spec.get("activeDeadlineSeconds") || again) return std::nullopt;
  const Field completions = spec.get("completions");
  return TimedPods{completions ? completions.whole() : Number(1), each.whole()};
}

// A pattern for others to be made of is not a run.
bool is_runtime(const k8s::Object& object) { return object.kind.ends_with("Runtime"); }

}  // namespace

Resources resources_of(const k8s::Object& object, const k8s::Scaled& scaled) {
  Resources out;
  if (is_job_of_runtime(object)) return of_trainer(object, trainer_field(object));
  if (object.pods.empty() || is_runtime(object)) return out;
  if (object.known->complete) out.pods = out.gpus = 0;
  Number cpus = out.pods, memory = out.pods;
  const std::vector<Number> counts = pods_up(object, scaled);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const PodTemplate& pods = object.pods[i];
    out.pods = sum(out.pods, counts[i]);
    out.gpus = sum(out.gpus, times(counts[i], held(pods, {})));
    cpus = sum(cpus, times(counts[i], held(pods, "cpu")));
    memory = sum(memory, times(counts[i], held(pods, "memory")));
  }
  for (const k8s::Added& added : k8s::added_to(object)) {
    if (added.row->as == model::AddedAs::init_container) continue;  // the program's container requests more
    out.pods = sum(out.pods, added.row->as == model::AddedAs::pod ? 1 : 0);
    cpus = sum(cpus, added.millicpus);
    memory = sum(memory, product(added.memory, 1000));
  }
  if (cpus) out.cpus = *cpus / 1000 + (*cpus % 1000 > 0);
  if (memory) out.memory = *memory / 1000;
  const auto timed = timed_pods(object);
  out.time_limit_ms = product(timed ? timed->seconds : deadline_seconds(object), 1000);
  return out;
}

Number nodes_of(const k8s::Object& object, const Resources& resources, const model::Site* site,
                const model::Fleet* fleet) {
  for (const PodTemplate& pods : object.pods) {
    const Number gpus = held(pods, {});
    const auto pools = pools_for(gpus.value_or(0), site, fleet);
    const auto holds_two = [&](const model::Pool* pool) { return pool->gpu->count / 2 >= *gpus; };
    if (gpus.value_or(0) == 0 || pools.empty() || std::any_of(pools.begin(), pools.end(), holds_two))
      return std::nullopt;
  }
  return resources.pods;
}

Cost cost_of(const k8s::Object& object, const Resources& resources, const model::Site* site,
             const model::Fleet* fleet) {
  if (!resources.time_limit_ms) return {};
  const auto timed = timed_pods(object);
  const Number gpus = timed ? times(timed->pods, held(object.pods.front(), {})) : resources.gpus;
  const auto seconds = [&](const Number& count) {
    return product(count, Duration{*resources.time_limit_ms}.seconds_up());
  };
  Cost out{seconds(gpus), std::nullopt};
  if (!timed) out.cpu_seconds = seconds(resources.cpus), out.node_seconds = seconds(resources.nodes);
  if (!out.gpu_seconds) return out;
  std::int64_t least = INT64_MAX;  // of the pods that ask for any: more pools may take those
  for (const PodTemplate& pods : object.pods)
    if (const std::int64_t gpus = held(pods, {}).value_or(0); gpus > 0) least = std::min(least, gpus);
  const bool has_gpus = !object.pods.empty() && least != INT64_MAX;
  const auto pools = has_gpus ? pools_for(least, site, fleet) : pools_of(site, fleet);
  out.micros = money_of({out.gpu_seconds, out.cpu_seconds, out.node_seconds}, common_prices(pools));
  return out;
}

}  // namespace muster::review
