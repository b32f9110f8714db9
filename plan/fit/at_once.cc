#include "plan/fit/at_once.h"

#include <algorithm>

#include "compiler/base/largest.h"
#include "compiler/base/text.h"
#include "plan/fleet/joined.h"
#include "plan/place/place_on_pool.h"
#include "plan/place/place_within_quota.h"
#include "plan/pools/node_needs.h"
#include "plan/quota/account_limits.h"
#include "plan/quota/job_limits.h"
#include "scheduler/saturate.h"

namespace muster::plan {
namespace {

// The role with so many units of its workload.
RolePlan with_units(const RolePlan& placed, const model::Workload& workload, const Demand& demand, std::int64_t count) {
  RolePlan out = placed;
  const RoleDemand& role = demand.roles.front();
  out.copies = demand.unit == Unit::point ? scheduler::product(role.together, count) : count;
  // Units that start each by itself may meet on a node.
  const bool apart = workload.sweep || workload.starts() != model::Gang::all;
  if (apart && role.together == 1) out.shares_nodes = true;
  return out;
}

// No node has room for more pods of the role than this; the units of a pool are fewer.
std::int64_t most_on_pool(const RolePlan& role, std::int64_t in_all) {
  const model::Pool& pool = *role.pool;
  std::int64_t a_node = in_all;
  const model::Resources& asked = role.role->resources;
  if (asked.part_of_gpu()) a_node = 100 * (pool.gpu ? pool.gpu->count : 0);
  else if (role.gpus > 0) a_node = (pool.gpu ? pool.gpu->count : 0) / role.gpus;
  else if (role.counted_cpus() > 0 && pool.cpus > 0) a_node = pool.cpus / role.counted_cpus();
  return std::min(in_all, scheduler::product(std::max<std::int64_t>(a_node, 1), pool.node_count));
}

class Counter {
 public:
  Counter(FleetState& fleet, const AtOnceRequest& request, const Fit& fit)
      : fleet_(fleet), ask_(request), demand_(demand_of(request.workload, &request.plane)), fit_(fit) {}

  AtOnce count() {
    AtOnce out{demand_.unit, demand_.needed, demand_.in_all};
    out.room = on_fleet(fit_.capacity, Moment::empty);
    out.room_now = on_fleet(fit_.now, Moment::now);
    out.allowed = by_policy();
    if (out.room && out.allowed) out.possible = std::min(*out.room, *out.allowed);
    return out;
  }

 private:
  bool is_one_role() const { return ask_.placed.size() == 1 && ask_.placed.front().pool != nullptr; }

  // What is known of a level without a search; nullopt: it takes one, or nothing is known.
  std::optional<std::int64_t> plainly(const Level& level) const {
    if (level.verdict == Verdict::fits && demand_.needed == demand_.in_all) return demand_.needed;
    if (level.verdict == Verdict::does_not_fit && demand_.needed == 1) return 0;
    return std::nullopt;
  }

  std::optional<std::int64_t> on_fleet(const Level& level, Moment moment) {
    if (const auto plain = plainly(level)) return plain;
    if (level.verdict == Verdict::unknown || !is_one_role()) return std::nullopt;
    const RolePlan& role = ask_.placed.front();
    const Pools pools = role.choice();
    constexpr std::int64_t most_counted = 100'000;  // more pods are not placed one by one
    std::int64_t found = 0;
    // Units start each by itself: those of pools that are not joined add up.
    for (const Pools& together : can_join(role, pools) ? std::vector<Pools>{pools} : each_alone(pools)) {
      RolePlan here = on_all(role, together);
      here.pool = &fleet_.join(together, role.family);
      const std::int64_t most = std::min(most_on_pool(here, demand_.in_all - found), most_counted);
      found += largest(0, most, [&](std::int64_t count) {
        return verdict_on_pool(fleet_, with_units(here, ask_.workload, demand_, count), moment) == Verdict::fits;
      });
    }
    if (found >= most_counted && found < demand_.in_all) return std::nullopt;
    const bool fits = level.verdict == Verdict::fits;
    return fits ? std::max(found, demand_.needed) : std::min(found, demand_.needed - 1);
  }

