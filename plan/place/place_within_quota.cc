#include "plan/place/place_within_quota.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/largest.h"
#include "compiler/base/text.h"
#include "plan/place/gang.h"
#include "plan/place/place_on_pool.h"
#include "plan/pools/domains.h"
#include "plan/pools/node_needs.h"
#include "plan/quota/amounts.h"
#include "plan/quota/ceilings.h"

namespace muster::plan {
namespace {

using model::Pool;

// What of a role is on one pool as a whole: a replica that must be in a domain, a segment, or else a node.
class Pieces {
 public:
  explicit Pieces(const RolePlan& role) : role_(role) {
    const scheduler::Gang gang = gang_of(role);
    replicas_ = is_nested(role) || gang.one_leaf || (gang.segment > 1 && gang.segment == role.nodes) || role.nodes == 1;
    nodes_ = replicas_ ? role.nodes : std::max<std::int64_t>(gang.segment, 1);
  }

  std::int64_t count() const { return role_.total() / nodes_; }
  std::int64_t nodes() const { return nodes_; }
  // "7 pods"
  std::string counted_nodes(std::int64_t pieces) const {
    return counted(pieces * nodes_, role_.nodes_are_pods ? "pod" : "node");
  }
  // Whether replicas that are cut may not share nodes as they could whole.
  bool loses_sharing() const { return !replicas_ && role_.shares_nodes && role_.copies > 1; }
  // So many of them, on this pool.
  RolePlan on(const Pool& pool, std::int64_t count) const {
    RolePlan out = role_;
    out.pool = &pool;
    if (replicas_) out.copies = count;
    else out.copies = 1, out.nodes = count * nodes_;
    return out;
  }

 private:
  const RolePlan& role_;
  bool replicas_ = false;
  std::int64_t nodes_ = 1;
};

std::string names_of(const std::vector<const Pool*>& pools) {
  std::vector<std::string> names;
  for (const Pool* pool : pools) names.push_back(pool->name);
  return listed(names, "and");
}

using Counts = std::vector<std::int64_t>;  // of pieces, by pool

// Whether of two quotas one counts all pools of the other, or none: then pool by pool as many as there may be are the
// most that there may be of all.
bool are_nested(const model::Tenant& tenant, const std::vector<const Pool*>& pools) {
  const auto cross = [&](const model::Quota& a, const model::Quota& b) {
    bool both = false, only_a = false, only_b = false;
    for (const Pool* pool : pools) {
      const bool in_a = counts_pool(a, pool->name), in_b = counts_pool(b, pool->name);
      both |= in_a && in_b, only_a |= in_a && !in_b, only_b |= in_b && !in_a;
    }
    return both && only_a && only_b;
  };
  const auto crosses = [&](const model::Quota& a) {
    return std::any_of(tenant.quotas.begin(), tenant.quotas.end(), [&](const model::Quota& b) { return cross(a, b); });
  };
  return std::none_of(tenant.quotas.begin(), tenant.quotas.end(), crosses);
}

// The pieces that the ceilings allow on the pools. What operators add is on the first.
class Allowed {
 public:
  Allowed(const QuotaHolder& holder, const RolePlan& role, std::vector<const Pool*> pools)
      : holder_(holder), role_(role), pieces_(role), pools_(std::move(pools)) {
    Counts counts(pools_.size(), 0);
    for (std::size_t p = 0; p < pools_.size(); ++p) counts[p] = on(p, counts), sum_ += counts[p];
    nested_ = are_nested(*holder.tenant, pools_) && (are_alike() || !share_a_quota());
  }

  const Pieces& pieces() const { return pieces_; }
  const std::vector<const Pool*>& pools() const { return pools_; }
  // The most on this pool beside those of the others.
  std::int64_t on(std::size_t pool, Counts others) const {
    return largest(0, pieces_.count(), [&](std::int64_t n) {
      others[pool] = n;
      return !over(others);
    });
  }
  bool is_most() const { return nested_; }

  // Of one pool the quota's own words.
  std::optional<Certificate> exceeded() const {
    if (auto found = over_all()) return found;
    if (sum_ >= pieces_.count() || !nested_) return std::nullopt;
    if (pools_.size() == 1) return over({pieces_.count()});
    const std::int64_t need = pieces_.count() * pieces_.nodes(), have = sum_ * pieces_.nodes();
    return Certificate{"quota", need, have, need - have,
                       "requests " + pieces_.counted_nodes(pieces_.count()) + " of pools " + names_of(pools_) +
                           "; the quotas of tenant " + holder_.tenant->name + " allow " + std::to_string(have)};
  }

 private:
  // Whether a node counts as much on each of them.
  bool are_alike() const {
    const Amounts first = amounts_of_node(role_, holder_.plane, pools_.front());
    return std::all_of(pools_.begin(), pools_.end(),
                       [&](const Pool* pool) { return amounts_of_node(role_, holder_.plane, pool) == first; });
  }

