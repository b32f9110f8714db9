#include "plan/pools/resolve_role.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/text.h"
#include "compiler/model/attachment.h"
#include "compiler/model/marks.h"
#include "plan/pools/conditions.h"
#include "plan/pools/contents.h"
#include "plan/pools/node_needs.h"
#include "plan/pools/pool_check.h"
#include "plan/pools/reservations.h"

namespace muster::plan {
namespace {

using model::Pool;
using model::Role;
using model::Truth;

// A taint of the pool that the queue does not tolerate, or the file where it says so itself; nullptr if there is none.
const model::Taint* stopped_by(const RoleQuestion& ask, const RolePlan& plan, const Pool& pool) {
  if (ask.own == nullptr || !ask.own->tolerates)
    return model::stopping_taint(ask.plane, ask.queue, pool, asks_for_gpus(plan));
  const auto& own = *ask.own->tolerates;
  const auto found = std::find_if(pool.taints.begin(), pool.taints.end(), [&](const model::Taint& taint) {
    return std::find(own.begin(), own.end(), taint.name) == own.end();
  });
  return found == pool.taints.end() ? nullptr : &*found;
}

// Whether it is only a pod beside those of the role that does not tolerate the pool.
bool is_tolerated_alone(const model::NodesAsRead* file, const Pool& pool) {
  if (file == nullptr || file->also_tolerates.empty()) return false;
  const auto is_in = [](const std::vector<std::string>& names, const model::Taint& taint) {
    return std::find(names.begin(), names.end(), taint.name) != names.end();
  };
  return std::all_of(pool.taints.begin(), pool.taints.end(), [&](const model::Taint& taint) {
    return is_in(*file->tolerates, taint) || is_in(file->also_tolerates, taint);
  });
}

// What the file selects itself, beside the needs that a workload can state.
PoolCheck check_selected(const model::NodesAsRead* file, const Pool& pool) {
  if (file == nullptr || !file->pools) return {};
  const auto& pools = *file->pools;
  if (std::find(pools.begin(), pools.end(), pool.name) != pools.end()) return {};
  return {Truth::no, "pool " + pool.name + " does not have what the file selects: " + file->selects, {}};
}

bool conditions_usable(const Role& role, const Conditions& conditions, Diagnostics& diagnostics) {
  std::vector<Span> misplaced = conditions.misplaced;
  for (const model::Preference& prefer : role.prefers)
    if (mentions(prefer.predicate, "node.name"))
      misplaced.push_back(prefer.predicate.span.known() ? prefer.predicate.span : prefer.predicate.term.span);
  for (Span span : misplaced) {
    Diagnostic& d =
        diagnostics.add(Code::node_name_in_condition, span, "`node.name` requires a `require` statement of its own");
    d.notes.push_back("compare it with ==, !=, in or not in, as in `require not node.name in [\"n017\"]`");
  }
  return misplaced.empty();
}

// Whether every node that a condition names is one of the fleet; says nothing if a pool has no names.
bool nodes_exist(const NodeNames& nodes, const model::Fleet& fleet, Diagnostics& diagnostics) {
  if (!nodes.asked()) return true;
  for (const Pool& pool : fleet.pools)
    if (pool.node_names.empty()) return true;
  std::vector<std::string> named = nodes.not_;
  if (nodes.only) named.insert(named.end(), nodes.only->begin(), nodes.only->end());
  bool all = true;
  for (const std::string& name : named) {
    if (is_node_of(fleet, name)) continue;
    all = false;
    Diagnostic& d =
        diagnostics.add(Code::unknown_name, nodes.span, "fleet " + fleet.name + " has no node `" + name + "`");
    if (const std::string near = nearest_node(fleet, name); !near.empty())
      d.notes.push_back("did you mean `" + near + "`?");
  }
  return all;
}

// Pools that do not meet the needs, and why each pool that the role may not have is none of its own.
struct ClosedPools {
  Pools unfit;
  std::vector<std::string> whys;
  Span need{};  // the first that is not met
};

void sort_pool(const RoleQuestion& ask, const Conditions& conditions, const Pool& pool, RolePlan& plan,
               ClosedPools& closed) {
  PoolCheck check = check_pool(plan, conditions, pool);
  merge(check, check_selected(ask.own, pool));
  const bool meets = check.meets == Truth::yes, owned = ask.plane.owns(pool.name);
  const bool spot = ask.own != nullptr || (ask.workload.preemptible && ask.workload.preemptible->value);
  const bool kept = !pool.preemptible || spot;
  if ((!meets || !kept) && owned) closed.unfit.push_back(&pool);
  if (!meets) {
    if (owned) closed.whys.push_back(check.why);
    if (owned && !closed.need.known()) closed.need = check.need;
    return;
  }
  const auto but = [&](const std::string& why) {
    closed.whys.push_back("pool " + pool.name + " is suitable, but " + why);
  };
  if (!kept) return but("preemptible, and the workload does not set `preemptible = true`");
  if (!owned) return but("not a pool of plane " + ask.plane.name);
  if (!reaches(ask.queue, pool)) return but("not a pool of queue " + ask.queue->name);
  const model::Taint* taint = stopped_by(ask, plan, pool);
  if (taint == nullptr) return plan.allowed.push_back(&pool);
  if (is_tolerated_alone(ask.own, pool)) plan.also.push_back(&pool);
  but("has the taint " + taint->name + ", which " +
      (ask.own != nullptr && ask.own->tolerates ? "the file does not tolerate"
       : ask.queue != nullptr                   ? "queue " + ask.queue->name + " does not tolerate"
                                                : "no queue tolerates"));
}

void report_no_pool(const RoleQuestion& ask, ClosedPools closed, Diagnostics& diagnostics) {
  const model::Workload& workload = ask.workload;
  const std::string who = workload.roles.size() > 1 ? "role " + ask.role.name + " of " + workload.name : workload.name;
  Diagnostic& d = diagnostics.add(Code::no_pool, closed.need.known() ? closed.need : workload.span,
                                  "no pool of plane " + ask.plane.name + " meets the requirements of " + who);
  d.notes = std::move(closed.whys);
}

// Whether a queue that looks at flavors may give the role this pool, which it may not have: the GPUs are those that it
// asks for, and what else its file says of nodes is not of flavors.
bool is_overlooked(const RoleQuestion& ask, const RolePlan& plan, const Pool& pool) {
  const model::Plane& plane = ask.plane;
  const model::NodesAsRead* file = ask.own;
  if (plane.pods() == nullptr || plane.pods()->gang != model::GangProvider::kueue || !plane.owns(pool.name))
    return false;
  if (file != nullptr && file->pools) {
    const auto names = [&](const std::vector<std::string>& pools) {
      return std::find(pools.begin(), pools.end(), pool.name) != pools.end();
    };
    if (!names(*file->pools) && !names(file->overlooked)) return false;
  }
  if (!asks_for_gpus(plan)) return true;
  return pool.gpu && std::any_of(plan.allowed.begin(), plan.allowed.end(), [&](const Pool* allowed) {
           return file != nullptr ? allowed->gpu && allowed->gpu->vendor == pool.gpu->vendor
                                  : contents_of(plan, ask.site, plane, *allowed).gpu ==
                                        contents_of(plan, ask.site, plane, pool).gpu;
         });
}

constexpr std::int64_t most_kept_out = 64;  // names in a file that people read

// The nodes of pools that do not meet the role's needs, and that its file cannot tell from those of a pool that does.
// It has to keep them out by name. None where there are too many, or a pool does not name them.
std::vector<std::string> nodes_to_keep_out(const RoleQuestion& ask, const RolePlan& plan, const Pools& unfit) {
  std::vector<std::string> out;
  for (const Pool* pool : unfit) {
    const Contents says = contents_of(plan, ask.site, ask.plane, *pool);
    const auto reaches = [&](const Pool* allowed) {
      const auto tolerated = [&](const model::Taint& taint) {
        const bool usual = asks_for_gpus(plan) && pool->gpu && taint.name == model::gpu_taint(pool->gpu->vendor);
        return usual || taint.effect == "PreferNoSchedule" ||
               std::any_of(allowed->taints.begin(), allowed->taints.end(),
                           [&](const model::Taint& other) { return other.name == taint.name; });
      };
      return contents_of(plan, ask.site, ask.plane, *allowed) == says &&
             std::all_of(pool->taints.begin(), pool->taints.end(), tolerated);
    };
    const std::int64_t gpus = pool->gpu ? pool->gpu->count : 0;
    if (gpus < plan.gpus || std::none_of(plan.allowed.begin(), plan.allowed.end(), reaches)) continue;
    if (pool->node_names.empty() || pool->node_count + static_cast<std::int64_t>(out.size()) > most_kept_out) return {};
    for (std::int64_t n = 0; n < pool->node_count; ++n) out.push_back(pool->node_name(static_cast<std::uint32_t>(n)));
  }
  return out;
}

// Ports of the host are there once: two such pods on a node cannot both listen.
bool uses_host_network(const model::Workload& workload, const model::Plane& plane) {
  const auto asks = [](const std::string& yaml) { return yaml.find("hostNetwork") != std::string::npos; };
  const model::PodPlane* pods = plane.pods();
  if (pods != nullptr && pods->pod && asks(pods->pod->value)) return true;
  for (const model::TargetOptions& target : workload.targets)
    for (const model::RawOption& option : target.options)
      if (option.name == "pod" && asks(option.value.value)) return true;
  return false;
}

bool is_attached(const RolePlan& role, const model::Site& site, const model::Plane& plane) {
  return role.uses_fabric && std::any_of(role.allowed.begin(), role.allowed.end(), [&](const Pool* pool) {
           return model::attachment_of(site, plane, *pool) != nullptr;
         });
}

// What the role asks of a node of any pool.
RolePlan needs_of(const RoleQuestion& ask, const Conditions& conditions) {
  RolePlan plan = shape_of(ask.role, ask.workload);
  plan.shares_nodes = plan.nodes_are_pods = ask.plane.traits().shares_nodes;
  plan.uses_fabric = ask.own == nullptr && wants_fabric(plan, ask.workload, ask.tightly_coupled);
  for (RolePlan& one : plan.sharing)
    one.uses_fabric = ask.own == nullptr && wants_fabric(one, ask.workload, ask.tightly_coupled);
  plan.only_nodes = conditions.nodes.only.value_or(std::vector<std::string>{});
  plan.not_nodes = conditions.nodes.not_;
  plan.queue = ask.queue;
  set_plane(plan, ask.plane);
  if (ask.own != nullptr) plan.memory_a_cpu = ask.own->memory_a_cpu, plan.divided = ask.own->tasks;
  if (ask.fleet != nullptr) {
    const auto end = ends_at(*ask.fleet, ask.workload, ask.queue);
    set_reservations(*ask.fleet, ask.workload, ask.queue, ask.own, end, plan);
  }
  return plan;
}

// What its file says of the pools that it may have, and of those that it has to keep out.
void set_contents(const RoleQuestion& ask, const Pools& unfit, RolePlan& plan) {
  // A file that is there already says the same for all of them.
  plan.choices = ask.own != nullptr ? std::vector<Pools>{plan.allowed} : choices_of(plan, ask.site, ask.plane);
  for (const Pool* pool : unfit)
    if (stopped_by(ask, plan, *pool) == nullptr && is_overlooked(ask, plan, *pool)) plan.overlooked.push_back(pool);
  if (ask.own == nullptr && ask.plane.pods() != nullptr) plan.kept_out = nodes_to_keep_out(ask, plan, unfit);
  plan.apart = ask.own != nullptr ? ask.own->apart
                                  : plan.nodes_are_pods && (uses_host_network(ask.workload, ask.plane) ||
                                                            is_attached(plan, ask.site, ask.plane));
}

}  // namespace

std::optional<RolePlan> resolve_role(const RoleQuestion& ask, Diagnostics& diagnostics) {
  const Conditions conditions = take_apart(ask.role);
  if (!conditions_usable(ask.role, conditions, diagnostics)) return std::nullopt;
  if (ask.fleet != nullptr && !nodes_exist(conditions.nodes, *ask.fleet, diagnostics)) return std::nullopt;
  RolePlan plan = needs_of(ask, conditions);
  if (ask.fleet == nullptr) {
    choose_pool(plan, nullptr);
    return plan;
  }
  ClosedPools closed;
  for (const Pool& pool : ask.fleet->pools) sort_pool(ask, conditions, pool, plan, closed);
  if (plan.allowed.empty()) {
    report_no_pool(ask, std::move(closed), diagnostics);
    return std::nullopt;
  }
  std::stable_sort(plan.allowed.begin(), plan.allowed.end(),
                   [&](const Pool* a, const Pool* b) { return is_preferred(plan, *a, *b); });
  choose_pool(plan, plan.allowed.front());
  set_contents(ask, closed.unfit, plan);
  return plan;
}

}  // namespace muster::plan
