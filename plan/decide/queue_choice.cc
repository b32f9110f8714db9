#include "plan/decide/queue_choice.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "compiler/base/text.h"

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

// The queue of a name; one of the plane's own wins over one of all planes.
const model::Queue* queue_named(const std::string& name, const Queues& queues) {
  const model::Queue* found = nullptr;
  for (const model::Queue* queue : queues)
    if (queue->name == name && (found == nullptr || found->plane.empty())) found = queue;
  return found;
}

void report_no_queue(const model::Located<std::string>& wanted, const model::Site& site, const Queues& queues,
                     Diagnostics& diagnostics) {
  std::vector<std::string_view> names;
  for (const model::Queue* queue : queues) names.push_back(queue->name);
  Diagnostic& d =
      diagnostics.add(Code::unknown_name, wanted.span, "site " + site.name + " has no queue `" + wanted.value + "`");
  if (names.empty()) {
    d.notes.push_back("site " + site.name + " declares no queues; declare one with `queue " + wanted.value +
                      " { … }`, or pass another site with --site");
    return;
  }
  if (const std::string near = closest(wanted.value, names); !near.empty())
    d.fixes.push_back({wanted.span, near, "did you mean `" + near + "`?", false});
  d.notes.push_back("its queues are " + quoted_list(names));
}

// Where jobs go that name no queue; nullptr: to none.
const model::Queue* queue_of_none(const model::Workload& workload, Queues queues) {
  const bool spot = workload.preemptible && workload.preemptible->value;
  const auto suits = [&](const model::Queue* queue) { return queue->preemptible == spot; };
  if (spot && std::any_of(queues.begin(), queues.end(), suits)) std::erase_if(queues, std::not_fn(suits));
  for (const model::Queue* queue : queues)
    if (queue->is_default) return queue;
  if (!spot) std::erase_if(queues, std::not_fn(suits));
  return queues.size() == 1 || (spot && !queues.empty()) ? queues.front() : nullptr;
}

}  // namespace

std::vector<const model::Queue*> choose_queues(const model::Workload& workload, const model::Site& site,
                                               const model::Plane* plane, Diagnostics& diagnostics) {
  Queues queues;
  for (const model::Queue& queue : site.queues)
    if (plane == nullptr || queue.plane.empty() || queue.plane == plane->name) queues.push_back(&queue);
  if (workload.queues.empty()) return {queue_of_none(workload, std::move(queues))};
  Queues out;
  for (const auto& wanted : workload.queues)
    if (const model::Queue* found = queue_named(wanted.value, queues)) out.push_back(found);
  if (out.empty()) report_no_queue(workload.queues.front(), site, queues, diagnostics);
  return out;
}

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
