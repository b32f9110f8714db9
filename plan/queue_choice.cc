#include "plan/queue_choice.h"

#include <algorithm>

#include "plan/shape.h"

namespace muster::plan {
namespace {

using Queues = std::vector<const model::Queue*>;

bool takes_spot(const model::Workload& workload) { return workload.preemptible && workload.preemptible->value; }

// All of the plane. What may not be taken back is not sent where it would be; what may be goes there first.
Queues suitable(const model::Workload& workload, const model::Site& site, const model::Plane* plane) {
  Queues out;
  for (const model::Queue& queue : site.queues)
    if ((plane == nullptr || queue.plane.empty() || queue.plane == plane->name) &&
        (!queue.preemptible || takes_spot(workload)))
      out.push_back(&queue);
  std::stable_partition(out.begin(), out.end(), [](const model::Queue* queue) { return queue->preemptible; });
  return out;
}

bool names_any(const model::Workload& workload, const model::Site& site) {
  const auto is_any = [](const auto& name) { return name.value == any_queue; };
  return std::any_of(workload.queues.begin(), workload.queues.end(), is_any) &&
         std::none_of(site.queues.begin(), site.queues.end(), [](const auto& q) { return q.name == any_queue; });
}

}  // namespace

QueueChoice queues_to_try(const model::Workload& workload, const model::Site& site, const model::Plane* plane,
                          bool as_read, Diagnostics& diagnostics) {
  const bool any = names_any(workload, site);
  QueueChoice out;
  if (!any) out.queues = choose_queues(workload, site, plane, diagnostics);
  const bool none = !as_read && workload.queues.empty() && out.queues == Queues{nullptr};
  if (!any && !none) return out;
  Queues all = suitable(workload, site, plane);
  if (all.empty()) return {{nullptr}};
  return {std::move(all), true};
}

Queues other_queues(const model::Workload& workload, const model::Site& site, const model::Plane& plane,
                    const Queues& tried) {
  Queues out = suitable(workload, site, &plane);
  std::erase_if(out,
                [&](const model::Queue* queue) { return std::find(tried.begin(), tried.end(), queue) != tried.end(); });
  return out;
}

}  // namespace muster::plan