  bool share_a_quota() const {
    const auto counts_several = [&](const model::Quota& quota) {
      const auto counts = [&](const Pool* pool) { return counts_pool(quota, pool->name); };
      return counts_pool(quota, model::all_pools) || std::count_if(pools_.begin(), pools_.end(), counts) > 1;
    };
    const auto& quotas = holder_.tenant->quotas;
    return std::any_of(quotas.begin(), quotas.end(), counts_several);
  }

  // Of the quotas that count all of the pools.
  std::optional<Certificate> over_all() const {
    Amounts asked = times(role_.total(), least_of_node(role_, holder_.plane, pools_));
    asked += amounts_added(holder_.workload, holder_.plane);
    for (const model::Quota& quota : holder_.tenant->quotas) {
      const auto counts = [&](const Pool* pool) { return counts_pool(quota, pool->name); };
      if (counts_pool(quota, model::all_pools) ||
          (pools_.size() > 1 && std::all_of(pools_.begin(), pools_.end(), counts)))
        if (auto found = over_quota(*holder_.tenant, quota, asked)) return found;
    }
    return std::nullopt;
  }

  std::optional<Certificate> over(const Counts& counts) const {
    AmountsByPool asked;
    for (std::size_t p = 0; p < pools_.size(); ++p)
      asked[pools_[p]->name] =
          times(pieces_.on(*pools_[p], counts[p]).total(), amounts_of_node(role_, holder_.plane, pools_[p]));
    asked[pools_.front()->name] += amounts_added(holder_.workload, holder_.plane);
    return over_quotas(holder_.tenant, asked);
  }

