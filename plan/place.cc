#include "plan/place.h"

#include <algorithm>
#include <utility>

#include "compiler/base/text.h"
#include "plan/domains.h"
#include "plan/members.h"
#include "plan/place_across.h"
#include "plan/place_packed.h"
#include "plan/place_within_quota.h"
#include "plan/pool_state.h"
#include "plan/shape.h"
#include "plan/tenant.h"
#include "scheduler/gang.h"
#include "scheduler/nested.h"

namespace muster::plan {
namespace {

using model::Pool;
using model::Queue;
using model::Workload;
using scheduler::Gang;
using scheduler::Placement;

void add_note(Level& level, std::string text) { level.note += (level.note.empty() ? "" : "; ") + std::move(text); }

Level refused(Certificate certificate) { return {Verdict::does_not_fit, std::move(certificate), {}}; }

// That it fits: which nodes, and of pods that share them which devices.
struct Witness {
  Placement counts;
  std::vector<PlacedNode> pods{};  // of roles that are packed
};

// One pool, asked at both moments.
struct CandidatePool {
  RolePlan role;  // with this pool
  Level capacity, now;
  std::optional<Witness> empty, current;
  bool shared_gpus = false;
  std::int64_t weight = 0;
  std::optional<Certificate> quota;  // the tenant's, where the workload is over it
};

// What no count of nodes can change.
std::optional<Certificate> impossible(const RolePlan& role) {
  const model::Topology* topology = topology_of(role);
  if (topology != nullptr && topology->required && topology->within.value == model::Within::node && role.nodes > 1)
    return Certificate{"domain", role.nodes, 1, role.nodes - 1,
                       "needs " + counted(role.nodes, "node") + " within one node, as topology requires"};
  const auto& disk = role.role->resources.disk;
  if (disk && role.pool->disk > Size{} && role.pool->disk < disk->value)
    return Certificate{"floor", disk->value.bytes, role.pool->disk.bytes, disk->value.bytes - role.pool->disk.bytes,
                       "needs " + to_string(disk->value) + " of disk per node; nodes of pool " + role.pool->name +
                           " have " + to_string(role.pool->disk)};
  return std::nullopt;
}

// Leaf switches of a placement that was counted by other domains, and the fewest that any has.
void count_leaves(FleetState& fleet, const RolePlan& role, Moment moment, Gang gang, Placement& placement) {
  const PoolState& state = fleet.of(role, moment);
  std::vector<std::uint32_t> leaves;
  for (const std::uint32_t node : placement.nodes) leaves.push_back(state.stock.nodes()[node].leaf);
  std::sort(leaves.begin(), leaves.end());
  placement.leaves = std::unique(leaves.begin(), leaves.end()) - leaves.begin();
  placement.spines = placement.spine_bound = 0;
  gang.one_leaf = false, gang.segment = 1;
  const scheduler::Answer anywhere = state.stock.place(gang);
  if (const auto* found = std::get_if<Placement>(&anywhere)) placement.lower_bound = found->lower_bound;
}

std::vector<std::uint32_t> domain_of_nodes(const PoolState& state) {
  std::vector<std::uint32_t> out;
  for (const scheduler::Node& node : state.stock.nodes()) out.push_back(node.leaf);
  return out;
}

Certificate too_few_copies(const scheduler::CopyShortage& shortage, const RolePlan& role, const Gang& gang) {
  const std::string outer(terms_of(topology_of(role)->within.value).device), inner(terms_of(domain_of(role)).device);
  const std::int64_t each = role.nodes / gang.segment;
  const std::string segments = counted(each, "segment") + " of " + counted(gang.segment, "node") + " inside one " +
                               outer + ", each segment inside one " + inner;
  const std::string& pool = role.pool->name;
  if (shortage.need > 1)
    return {"domain", shortage.need, shortage.have, shortage.need - shortage.have,
            "needs " + counted(shortage.need, "replica") + ", each " + segments + "; pool " + pool + " has room for " +
                std::to_string(shortage.have)};
  return {"domain", each, shortage.best, each - shortage.best,
          "needs " + segments + "; in pool " + pool + " the " + outer + " with the most room has " +
              std::to_string(shortage.best)};
}

// The same gang with its segments inside a required domain; what it returns says why that cannot be.
std::optional<Level> nest(const PoolState& state, std::span<const std::uint32_t> outer, const RolePlan& role,
                          const Gang& gang, std::optional<Placement>& placement) {
  if (role.nodes % gang.segment != 0)
    return Level{Verdict::unknown, {}, "segments of " + std::to_string(gang.segment) + " do not divide a replica"};
  auto found = scheduler::place_nested(state.stock.nodes(), outer, gang, role.nodes);
  if (const auto* shortage = std::get_if<scheduler::CopyShortage>(&found)) {
    placement.reset();
    return refused(too_few_copies(*shortage, role, gang));
  }
  placement = std::get<Placement>(std::move(found));
  return std::nullopt;
}

Level ask_apart(FleetState& fleet, const RolePlan& role, Moment moment, std::optional<Placement>& placement,
                bool& shared_gpus) {
  Gang gang = gang_of(role);
  const std::string unknown = leave_out_unknown(role, gang);
  const model::Within domain = domain_of(role);
  const model::Topology* topology = topology_of(role);
  const std::vector<std::uint32_t> outer =
      is_nested(role) ? domain_of_nodes(fleet.of(role, moment, topology->within.value)) : std::vector<std::uint32_t>{};
  const PoolState& state = fleet.of(role, moment, domain);
  shared_gpus = shares_gpus(state);
  scheduler::Answer answer = state.stock.place(gang);
  if (const auto* shortage = std::get_if<scheduler::Shortage>(&answer))
    return refused(certificate_of(*shortage, gang, role, state, moment));
  // A witness that leaves a need out proves nothing.
  if (!unknown.empty()) return {Verdict::unknown, {}, unknown};
  placement = std::get<Placement>(std::move(answer));
  if (is_nested(role))
    if (auto level = nest(state, outer, role, gang, placement)) return std::move(*level);
  Level level{Verdict::fits, {}, {}};
  const DomainTerms terms = terms_of(domain);
  if ((gang.one_leaf || gang.segment > 1) && domains_of(*role.pool, domain).empty())
    add_note(level,
             "pool " + role.pool->name + " does not declare " + std::string(terms.many) + " and is treated as one");
  if (topology != nullptr && !topology->required && in_domain(role) && role.copies == 1 && placement->leaves > 1)
    add_note(level, "one " + std::string(terms.one) + " is preferred; " + std::to_string(placement->leaves) + " " +
                        std::string(terms.devices) + " are needed");
  if (domain != model::Within::leaf || is_nested(role)) count_leaves(fleet, role, moment, gang, *placement);
  return level;
}

// Pods that may share nodes and GPUs.
Level ask_packed(FleetState& fleet, const RolePlan& role, Moment moment, std::optional<Witness>& witness) {
  const RolePlan* const roles[] = {&role};
  const std::string names[] = {""};
  PackedRoles packed = pack_roles(fleet, roles, names, *role.pool, moment);
  if (packed.level.verdict == Verdict::fits) {
    witness =
        Witness{{{}, packed.leaves, packed.lower_bound, packed.spines, packed.spine_bound}, std::move(packed.pods)};
  }
  return std::move(packed.level);
}

Level ask(FleetState& fleet, const RolePlan& role, Moment moment, std::optional<Witness>& witness, bool& shared_gpus) {
  if (is_packed(role)) return ask_packed(fleet, role, moment, witness);
  std::optional<Placement> placement;
  Level level = ask_apart(fleet, role, moment, placement, shared_gpus);
  if (placement) witness = Witness{std::move(*placement)};
  if (level.verdict == Verdict::does_not_fit && role.may_share_nodes())
    return {Verdict::unknown, {}, "its pods may share nodes; with nodes of their own: " + level.certificate->text};
  return level;
}

// Whether what is in use there is in use at both moments.
bool same_at_both(const Pool& pool) {
  const auto always = [](const model::InUse& use) { return use.when == model::InUse::When::always; };
  return std::all_of(pool.in_use.begin(), pool.in_use.end(), always);
}

CandidatePool try_pool(FleetState& fleet, const RolePlan& role, const Pool* pool) {
  CandidatePool candidate{role, {}, {}, {}, {}, false, prefer_weight(*role.role, *pool), {}};
  choose_pool(candidate.role, pool);
  if (std::optional<Certificate> never = impossible(candidate.role)) {
    candidate.capacity = candidate.now = refused(*never);
    return candidate;
  }
  candidate.capacity = ask(fleet, candidate.role, Moment::empty, candidate.empty, candidate.shared_gpus);
  if (candidate.capacity.verdict == Verdict::fits && same_at_both(*pool)) {
    candidate.now = candidate.capacity;
    candidate.current = candidate.empty;
    return candidate;
  }
  candidate.now = ask(fleet, candidate.role, Moment::now, candidate.current, candidate.shared_gpus);
  // What is too small empty is too small now; the counts of now would hide that behind "in use".
  if (candidate.capacity.certificate && candidate.capacity.certificate->kind == "floor")
    candidate.now = candidate.capacity;
  return candidate;
}

// Within the quota; fits, then unknown, then not; prefer weight; fits now; fewest leaves. Equal ones stay in the order
// of the fleet: names decide nothing.
bool before(const CandidatePool& a, const CandidatePool& b) {
  const auto rank = [](const CandidatePool& c) {
    return c.capacity.verdict == Verdict::fits ? 0 : c.capacity.verdict == Verdict::unknown ? 1 : 2;
  };
  if (a.quota.has_value() != b.quota.has_value()) return b.quota.has_value();
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (a.weight != b.weight) return a.weight > b.weight;
  if (a.now.verdict != b.now.verdict) return worse(a.now.verdict, b.now.verdict) == b.now.verdict;
  const std::int64_t leaves_a = a.empty ? a.empty->counts.leaves : 0, leaves_b = b.empty ? b.empty->counts.leaves : 0;
  return leaves_a < leaves_b;
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
  if (!workload.time_limit && queue.default_time)
    out = "without a time-limit, queue " + queue.name + " ends it after " + to_string(queue.default_time->value);
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
  else if (chosen.shared_gpus && chosen.role.gpus > 0)
    add_note(fit.now, "assumes that GPUs in use have the highest numbers of their node");
  for (auto other = candidates.begin() + 1; other != candidates.end(); ++other) {
    const std::string name = "pool " + other->role.pool->name;
    if (fit.capacity.verdict != Verdict::fits)
      add_note(fit.capacity,
               name + ": " + (other->capacity.certificate ? other->capacity.certificate->text : other->capacity.note));
    else if (fit.now.verdict == Verdict::does_not_fit && other->now.verdict == Verdict::fits)
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
  std::int64_t low = 0, high = (most - range.low) / step;  // steps
  while (low < high) {
    const std::int64_t middle = high - (high - low) / 2;
    RolePlan larger = role;
    (of_nodes ? larger.nodes : larger.copies) = range.low + middle * step;
    if (verdict_on_pool(fleet, larger, moment) == Verdict::fits) low = middle;
    else high = middle - 1;
  }
  return range.low + low * step;
}

void note_range(FleetState& fleet, const RolePlan& role, Moment moment, Level& level) {
  const model::Count* range = range_of(role);
  if (range == nullptr || level.verdict != Verdict::fits) return;
  add_note(level, "of " + std::to_string(range->low) + " to " +
                      counted(range->high, is_of_nodes(*range, role) ? "node" : "replica") + ", up to " +
                      std::to_string(largest_that_fits(fleet, role, *range, moment)) + " fit");
}

// The witness of a pool as what a person sees.
void show(const RolePlan& role, const Witness& witness, Fit& fit) {
  fit.leaf_switches = witness.counts.leaves;
  fit.leaf_lower_bound = witness.counts.lower_bound;
  fit.spines = witness.counts.spines;
  fit.spine_lower_bound = witness.counts.spine_bound;
  fit.placements = witness.pods.empty() ? placed_nodes(role, witness.counts) : witness.pods;
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
  fit.capacity = chosen.capacity;
  fit.now = chosen.now;
  if (const std::optional<Witness>& witness = chosen.current ? chosen.current : chosen.empty) show(role, *witness, fit);
  annotate(fit, candidates);
  place_across(fleet, role, fit);
  std::optional<Certificate> quota;
  if (workload.roles.size() == 1) quota = place_within_quotas(fleet, {plane, tenant, workload}, role, fit);
  if (workload.roles.size() == 1 && !starts_one_by_one(workload)) {
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

Verdict verdict_on_pool(FleetState& fleet, const RolePlan& role, Moment moment) {
  if (impossible(role)) return Verdict::does_not_fit;
  std::optional<Witness> found;
  bool shared = false;
  return ask(fleet, role, moment, found, shared).verdict;
}

Fit fit_on_pool(FleetState& fleet, const RolePlan& role, Moment moment) {
  Fit out;
  std::optional<Witness> found;
  bool shared = false;
  out.capacity = ask(fleet, role, moment, found, shared);
  if (out.capacity.verdict == Verdict::fits && found) show(role, *found, out);
  return out;
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
