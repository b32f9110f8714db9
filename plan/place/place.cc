#include "plan/place/place.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/largest.h"
#include "compiler/base/text.h"
#include "plan/demand.h"
#include "plan/fleet/joined.h"
#include "plan/place/place_on_pool.h"
#include "plan/place/place_packed.h"
#include "plan/place/place_within_quota.h"
#include "plan/pools/domains.h"
#include "plan/pools/node_needs.h"
#include "plan/pools/pool_check.h"
#include "plan/quota/amounts.h"
#include "plan/quota/job_limits.h"
#include "plan/quota/tenant.h"
#include "plan/verdict.h"

namespace muster::plan {
namespace {

using model::Pool;
using model::Queue;
using model::Workload;

// A pool, or all of a choice together, asked at both moments.
struct Candidate {
  RolePlan role;  // with this pool
  PoolAnswer capacity, now;
  std::int64_t weight = 0;
  std::optional<Certificate> quota;  // the tenant's, where the workload is over it

  bool fits() const { return capacity.level.verdict == Verdict::fits && now.level.verdict == Verdict::fits && !quota; }
};

// Whether what is in use there is in use at both moments.
bool same_at_both(const Pool& pool) {
  const auto always = [](const model::InUse& use) { return use.when == model::InUse::When::always; };
  return std::all_of(pool.in_use.begin(), pool.in_use.end(), always);
}

// The role has the pool, or the one that joins `parts`.
Candidate try_pool(FleetState& fleet, RolePlan role, const Pools& parts) {
  Candidate out{std::move(role), {}, {}, std::numeric_limits<std::int64_t>::min(), {}};
  for (const Pool* part : parts) out.weight = std::max(out.weight, prefer_weight(*out.role.role, *part));
  out.capacity = ask_pool(fleet, out.role, Moment::empty);
  // What is too small empty is too small now; the counts of now would hide that behind "in use".
  const auto& why = out.capacity.level.certificate;
  const bool never = why && why->kind == "floor";
  const bool reserved = !out.role.held.empty() || out.role.inside;
  const bool same = out.capacity.level.verdict == Verdict::fits && !reserved &&
                    std::all_of(parts.begin(), parts.end(), [](const Pool* part) { return same_at_both(*part); });
  out.now = never || same ? out.capacity : ask_pool(fleet, out.role, Moment::now);
  return out;
}

// What fits within the quota, then what may; then what there is room for, be it over the quota or not; fits now: no
// preference changes a verdict; where neither fits empty, the least that is missing; prefer weight; no GPUs left idle;
// fewest leaves; least that is missing. Equal ones stay in the order of the fleet: names decide nothing.
bool before(const Candidate& a, const Candidate& b) {
  const auto rank = [](const Candidate& c) {
    const Verdict verdict = c.capacity.level.verdict;
    return verdict == Verdict::does_not_fit ? 4 : (c.quota ? 2 : 0) + (verdict == Verdict::unknown ? 1 : 0);
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (a.quota.has_value() != b.quota.has_value()) return b.quota.has_value();
  const Verdict now_a = a.now.level.verdict, now_b = b.now.level.verdict;
  if (now_a != now_b) return worse(now_a, now_b) == now_b;
  const auto by_empty = distance(a.capacity.level) <=> distance(b.capacity.level);
  if (rank(a) == 4 && by_empty != 0) return by_empty < 0;
  if (a.weight != b.weight) return a.weight > b.weight;
  if (const bool idle = leaves_gpus_idle(a.role, *a.role.pool); idle != leaves_gpus_idle(b.role, *b.role.pool))
    return !idle;
  const auto leaves = [](const Candidate& c) { return c.capacity.witness ? c.capacity.witness->counts.leaves : 0; };
  if (leaves(a) != leaves(b)) return leaves(a) < leaves(b);
  if (by_empty != 0) return by_empty < 0;
  return distance(a.now.level) < distance(b.now.level);
}

Level over_limit(const Queue& queue, std::int64_t need, std::int64_t have, const std::string& asked,
                 const std::string& allowed) {
  return refused(
      {"quota", need, have, need - have, "requests " + asked + "; queue " + queue.name + " allows " + allowed});
}

// In seconds; in milliseconds where no whole second is missing.
Level over_time(const Queue& queue, Duration asked, Duration allowed) {
  const bool seconds = asked.seconds_up() > allowed.seconds_up();
  const auto texts = in_one_unit(asked, allowed);
  return over_limit(queue, seconds ? asked.seconds_up() : asked.ms, seconds ? allowed.seconds_up() : allowed.ms,
                    texts.first, texts.second);
}

// What a queue will do that no limit forbids, but people want to know.
std::string remark(const Queue& queue, const Workload& workload) {
  std::string out;
  if (const auto limit = model::limit_of(workload, &queue); limit && !workload.time_limit)
    out = "without a time-limit, queue " + queue.name + " ends it after " + to_string(limit->value);
  if (queue.max_jobs)
    out += (out.empty() ? "" : "; ") + ("queue " + queue.name) + " runs " + counted(queue.max_jobs->value, "job") +
           " of one user at a time";
  return out;
}

bool has_limits(const Queue* queue) {
  return queue != nullptr && (queue->max_nodes || queue->max_gpus || queue->max_cpus || queue->max_memory);
}

// The queue's limits of a job, and what is over the tenant's quotas.
// `least`: on other nodes it may count so little. Where that decides, the level is not known.
Level ask_policy(const Queue* queue, const Workload& workload, const model::Plane& plane, const Amounts& job,
                 const Amounts& least, const std::optional<Certificate>& quota) {
  if (queue == nullptr && quota) return refused(*quota);
  if (queue == nullptr) return {Verdict::fits, {}, "the workload has no queue, so no limits are checked"};
  std::vector<Level> broken;
  if (quota) broken.push_back(refused(*quota));
  if (queue->max_time && workload.time_limit && workload.time_limit->value > queue->max_time->value)
    broken.push_back(over_time(*queue, workload.time_limit->value, queue->max_time->value));
  std::string doubt;
  for (Level& level : over_limits(*queue, job, least)) {
    if (level.certificate) broken.push_back(std::move(level));
    else doubt += (doubt.empty() ? "" : "; ") + level.note;
  }
  if (auto over = over_jobs(*queue, workload, plane, demand_of(workload).needed)) broken.push_back(refused(*over));
  if (broken.empty() && !doubt.empty()) return {Verdict::unknown, {}, std::move(doubt)};
  if (broken.empty()) return {Verdict::fits, {}, remark(*queue, workload)};
  for (std::size_t i = 1; i < broken.size(); ++i) add_note(broken.front(), "also " + broken[i].certificate->text);
  return broken.front();
}

std::string listed_pools(const Pools& pools) {
  std::vector<std::string> names;
  for (const Pool* pool : pools) names.push_back(pool->name);
  return (pools.size() > 1 ? "pools " : "pool ") + listed(names, "and");
}

// What was assumed, and what became of the other choices.
void annotate(const FleetState& fleet, Fit& fit, const std::vector<Candidate>& candidates) {
  const Candidate& chosen = candidates.front();
  const Pools pools = fleet.parts(*chosen.role.pool);
  const auto declares = [](const Pool* pool) { return !pool->in_use.empty(); };
  if (std::none_of(pools.begin(), pools.end(), declares))
    add_note(fit.now, "the fleet does not declare nodes in use in " + listed_pools(pools));
  else if (chosen.now.shared_gpus && chosen.role.gpus > 0)
    add_note(fit.now, "assumes that GPUs in use have the highest numbers of their node");
  for (auto other = candidates.begin() + 1; other != candidates.end(); ++other) {
    const std::string name = listed_pools(fleet.parts(*other->role.pool));
    if (fit.capacity.verdict != Verdict::fits)
      add_note(fit.capacity, name + ": " +
                                 (other->capacity.level.certificate ? other->capacity.level.certificate->text
                                                                    : other->capacity.level.note));
    else if (fit.now.verdict == Verdict::does_not_fit && other->now.level.verdict == Verdict::fits)
      add_note(fit.now, name + (pools.size() > 1 ? " have" : " has") + " room now");
  }
}

// A role's range, of its nodes or else of replicas that start together; nullptr: its size is fixed.
const model::Count* range_of(const RolePlan& role) {
  if (is_range(role.role->resources.nodes)) return &role.role->resources.nodes->value;
  return is_range(role.role->replicas) && role.copies == role.role->copies() ? &role.role->replicas->value : nullptr;
}

bool is_of_nodes(const model::Count& range, const RolePlan& role) {
  return role.role->resources.nodes && &range == &role.role->resources.nodes->value;
}

// The largest size of the range that fits at that moment, by halves: whatever is smaller fits too, since a part of a
// placement is one. Where segments divide the nodes, whole segments count.
std::int64_t largest_that_fits(FleetState& fleet, const RolePlan& role, const model::Count& range, Moment moment) {
  const bool of_nodes = is_of_nodes(range, role);
  const model::Topology* topology = topology_of(role);
  const std::int64_t step = of_nodes && topology != nullptr && topology->segment ? topology->segment->value : 1;
  const Pools pools = role.choice();
  RolePlan all = on_all(role, pools);
  all.pool = &fleet.join(pools, role.family);
  // More than the pools have nodes never fit, unless they share them.
  const bool share = of_nodes ? role.nodes_are_pods : role.shares_nodes || is_packed(role);
  const std::int64_t room = share ? range.high : all.pool->node_count;
  const std::int64_t most = std::clamp(range.high, range.low, std::max(range.low, room));
  const std::int64_t steps = largest(0, (most - range.low) / step, [&](std::int64_t more) {
    RolePlan larger = all;
    (of_nodes ? larger.nodes : larger.copies) = range.low + more * step;
    return verdict_on_pool(fleet, larger, moment) == Verdict::fits;
  });
  return range.low + steps * step;
}

void note_range(FleetState& fleet, const RolePlan& role, Moment moment, Level& level) {
  const model::Count* range = range_of(role);
  if (range == nullptr || level.verdict != Verdict::fits) return;
  add_note(level, "of " + std::to_string(range->low) + " to " +
                      counted(range->high, is_of_nodes(*range, role) ? "node" : "replica") + ", up to " +
                      std::to_string(largest_that_fits(fleet, role, *range, moment)) + " fit");
}

// What several pools answer together that one of them alone does not: that stands.
void keep(const Candidate& alone, Candidate& all) {
  if (alone.capacity.level.verdict == Verdict::fits && all.capacity.level.verdict != Verdict::fits)
    all.capacity.level = alone.capacity.level;
}

void doubt(Level& level) {
  if (level.verdict == Verdict::does_not_fit)
    level = {
        Verdict::unknown, {}, "a placement on several pools is not searched for; on one: " + level.certificate->text};
}

// A gang of which each node is like the others and is anywhere.
bool is_plain(const RolePlan& role) {
  return topology_of(role) == nullptr && role.copies == 1 && role.sharing.empty() && !is_packed(role) &&
         !role.may_share_nodes() && !role.role->resources.part_of_gpu();
}

// The nodes of each pool that take the role, until they are enough.
PoolAnswer ask_each_pool(FleetState& fleet, const RolePlan& role, const Pools& pools, Moment moment) {
  Witness found;
  std::int64_t have = 0;
  bool unknown = false;
  for (const Pool* pool : pools) {
    RolePlan there = role;
    choose_pool(there, pool);
    there.divided.reset();
    const auto asked = [&](std::int64_t nodes) {
      there.nodes = nodes;
      return ask_pool(fleet, there, moment);
    };
    unknown |= asked(1).level.verdict == Verdict::unknown;
    const std::int64_t own = largest(0, std::min(role.nodes - have, pool->node_count),
                                     [&](std::int64_t nodes) { return asked(nodes).level.verdict == Verdict::fits; });
    if (own == 0) continue;
    Fit part;
    show(there, *asked(own).witness, part);
    found.counts.leaves += part.leaf_switches;
    found.pods.insert(found.pods.end(), part.placements.begin(), part.placements.end());
    have += own;
  }
  found.counts.lower_bound = std::min<std::int64_t>(found.counts.leaves, 1);
  PoolAnswer out;
  if (have >= role.nodes) out = {{Verdict::fits, {}, {}}, std::move(found)};
  else if (unknown) out.level = {Verdict::unknown, {}, "not all pools declare what the file requests"};
  else
    out.level = refused({"class", role.nodes, have, role.nodes - have,
                         "needs " + counted(role.nodes, "node") + "; " + listed_pools(pools) +
                             " together have room on " + std::to_string(have)});
  return out;
}

class Placer {
 public:
  Placer(FleetState& fleet, const model::Plane& plane, const model::Tenant* tenant, const Workload& workload)
      : fleet_(fleet), holder_{plane, tenant, workload} {}

  // Returns what is over the tenant's quotas; of several roles that is asked once all are placed.
  std::optional<Certificate> place(RolePlan& role, Fit& fit) {
    std::vector<Candidate> candidates;
    for (const Pools& choice : role.choices) candidates.push_back(try_choice(role, choice));
    std::stable_sort(candidates.begin(), candidates.end(), before);
    Outcome best = settle(candidates, role, fit);
    std::string doubt;  // of another choice it is not known whether it fits now
    for (std::size_t i = 1; i < candidates.size() && best.is_worse_than_possible(); ++i) {
      if (candidates[i].capacity.level.verdict == Verdict::does_not_fit || candidates[i].quota) continue;
      const auto first = candidates.begin(), other = first + static_cast<std::ptrdiff_t>(i);
      std::rotate(first, other, other + 1);
      Outcome outcome = settle(candidates, role, fit);
      if (outcome.may_fit_now()) doubt = listed_pools(fleet_.parts(*first->role.pool)) + ": " + outcome.why_unknown();
      if (outcome.before(best)) best = std::move(outcome);
      else std::rotate(first, first + 1, other + 1);
    }
    if (!doubt.empty() && best.fit.now.verdict == Verdict::does_not_fit)
      best.fit.now = {Verdict::unknown, {}, std::move(doubt)};
    role = std::move(best.role), fit = std::move(best.fit);
    if (holder_.workload.groups() <= 1 && !starts_one_by_one(holder_.workload)) {
      note_range(fleet_, role, Moment::empty, fit.capacity);
      note_range(fleet_, role, Moment::now, fit.now);
    }
    return std::move(best.quota);
  }

 private:
  // The role on one of its choices.
  struct Outcome {
    RolePlan role;
    Fit fit;
    std::optional<Certificate> quota;

    Verdict starts() const {
      const bool unknown = fit.capacity.verdict == Verdict::unknown || !fit.policy.note.empty();
      if (quota || fit.capacity.verdict == Verdict::does_not_fit) return Verdict::does_not_fit;
      return unknown ? Verdict::unknown : Verdict::fits;
    }
    bool may_fit_now() const { return starts() != Verdict::does_not_fit && fit.now.verdict != Verdict::does_not_fit; }
    bool is_worse_than_possible() const { return worse(starts(), fit.now.verdict) != Verdict::fits; }
    bool before(const Outcome& other) const {
      if (starts() != other.starts()) return worse(starts(), other.starts()) != starts();
      const Verdict now = fit.now.verdict, other_now = other.fit.now.verdict;
      return now != other_now && worse(now, other_now) != now;
    }
    const std::string& why_unknown() const {
      if (fit.now.verdict == Verdict::unknown) return fit.now.note;
      return fit.capacity.verdict == Verdict::unknown ? fit.capacity.note : fit.policy.note;
    }
  };

  // On the first of the choices, within the quotas.
  Outcome settle(const std::vector<Candidate>& candidates, const RolePlan& role, const Fit& fit) {
    const Candidate& chosen = candidates.front();
    Outcome out{role, fit, {}};
    out.fit.capacity = chosen.capacity.level, out.fit.now = chosen.now.level;
    annotate(fleet_, out.fit, candidates);
    take(chosen, out.role, out.fit);
    if (holder_.workload.groups() <= 1) out.quota = place_within_quotas(fleet_, holder_, out.role, out.fit);
    return out;
  }

  // Its pool that serves the role best; where none does alone, all of them together.
  Candidate try_choice(const RolePlan& role, const Pools& choice) {
    std::vector<Candidate> each;
    RolePlan here = role;
    here.allowed.clear(), here.choices.clear(), here.same_file.clear();  // each of thousands would hold all of them
    for (const Pool* pool : choice) {
      RolePlan there = here;
      choose_pool(there, pool);
      restrict_to(there, {pool});
      auto quota = beyond_quotas(holder_, there);
      there.allowed.clear(), there.choices.clear();
      each.push_back(try_pool(fleet_, std::move(there), {pool}));
      each.back().quota = std::move(quota);
    }
    std::stable_sort(each.begin(), each.end(), before);
    Candidate& best = each.front();
    if (choice.size() == 1 || best.fits()) return std::move(best);
    if (!can_join(role, choice)) {
      if (is_plain(role) && !role.divided) return try_each_node(here, choice, best);
      doubt(best.capacity.level), doubt(best.now.level);
      return std::move(best);
    }
    RolePlan everywhere = on_all(here, choice);
    restrict_to(everywhere, choice);
    const auto quota = beyond_quotas(holder_, everywhere);
    everywhere.pool = &fleet_.join(choice, role.family);
    Candidate all = try_pool(fleet_, std::move(everywhere), choice);
    all.quota = quota;
    for (PoolAnswer* answer : {&all.capacity, &all.now}) {
      if (answer->level.certificate) name_several(all.role.pool->name, answer->level.certificate->text);
      name_several(all.role.pool->name, answer->level.note);
    }
    keep(best, all);
    return all;
  }

  // All pools together where the amounts of a node are those of its own pool: as many nodes of each as take the role.
  Candidate try_each_node(const RolePlan& here, const Pools& choice, const Candidate& best) {
    RolePlan everywhere = on_all(here, choice);
    restrict_to(everywhere, choice);
    auto quota = beyond_quotas(holder_, everywhere);
    everywhere.pool = &fleet_.join(choice, here.family);
    Candidate all{std::move(everywhere), {}, {}, best.weight, std::move(quota)};
    all.capacity = ask_each_pool(fleet_, here, choice, Moment::empty);
    all.now = ask_each_pool(fleet_, here, choice, Moment::now);
    keep(best, all);
    return all;
  }

  // The candidate's placement and amounts, with pools of the fleet.
  void take(const Candidate& chosen, RolePlan& role, Fit& fit) {
    const Pools pools = fleet_.parts(*chosen.role.pool);
    if (pools.size() == 1) choose_pool(role, pools.front());
    else role = on_all(role, pools), role.pool = pools.front();
    for (const auto& [answer, level] : {std::pair(&chosen.capacity, &fit.capacity), std::pair(&chosen.now, &fit.now)}) {
      if (!answer->witness) continue;
      if (pools.size() == 1 && level == &fit.capacity && chosen.now.witness) continue;  // the nodes are those of now
      fit.placements.clear();
      show(chosen.role, *answer->witness, fit);
      fleet_.name_origins(fit.placements);
      const Pools used = pools_of(fit.placements, "", pools);
      if (pools.size() > 1) role.pool = used.front(), role.spans_pools = used.size() > 1;
      if (used.size() > 1) level->note = "on nodes of the " + listed_pools(used);
    }
    fit.pool = role.pool->name;
  }

  FleetState& fleet_;
  QuotaHolder holder_;
};

}  // namespace

Fit place(FleetState& fleet, const model::Plane& plane, const Queue* queue, const model::Tenant* tenant,
          const Workload& workload, RolePlan& role) {
  Fit fit;
  std::optional<Certificate> quota;
  if (fleet.fleet() == nullptr) {
    choose_pool(role, nullptr);
    fit.capacity = fit.now = {Verdict::unknown, {}, "the site declares no fleet, so the fit is not checked"};
  } else if (role.allowed.empty()) {
    choose_pool(role, nullptr);
    const std::string text = "needs " + counted(role.nodes, "node") + "; no pool of plane " + plane.name +
                             " meets the requirements of role " + role.role->name;
    fit.capacity = fit.now = refused({"class", role.nodes, 0, role.nodes, text});
  } else {
    quota = Placer(fleet, plane, tenant, workload).place(role, fit);
  }
  if (tenant != nullptr && queue != nullptr && !may_use(*tenant, *queue))
    quota =
        Certificate{"quota", role.nodes, 0, role.nodes, "tenant " + tenant->name + " may not use queue " + queue->name};
  const std::string doubt = std::move(fit.policy.note);  // of the quotas
  // Of a job of many roles the amounts are those of all, and each role is asked.
  const Amounts job = has_limits(queue) ? amounts_of_job(workload, role, plane, fit.placements) : Amounts{};
  fit.policy = ask_policy(queue, workload, plane, job, least_of_job(role, plane, job), quota);
  if (fit.policy.verdict == Verdict::fits && !doubt.empty()) fit.policy = {Verdict::unknown, {}, doubt};
  fit.verdict = worst_of(fit);
  return fit;
}

}  // namespace muster::plan