  std::optional<std::int64_t> by_policy() const {
    if (ask_.placed.size() != 1) return plainly(fit_.policy);
    const RolePlan& role = ask_.placed.front();
    const bool within = !over_policy(role, demand_.needed);
    if (within && fit_.policy.verdict != Verdict::fits) return in_room_within_quotas(role);
    const std::int64_t most = std::min(demand_.in_all, demand_.max_parallel.value_or(demand_.in_all));
    const std::int64_t low = within ? demand_.needed : 0;
    return largest(low, std::max(low, within ? most : std::min(most, demand_.needed - 1)),
                   [&](std::int64_t count) { return !over_policy(role, count); });
  }

  // What the quotas allow where there is room for it; 0 where another limit is in the way, of time or of one job, that
  // no count is within.
  std::int64_t in_room_within_quotas(const RolePlan& role) const {
    if (ask_.tenant == nullptr || ask_.tenant->quotas.empty() || role.pool == nullptr) return 0;
    const auto holds = [&](std::int64_t count) {
      return has_room_within_quotas(fleet_, holder(), with_units(role, ask_.workload, demand_, count));
    };
    return holds(demand_.needed) ? 0 : largest(0, demand_.needed - 1, holds);
  }

  bool over_policy(const RolePlan& role, std::int64_t count) const {
    if (beyond_quotas(holder(), with_units(role, ask_.workload, demand_, count))) return true;
    if (over_account(ask_.tenant, ask_.queue, ask_.workload, ask_.plane, count)) return true;
    return ask_.queue != nullptr &&
           over_jobs(*ask_.queue, ask_.workload, ask_.plane, count, ask_.jobs_of_others).has_value();
  }

  QuotaHolder holder() const { return {ask_.plane, ask_.tenant, ask_.workload}; }

  FleetState& fleet_;
  const AtOnceRequest& ask_;
  Demand demand_;
  const Fit& fit_;
};

}  // namespace

RolePlan at_once(const model::Workload& workload, const RolePlan& role, const model::Plane& plane) {
  const RoleDemand demand = demand_of(workload, *role.role, &plane);
  RolePlan out = role;
  out.copies = demand.at_once;
  out.nodes = demand.nodes_at_once;
  // Replicas that start each by itself are jobs, or pods, of their own: they may meet on a node.
  if (demand.at_once > demand.together) out.shares_nodes = true;
  return out;
}

std::vector<RolePlan> at_once(const model::Workload& workload, const std::vector<RolePlan>& roles,
                              const model::Plane& plane) {
  std::vector<RolePlan> out;
  for (const RolePlan& role : roles) out.push_back(at_once(workload, role, plane));
  return out;
}

AtOnce count_at_once(FleetState& fleet, const AtOnceRequest& request, const Fit& fit) {
  return Counter(fleet, request, fit).count();
}

std::string part_text(std::int64_t count, std::int64_t of, Unit unit) {
  return with_thousands(count) + " of " + with_thousands(of) + " " + std::string(name(unit)) + (of == 1 ? "" : "s");
}

void name_room(Level& level, std::optional<std::int64_t> room, const AtOnce& all) {
  if (level.verdict != Verdict::does_not_fit || !level.certificate || !room || all.needed <= 1) return;
  level.certificate->text += "; " + part_text(*room, all.needed, all.unit) + (*room == 1 ? " fits" : " fit");
}

void name_room(Fit& fit) {
  name_room(fit.capacity, fit.at_once.room, fit.at_once);
  name_room(fit.policy, fit.at_once.allowed, fit.at_once);
  name_room(fit.now, fit.at_once.room_now, fit.at_once);
}

}  // namespace muster::plan
