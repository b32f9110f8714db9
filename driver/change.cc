#include "driver/change.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/largest.h"
#include "compiler/base/text.h"
#include "lint/fit_as_read.h"

namespace muster::driver {
namespace {

using model::Count;
using model::Workload;
using plan::Verdict;

class Changer {
 public:
  Changer(const plan::PlanRequest& request, const targets::AsRead* read, const plan::Fit& fit)
      : request_(request), read_(read), workload_(*request.workload), starts_(plan::startable(fit) == Verdict::fits) {}

  std::string best() const {
    for (const auto& change : {&Changer::other_queue, &Changer::less_time, &Changer::fewer_nodes,
                               &Changer::fewer_replicas, &Changer::fewer_gpus_per_node})
      if (std::string found = (this->*change)(); !found.empty())
        return found + (starts_ ? ": it can start now" : ": it fits");
    return {};
  }

 private:
  // Whether it starts once it is changed.
  bool helps(const Workload& changed) const {
    plan::PlanRequest request = request_;
    request.workload = &changed;
    std::optional<targets::AsRead> read;
    if (read_ != nullptr) read = *read_, read->workload = changed, read->least.clear();
    Diagnostics unread;
    const plan::PlanResult result = read ? lint::plan_as_read(*read, request) : plan::make_plan(request, unread);
    if (!result.plan) return false;
    plan::Fit fit = result.plan->fit;
    if (read) lint::limit_to_known(*read, request, fit);
    return (starts_ ? fit.verdict : plan::startable(fit)) == Verdict::fits;
  }

  std::string other_queue() const {
    if (starts_ || read_ != nullptr || workload_.queues.size() > 1) return {};
    for (const model::Queue& queue : request_.site->queues) {
      if (!workload_.queues.empty() && workload_.queues.front().value == queue.name) continue;
      Workload changed = workload_;
      changed.queues = {{queue.name, {}}};
      if (helps(changed)) return "queue = " + queue.name;
    }
    return {};
  }

  // The longest that a queue allows and that helps.
  std::string less_time() const {
    if (starts_ || !workload_.time_limit) return {};
    const Duration is = workload_.time_limit->value;
    std::vector<Duration> limits;
    for (const model::Queue& queue : request_.site->queues)
      if (queue.max_time && queue.max_time->value < is) limits.push_back(queue.max_time->value);
    std::sort(limits.rbegin(), limits.rend());
    Workload changed = workload_;
    for (const Duration less : limits) {
      changed.time_limit->value = less;
      if (!helps(changed)) continue;
      const auto texts = in_one_unit(less, is);
      return "time-limit = " + texts.first + ", not " + texts.second;
    }
    return {};
  }

  // The most below what `of` gives that helps; each smaller size fits where a larger one does.
  std::string fewer(const std::string& key, const std::function<Count*(Workload&)>& of) const {
    Workload changed = workload_;
    Count* count = changed.roles.size() == 1 ? of(changed) : nullptr;
    if (count == nullptr || count->low != count->high || count->low < 2) return {};
    const std::int64_t is = count->low;
    const std::int64_t most = largest(0, is - 1, [&](std::int64_t n) {
      *count = {n, n};
      return n == 0 || helps(changed);
    });
    return most == 0 ? std::string() : key + " = " + std::to_string(most) + ", not " + std::to_string(is);
  }

  std::string fewer_nodes() const {
    return fewer("nodes", [](Workload& w) {
      auto& nodes = w.roles.front().resources.nodes;
      return nodes ? &nodes->value : nullptr;
    });
  }

  std::string fewer_replicas() const {
    return fewer("replicas", [](Workload& w) {
      auto& replicas = w.roles.front().replicas;
      return replicas ? &replicas->value : nullptr;
    });
  }

  // The same GPUs on more nodes.
  std::string fewer_gpus_per_node() const {
    if (starts_ || request_.fleet == nullptr || workload_.roles.size() != 1) return {};
    Workload changed = workload_;
    model::Resources& resources = changed.roles.front().resources;
    if (!resources.gpus || is_range(resources.nodes)) return {};
    const std::int64_t gpus = resources.gpus->value, all = gpus * changed.roles.front().nodes();
    for (std::int64_t less = gpus - 1; less > 0; --less) {
      if (all % less != 0 || gpus % less != 0) continue;
      resources.gpus->value = less;
      resources.nodes = model::Located<Count>{{all / less, all / less}, {}};
      if (helps(changed))
        return counted(all / less, "node") + " of " + counted(less, "GPU") + ", not " + std::to_string(all / gpus) +
               " of " + std::to_string(gpus);
    }
    return {};
  }

  const plan::PlanRequest& request_;
  const targets::AsRead* read_;
  const Workload& workload_;
  bool starts_;  // once what runs there now has ended
};

}  // namespace

std::string change_for(const plan::PlanRequest& request, const targets::AsRead* read, const plan::Fit& fit, bool now) {
  const Verdict startable = plan::startable(fit);
  const bool waits = now && startable == Verdict::fits && fit.now.verdict == Verdict::does_not_fit;
  if (startable != Verdict::does_not_fit && !waits) return {};
  if (request.fleet == nullptr || (read != nullptr && !read->unknown.empty())) return {};
  return Changer(request, read, fit).best();
}

}  // namespace muster::driver
