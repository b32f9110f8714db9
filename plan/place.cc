#include "plan/place.h"

#include <algorithm>
#include <utility>

#include "compiler/base/text.h"
#include "plan/largest.h"
#include "plan/members.h"
#include "plan/place_across.h"
#include "plan/place_on_pool.h"
#include "plan/place_packed.h"
#include "plan/place_within_quota.h"
#include "plan/shape.h"
#include "plan/tenant.h"

namespace muster::plan {
namespace {

using model::Pool;
using model::Queue;
using model::Workload;

// One pool, asked at both moments.
struct CandidatePool {
  RolePlan role;  // with this pool
  PoolAnswer capacity, now;
  std::int64_t weight = 0;
  std::optional<Certificate> quota;  // the tenant's, where the workload is over it
};

// Whether what is in use there is in use at both moments.
bool same_at_both(const Pool& pool) {
  const auto always = [](const model::InUse& use) { return use.when == model::InUse::When::always; };
  return std::all_of(pool.in_use.begin(), pool.in_use.end(), always);
}

CandidatePool try_pool(FleetState& fleet, const RolePlan& role, const Pool* pool) {
  CandidatePool candidate{role, {}, {}, prefer_weight(*role.role, *pool), {}};
  choose_pool(candidate.role, pool);
  candidate.capacity = ask_pool(fleet, candidate.role, Moment::empty);
  // What is too small empty is too small now; the counts of now would hide that behind "in use".
  const auto& why = candidate.capacity.level.certificate;
  const bool never = why && why->kind == "floor";
  const bool reserved = !role.held.empty() || role.inside;
  const bool same = candidate.capacity.level.verdict == Verdict::fits && same_at_both(*pool) && !reserved;
  candidate.now = never || same ? candidate.capacity : ask_pool(fleet, candidate.role, Moment::now);
  return candidate;
}

// Within the quota; fits, then unknown, then not; prefer weight; fits now; fewest leaves. Equal ones stay in the order
// of the fleet: names decide nothing.
bool before(const CandidatePool& a, const CandidatePool& b) {
  const auto rank = [](const CandidatePool& c) {
    return c.capacity.level.verdict == Verdict::fits ? 0 : c.capacity.level.verdict == Verdict::unknown ? 1 : 2;
  };
  if (a.quota.has_value() != b.quota.has_value()) return b.quota.has_value();
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (a.weight != b.weight) return a.weight > b.weight;
  const Verdict now_a = a.now.level.verdict, now_b = b.now.level.verdict;
  if (now_a != now_b) return worse(now_a, now_b) == now_b;
  const auto leaves = [](const CandidatePool& c) { return c.capacity.witness ? c.capacity.witness->counts.leaves : 0; };
  return leaves(a) < leaves(b);
}

Level over_limit(const Queue& queue, std::int64_t need, std::int64_t have, const std::string& asked,
                 const std::string& allowed) {
  return refused(
      {"quota", need, have, need - have, "requests " + asked + "; queue " + queue.name + " allows " + allowed});
}

// In seconds; in milliseconds where no whole second is missing.
Level over_time(const Queue& queue, Duration asked, Duration allowed) {
  const bool seconds = asked.seconds_up() > allowed.seconds_up();
  return over_limit(queue, seconds ? asked.seconds_up() : asked.ms, seconds ? allowed.seconds_up() : allowed.ms,
                    to_string(asked), to_string(allowed));
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

// The queue's limits of a job, and what is over the tenant's quotas.
Level ask_policy(const Queue* queue, const Workload& workload, const model::Plane& plane, const Amounts& job,
                 const std::optional<Certificate>& quota) {
  if (queue == nullptr && quota) return refused(*quota);
  if (queue == nullptr) return {Verdict::fits, {}, "no queue of the site applies, so the limits are not known"};
  const std::int64_t nodes = job.nodes, gpus = job.gpus;
  std::vector<Level> broken;
  if (quota) broken.push_back(refused(*quota));
  if (queue->max_time && workload.time_limit && workload.time_limit->value > queue->max_time->value)
    broken.push_back(over_time(*queue, workload.time_limit->value, queue->max_time->value));
  if (queue->max_nodes && nodes > queue->max_nodes->value)
    broken.push_back(over_limit(*queue, nodes, queue->max_nodes->value, counted(nodes, "node"),
                                std::to_string(queue->max_nodes->value) + " per job"));
  if (queue->max_gpus && gpus > queue->max_gpus->value)
    broken.push_back(over_limit(*queue, gpus, queue->max_gpus->value, counted(gpus, "GPU"),
                                std::to_string(queue->max_gpus->value) + " per job"));
  if (auto over = over_jobs(*queue, workload, plane, demand_of(workload).needed)) broken.push_back(refused(*over));
  if (broken.empty()) return {Verdict::fits, {}, remark(*queue, workload)};
  for (std::size_t i = 1; i < broken.size(); ++i) add_note(broken.front(), "also " + broken[i].certificate->text);
  return broken.front();
}

// What was assumed, and what became of the other pools.
void annotate(Fit& fit, const std::vector<CandidatePool>& candidates) {
  const CandidatePool& chosen = candidates.front();
  const std::string pool = "pool " + chosen.role.pool->name;
  if (chosen.role.pool->in_use.empty()) add_note(fit.now, "the fleet does not declare nodes in use in " + pool);
  else if (chosen.now.shared_gpus && chosen.role.gpus > 0)
    add_note(fit.now, "assumes that GPUs in use have the highest numbers of their node");
  for (auto other = candidates.begin() + 1; other != candidates.end(); ++other) {
    const std::string name = "pool " + other->role.pool->name;
    if (fit.capacity.verdict != Verdict::fits)
      add_note(fit.capacity, name + ": " +
                                 (other->capacity.level.certificate ? other->capacity.level.certificate->text
                                                                    : other->capacity.level.note));
    else if (fit.now.verdict == Verdict::does_not_fit && other->now.level.verdict == Verdict::fits)
      add_note(fit.now, name + " has room now");
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
  // More than the pool has nodes never fit, unless they share them.
  const bool share = of_nodes ? role.nodes_are_pods : role.shares_nodes || is_packed(role);
  const std::int64_t room = share ? range.high : role.pool->node_count;
  const std::int64_t most = std::clamp(range.high, range.low, std::max(range.low, room));
  const std::int64_t steps = largest(0, (most - range.low) / step, [&](std::int64_t more) {
    RolePlan larger = role;
    (of_nodes ? larger.nodes : larger.copies) = range.low + more * step;
    return verdict_on_pool(fleet, larger, moment) == Verdict::fits;
  });
  return range.low + steps * step;
}

void note_range(FleetState& fleet, const RolePlan& role, Moment moment, Level& level) {
  const model::Count* range = range_of(role);
  if (range == nullptr || level.verdict != Verdict::fits || role.spans_pools) return;
  const std::string where = may_span_pools(role) ? " on pool " + role.pool->name : std::string();
  add_note(level, "of " + std::to_string(range->low) + " to " +
                      counted(range->high, is_of_nodes(*range, role) ? "node" : "replica") + ", up to " +
                      std::to_string(largest_that_fits(fleet, role, *range, moment)) + " fit" + where);
}

// Returns what is over the tenant's quotas; of several roles that is asked once all are placed.
std::optional<Certificate> place_on_fleet(FleetState& fleet, Fit& fit, const model::Plane& plane,
                                          const model::Tenant* tenant, const Workload& workload, RolePlan& role) {
  std::vector<CandidatePool> candidates;
  RolePlan here = role;
  here.allowed.clear();  // each of thousands would hold all of them
  for (const Pool* pool : role.allowed) {
    candidates.push_back(try_pool(fleet, here, pool));
    candidates.back().quota = over_quota(tenant, pool->name, amounts_at_once(workload, candidates.back().role, plane));
  }
  std::stable_sort(candidates.begin(), candidates.end(), before);
  const CandidatePool& chosen = candidates.front();
  choose_pool(role, chosen.role.pool);
  fit.pool = role.pool->name;
  fit.capacity = chosen.capacity.level;
  fit.now = chosen.now.level;
  if (const auto& witness = chosen.now.witness ? chosen.now.witness : chosen.capacity.witness)
    show(role, *witness, fit);
  annotate(fit, candidates);
  place_across(fleet, role, fit);
  std::optional<Certificate> quota;
  if (workload.groups() == 1) quota = place_within_quotas(fleet, {plane, tenant, workload}, role, fit);
  if (workload.groups() == 1 && !starts_one_by_one(workload)) {
    note_range(fleet, role, Moment::empty, fit.capacity);
    note_range(fleet, role, Moment::now, fit.now);
  }
  return quota;
}

}  // namespace

Verdict worse(Verdict a, Verdict b) {
  if (a == Verdict::does_not_fit || b == Verdict::does_not_fit) return Verdict::does_not_fit;
  return a == Verdict::unknown || b == Verdict::unknown ? Verdict::unknown : Verdict::fits;
}

std::int64_t jobs_of(const Workload& workload, std::int64_t units) {
  return workload.sweep || workload.starts() != model::Gang::all ? units : 1;
}

std::optional<Certificate> over_jobs(const Queue& queue, const Workload& workload, const model::Plane& plane,
                                     std::int64_t units, std::int64_t others) {
  if (plane.batch() == nullptr || !queue.max_jobs) return std::nullopt;
  const std::int64_t jobs = others + jobs_of(workload, units), have = queue.max_jobs->value;
  if (jobs <= have) return std::nullopt;
  return Certificate{"quota", jobs, have, jobs - have,
                     "needs " + counted(jobs, "job") + " at once; queue " + queue.name + " runs " +
                         std::to_string(have) + " of one user at a time"};
}

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
    quota = place_on_fleet(fleet, fit, plane, tenant, workload, role);
  }
  if (tenant != nullptr && queue != nullptr && !may_use(*tenant, *queue))
    quota =
        Certificate{"quota", role.nodes, 0, role.nodes, "tenant " + tenant->name + " may not use queue " + queue->name};
  fit.policy = ask_policy(queue, workload, plane, amounts_of_job(workload, role, plane), quota);
  fit.verdict = worse(worse(fit.capacity.verdict, fit.policy.verdict), fit.now.verdict);
  return fit;
}

}  // namespace muster::plan
