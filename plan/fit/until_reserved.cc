#include "plan/fit/until_reserved.h"

#include <algorithm>
#include <optional>

#include "plan/fit/at_once.h"
#include "plan/place/place_roles.h"
#include "plan/pools/reservations.h"
#include "plan/verdict.h"

namespace muster::plan {
namespace {

// The verdict of level now where the job ends at `end`; without one, as if there were no reservations.
Verdict now_until(FleetState& state, const PlacedJob& job, std::optional<Instant> end) {
  std::vector<RolePlan> roles = job.roles;
  for (std::size_t r = 0, i = 0; i < job.workload.roles.size(); ++i) {
    if (job.workload.roles[i].with) continue;
    const model::NodesAsRead* own = i < job.own.size() ? &job.own[i] : nullptr;
    if (end) set_reservations(job.fleet, job.workload, job.queue, own, end, roles[r]);
    else roles[r].held.clear();
    ++r;
  }
  std::vector<RolePlan> placed = at_once(job.workload, roles, job.plane);
  return place_roles(state, job.plane, job.queue, job.tenant, job.workload, placed).now.verdict;
}

}  // namespace

void explain_reservations(FleetState& state, const PlacedJob& job, Fit& fit) {
  const auto is_held = [](const RolePlan& role) { return !role.held.empty(); };
  const Verdict later = worse(fit.capacity.verdict, fit.policy.verdict);
  if (fit.now.verdict != Verdict::does_not_fit || later == Verdict::does_not_fit) return;
  if (std::none_of(job.roles.begin(), job.roles.end(), is_held)) return;
  if (!job.fleet.as_of) {
    if (now_until(state, job, std::nullopt) != Verdict::fits) return;
    fit.now = {
        Verdict::unknown, {}, "reservations hold nodes of fleet " + job.fleet.name + ", which has no `as-of` time"};
    fit.verdict = worse(later, fit.now.verdict);
    return;
  }
  for (const Instant until : begins_of(job.fleet, job.roles)) {
    if (now_until(state, job, until) != Verdict::fits) continue;
    const std::string text = fits_until(job.fleet, until, ends_at(job.fleet, job.workload, job.queue));
    if (fit.now.certificate) fit.now.certificate->text += "; " + text;
    return;
  }
}

}  // namespace muster::plan