  const QuotaHolder& holder_;
  const RolePlan& role_;
  Pieces pieces_;
  std::vector<const Pool*> pools_;
  std::int64_t sum_ = 0;
  bool nested_ = true;
};

// Where it may have nodes: its pool, or all that are alike.
std::vector<const Pool*> pools_of(const RolePlan& role) {
  std::vector<const Pool*> out = role.choice();
  if (out.empty() && role.pool != nullptr) out.push_back(role.pool);
  return out;
}

// What each pool has room for of what is allowed there.
struct Room {
  Counts on;
  std::int64_t sum = 0;
  bool is_most = true;  // else more might be found
};

Room room_within(FleetState& fleet, const Allowed& allowed, Moment moment) {
  Room out;
  out.on.resize(allowed.pools().size(), 0);
  out.is_most = allowed.is_most() && !allowed.pieces().loses_sharing();
  for (std::size_t p = 0; p < allowed.pools().size(); ++p) {
    const std::int64_t still = std::min(allowed.on(p, out.on), allowed.pieces().count() - out.sum);
    out.on[p] = largest(0, still, [&](std::int64_t n) {
      const Verdict verdict = verdict_on_pool(fleet, allowed.pieces().on(*allowed.pools()[p], n), moment);
      out.is_most &= verdict != Verdict::unknown;
      return verdict == Verdict::fits;
    });
    out.sum += out.on[p];
  }
  return out;
}

Level too_little_room(const QuotaHolder& holder, const Allowed& allowed, const Room& room) {
  const std::int64_t each = allowed.pieces().nodes(), need = allowed.pieces().count() * each, have = room.sum * each;
  const std::string within = "within the quotas of tenant " + holder.tenant->name;
  if (!room.is_most) return {Verdict::unknown, {}, "no placement " + within + " was found"};
  return {Verdict::does_not_fit,
          Certificate{"quota", need, have, need - have,
                      "needs " + allowed.pieces().counted_nodes(allowed.pieces().count()) + "; " + within + " pools " +
                          names_of(allowed.pools()) + " have room for " + std::to_string(have)},
          {}};
}

// The placement of what there is room for.
void show(FleetState& fleet, const Allowed& allowed, const Room& room, Moment moment, RolePlan& role, Fit& fit) {
  fit.placements.clear();
  fit.leaf_switches = fit.leaf_lower_bound = fit.spines = fit.spine_lower_bound = 0;
  std::vector<const Pool*> used;
  for (std::size_t p = 0; p < allowed.pools().size(); ++p) {
    if (room.on[p] == 0) continue;
    used.push_back(allowed.pools()[p]);
    const RolePlan here = allowed.pieces().on(*used.back(), room.on[p]);
    Fit part;
    if (const PoolAnswer answer = ask_pool(fleet, here, moment); answer.witness) show(here, *answer.witness, part);
    fit.placements.insert(fit.placements.end(), part.placements.begin(), part.placements.end());
    fit.leaf_switches += part.leaf_switches;
    fit.leaf_lower_bound = std::max(fit.leaf_lower_bound, part.leaf_lower_bound);
  }
  role.pool = used.front();
  role.spans_pools = used.size() > 1;
  fit.pool = role.pool->name;
  for (std::size_t n = 0; n < fit.placements.size(); ++n)
    fit.placements[n].replica = static_cast<std::int64_t>(n) / role.nodes;
  const std::string note = role.spans_pools ? "on nodes of the pools " + names_of(used) : std::string();
  for (Level* level : {&fit.capacity, &fit.now})
    if (level->verdict == Verdict::fits && !note.empty()) level->note = note;
}

// What roles ask together of the pools of a quota, where none of these roles may go to another pool.
std::optional<Certificate> surely_over(const QuotaHolder& holder, const std::vector<RolePlan>& roles) {
  for (const model::Quota& quota : holder.tenant->quotas) {
    const auto counts = [&](const Pool* pool) { return counts_pool(quota, pool->name); };
    const bool all_pools = counts_pool(quota, model::all_pools);
    Amounts asked;
    bool all = true;
    for (const RolePlan& role : roles) {
      const bool inside = role.pool != nullptr && std::all_of(role.allowed.begin(), role.allowed.end(), counts);
      all &= inside;
      if (inside || all_pools) asked += times(role.total(), least_of_node(role, holder.plane, role.allowed));
    }
    if (all || all_pools) asked += amounts_added(holder.workload, holder.plane);
    if (auto over = over_quota(*holder.tenant, quota, asked)) return over;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Certificate> beyond_quotas(const QuotaHolder& holder, const RolePlan& role) {
  const std::vector<const Pool*> pools = pools_of(role);
  if (holder.tenant == nullptr || holder.tenant->quotas.empty() || pools.empty()) return std::nullopt;
  return Allowed(holder, role, pools).exceeded();
}

bool has_room_within_quotas(FleetState& fleet, const QuotaHolder& holder, const RolePlan& role) {
  const std::vector<const Pool*> pools = pools_of(role);
  const RolePlan everywhere = on_all(role, pools);
  const Allowed allowed(holder, everywhere, pools);
  return room_within(fleet, allowed, Moment::empty).sum >= allowed.pieces().count();
}

namespace {

// What is over the quotas where a batch system, which looks at nodes first and at quotas then, takes other nodes than
// those shown: its tasks may be on more of them, and nodes of several pools may count with unlike amounts.
std::optional<Certificate> over_elsewhere(const QuotaHolder& holder, const RolePlan& role, const Fit& fit) {
  if (holder.plane.batch() == nullptr || holder.tenant == nullptr) return std::nullopt;
  if (role.divided)
    return over_quotas(holder.tenant, amounts_by_pool(holder.workload, {role}, holder.plane, fit.placements));
  const std::vector<const Pool*> pools = pools_of(role);
  const auto on = [&](const Pool* pool) { return amounts_of_node(role, holder.plane, pool); };
  for (const Pool* pool : pools) {
    const Amounts here = on(pool), first = on(pools.front());
    if (here.cpus == first.cpus && here.gpus == first.gpus && here.memory == first.memory) continue;
    for (const Pool* other : pools)
      if (auto over = over_quotas(holder.tenant, {{other->name, times(role.total(), on(other))}})) return over;
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Certificate> place_within_quotas(FleetState& fleet, const QuotaHolder& holder, RolePlan& role, Fit& fit) {
  if (auto beyond = beyond_quotas(holder, role)) return beyond;
  if (auto over = over_elsewhere(holder, role, fit)) {
    fit.policy.note = "which nodes are taken decides: " + over->text;
    return std::nullopt;
  }
  if (!over_quotas(holder.tenant, amounts_by_pool(holder.workload, {role}, holder.plane, fit.placements)))
    return std::nullopt;
  const std::vector<const Pool*> pools = pools_of(role);
  RolePlan everywhere = on_all(role, pools);
  const Allowed allowed(holder, everywhere, pools);
  if (auto exceeded = allowed.exceeded()) return exceeded;
  RolePlan placed = everywhere;
  for (const Moment moment : {Moment::empty, Moment::now}) {
    Level& level = moment == Moment::empty ? fit.capacity : fit.now;
    if (level.verdict != Verdict::fits) continue;
    const Room room = room_within(fleet, allowed, moment);
    if (room.sum >= allowed.pieces().count()) {
      show(fleet, allowed, room, moment, placed, fit);
      continue;
    }
    Level too_little = too_little_room(holder, allowed, room);
    // On the empty fleet it is the quotas that are in the way.
    if (moment == Moment::empty && too_little.certificate) return too_little.certificate;
    if (moment == Moment::empty) fit.policy.note = std::move(too_little.note);
    else level = std::move(too_little);
  }
  role = std::move(placed);
  return std::nullopt;
}

void hold_to_quotas(const QuotaHolder& holder, const std::vector<RolePlan>& roles, Fit& fit) {
  if (holder.tenant == nullptr || holder.tenant->quotas.empty() || fit.policy.verdict != Verdict::fits) return;
  if (auto over = surely_over(holder, roles)) {
    fit.policy = {Verdict::does_not_fit, std::move(over), {}};
    return;
  }
  const AmountsByPool asked = amounts_by_pool(holder.workload, roles, holder.plane, fit.placements);
  if (auto over = over_quotas(holder.tenant, asked))
    fit.policy = {
        Verdict::unknown, {}, "no placement within the tenant's quotas was found; the one that is shown " + over->text};
}

}  // namespace muster::plan
