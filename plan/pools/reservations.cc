#include "plan/pools/reservations.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "compiler/base/text.h"

namespace muster::plan {
namespace {

constexpr Instant never{std::numeric_limits<std::int64_t>::max()};

// Both times of a sentence in hours, so that they compare: "40h", "72h", "1h30m".
std::string hours_between(Instant begin, Instant end) {
  const std::int64_t minutes = (end.seconds - begin.seconds) / 60;
  const std::string rest = minutes % 60 == 0 ? "" : std::to_string(minutes % 60) + "m";
  return minutes < 60 ? std::to_string(minutes) + "m" : std::to_string(minutes / 60) + "h" + rest;
}

std::string asked_for(const model::Queue* queue, const model::NodesAsRead* own) {
  if (own != nullptr) return own->reservation;
  return queue != nullptr && queue->reservation ? queue->reservation->value : std::string();
}

// Whether its accounts have the nodes without naming the reservation.
bool has_account(const model::Reservation& reservation, const model::Workload& workload, const RolePlan& role) {
  if (role.family == model::PlaneFamily::batch || !workload.account) return false;
  return !reservation.accounts.empty() && reservation.takes_account(workload.account->value);
}

}  // namespace

std::optional<Instant> ends_at(const model::Fleet& fleet, const model::Workload& workload, const model::Queue* queue) {
  if (!fleet.as_of) return std::nullopt;
  std::optional<Duration> limit;
  if (workload.time_limit) limit = workload.time_limit->value;
  else if (queue != nullptr && queue->default_time) limit = queue->default_time->value;
  else if (queue != nullptr && queue->max_time) limit = queue->max_time->value;
  return limit ? Instant{fleet.as_of->seconds + limit->seconds_up()} : never;
}

void set_reservations(const model::Fleet& fleet, const model::Workload& workload, const model::Queue* queue,
                      const model::NodesAsRead* own, std::optional<Instant> end, RolePlan& role) {
  role.held.clear(), role.inside.reset();
  const std::string wanted = asked_for(queue, own);
  for (std::uint32_t i = 0; i < fleet.reservations.size(); ++i) {
    const model::Reservation& r = fleet.reservations[i];
    const bool asked = !wanted.empty() && r.name == wanted;
    if (asked) role.inside = i;
    // Who names it starts while it lasts, whatever its time limit: Slurm does not compare that with the end.
    const bool open = !fleet.as_of || (r.from <= *fleet.as_of && *fleet.as_of < r.until);
    const bool during = !fleet.as_of || r.during(*fleet.as_of, end.value_or(never));
    if (asked ? !open : during && !has_account(r, workload, role)) role.held.push_back(i);
  }
}

std::vector<Instant> begins_of(const model::Fleet& fleet, const std::vector<RolePlan>& roles) {
  std::vector<Instant> out;
  for (const RolePlan& role : roles)
    for (const std::uint32_t i : role.held)
      if (fleet.as_of && fleet.reservations[i].from > *fleet.as_of) out.push_back(fleet.reservations[i].from);
  std::sort(out.begin(), out.end(), std::greater());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string fits_until(const model::Fleet& fleet, Instant until, std::optional<Instant> end) {
  const std::string run = hours_between(*fleet.as_of, until);
  const bool limited = end && *end < never;
  return "fits until " + with_weekday(until) + ": " + run +
         (limited ? " of the " + hours_between(*fleet.as_of, *end) + " requested" : ", and the job has no time limit");
}

}  // namespace muster::plan
