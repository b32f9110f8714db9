#include "plan/shape.h"

#include <algorithm>
#include <functional>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/text.h"
#include "compiler/model/attachment.h"
#include "compiler/model/marks.h"
#include "plan/conditions.h"
#include "plan/contents.h"
#include "plan/gpu_compute.h"
#include "plan/pool_order.h"
#include "plan/reservations.h"

namespace muster::plan {
namespace {

using model::Pool;
using model::Role;
using model::Truth;

using PoolFacts = std::vector<std::pair<std::string_view, model::FactValue>>;

const model::FactValue* find(const PoolFacts& facts, std::string_view name) {
  for (const auto& [fact, value] : facts)
    if (fact == name) return &value;
  return nullptr;
}

Truth evaluate_on(const model::Predicate& predicate, const PoolFacts& facts) {
  return model::evaluate(predicate, [&](std::string_view name) { return find(facts, name); });
}

std::string pool_name(const Pool& pool) { return "pool " + pool.name; }

Span part_span(const model::Resources& r) { return r.gpu_share ? r.gpu_share->span : r.gpu_slice->span; }

PoolCheck check_gpu(const model::Resources& r, const Pool& pool) {
  const std::int64_t gpus = r.gpus ? r.gpus->value : 0;
  const Span of_gpus = r.gpus ? r.gpus->span : r.gpu ? r.gpu->span : r.gpu_memory ? r.gpu_memory->span : Span{};
  if (gpus > 0 || r.gpu || r.gpu_memory) {
    if (!pool.gpu || pool.gpu->count == 0) {
      const std::string need =
          gpus > 0 ? counted(gpus, "GPU") + " per node " + (gpus == 1 ? "is" : "are") + " needed" : "GPUs are needed";
      return {Truth::no, pool_name(pool) + " has no GPUs; " + need, of_gpus};
    }
  }
  if (r.part_of_gpu() && (!pool.gpu || pool.gpu->count == 0))
    return {Truth::no, pool_name(pool) + " has no GPUs; a part of one is needed", part_span(r)};
  if (r.gpu_slice) {
    const auto& slices = pool.gpu->slices;
    if (std::find(slices.begin(), slices.end(), r.gpu_slice->value) == slices.end())
      return {Truth::no, pool_name(pool) + " has no GPUs partitioned into " + r.gpu_slice->value, r.gpu_slice->span};
  }
  if (r.gpu) {
    const auto& models = r.gpu->value;
    const auto same = [&](const std::string& m) { return equal_ignoring_case(m, pool.gpu->model); };
    if (!models.empty() && std::none_of(models.begin(), models.end(), same))
      return {Truth::no, pool_name(pool) + " has " + pool.gpu->model + " GPUs; " + listed(models, "or") + " is needed",
              r.gpu->span};
  }
  if (gpus > 0 && gpus > pool.gpu->count)
    return {Truth::no,
            pool_name(pool) + " has " + counted(pool.gpu->count, "GPU") + " per node; " + std::to_string(gpus) +
                (gpus == 1 ? " is" : " are") + " needed",
            r.gpus->span};
  if (r.gpu_memory && pool.gpu->memory.bytes == 0)
    return {
        Truth::unknown,
        pool_name(pool) + " does not declare the memory of its GPUs; " + to_string(r.gpu_memory->value) + " are needed",
        r.gpu_memory->span};
  if (r.gpu_memory && pool.gpu->memory < r.gpu_memory->value)
    return {Truth::no,
            pool_name(pool) + " has " + in_unit_of(pool.gpu->memory, r.gpu_memory->value) + " per GPU; " +
                to_string(r.gpu_memory->value) + " are needed",
            r.gpu_memory->span};
  return {};
}

PoolCheck check_nodes(const NodeNames& nodes, const Pool& pool) {
  if (!nodes.asked()) return {};
  if (nodes.only && nodes.only->empty())
    return {Truth::no, pool_name(pool) + ": the conditions on node.name leave no node", nodes.only_span};
  if (pool.node_names.empty())
    return {Truth::unknown,
            pool_name(pool) + " declares a number of nodes but no names, so node.name cannot be checked", nodes.span};
  if (takes_any(nodes, pool.node_names)) return {};
  if (!nodes.only) return {Truth::no, pool_name(pool) + ": every node is excluded by name", nodes.span};
  return {Truth::no, pool_name(pool) + " has none of the nodes " + compress_hosts(*nodes.only), nodes.only_span};
}

// "gpu.memory is 40GB, gpu.model is a100"; or the facts that are not declared.
std::string values_read(const model::Predicate& predicate, const PoolFacts& facts, bool known) {
  std::string out;
  for (std::string_view fact : facts_read(predicate)) {
    const model::FactValue* value = find(facts, fact);
    if ((value != nullptr) != known) continue;
    out += (out.empty() ? "" : ", ") + std::string(fact);
    if (known) out += " is " + describe(fact, *value, predicate);
  }
  return out;
}

PoolCheck check_condition(const model::Predicate& predicate, const Pool& pool, const PoolFacts& facts) {
  const Truth truth = evaluate_on(predicate, facts);
  if (truth == Truth::yes) return {};
  const Span span = predicate.span.known() ? predicate.span : predicate.term.span;
  const std::string condition = "`" + describe(predicate) + "`";
  if (truth == Truth::unknown)
    return {truth,
            pool_name(pool) + " does not declare " + values_read(predicate, facts, false) + ", which " + condition +
                " uses",
            span};
  return {truth, pool_name(pool) + " does not meet " + condition + ": " + values_read(predicate, facts, true), span};
}

// A need that fails says more than one that cannot be checked.
void merge(PoolCheck& result, PoolCheck check) {
  if (check.meets == Truth::yes || result.meets == Truth::no) return;
  if (result.meets == Truth::yes || check.meets == Truth::no) result = std::move(check);
}

PoolCheck check_pool_of(const Role& role, const Conditions& conditions, const Pool& pool) {
  PoolCheck result = check_gpu(role.resources, pool);
  merge(result, check_nodes(conditions.nodes, pool));
  const PoolFacts facts = pool_facts(pool);
  for (const model::Predicate& predicate : conditions.of_pool) merge(result, check_condition(predicate, pool, facts));
  return result;
}

// Of all that run on a node: each by itself, and their GPUs together.
PoolCheck check_programs(const RolePlan& plan, const Conditions& conditions, const Pool& pool) {
  PoolCheck result = check_pool_of(*plan.role, conditions, pool);
  if (plan.sharing.empty()) return result;
  for (const RolePlan& one : plan.sharing) merge(result, check_gpu(one.role->resources, pool));
  const std::int64_t have = pool.gpu ? pool.gpu->count : 0;
  if (plan.gpus > have)
    merge(result, {Truth::no,
                   pool_name(pool) + " has " + counted(have, "GPU") + " per node; the roles that share a node need " +
                       std::to_string(plan.gpus),
                   plan.sharing.back().role->with->span});
  return result;
}

// A taint of the pool that the queue does not tolerate, or the file where it says so itself; nullptr if there is none.
const model::Taint* stopped_by(const RolePlan& plan, const model::Plane& plane, const model::NodesAsRead* file,
                               const Pool& pool) {
  if (file == nullptr || !file->tolerates) return model::stopping_taint(plane, plan.queue, pool, asks_for_gpus(plan));
  const auto& own = *file->tolerates;
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
  return {Truth::no, pool_name(pool) + " does not have what the file selects: " + file->selects, {}};
}

// Whether a queue that looks at flavors may give the role this pool, which it may not have: the GPUs are those that it
// asks for, and what else its file says of nodes is not of flavors.
bool is_overlooked(const RolePlan& plan, const model::Site& site, const model::Plane& plane,
                   const model::NodesAsRead* file, const Pool& pool) {
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
           return file != nullptr
                      ? allowed->gpu && allowed->gpu->vendor == pool.gpu->vendor
                      : contents_of(plan, site, plane, *allowed).gpu == contents_of(plan, site, plane, pool).gpu;
         });
}

constexpr std::int64_t most_kept_out = 64;  // names in a file that people read

// The nodes of pools that do not meet the role's needs, and that its file cannot tell from those of a pool that does.
// It has to keep them out by name. None where there are too many, or a pool does not name them.
std::vector<std::string> nodes_to_keep_out(const RolePlan& plan, const model::Site& site, const model::Plane& plane,
                                           const Pools& unfit) {
  std::vector<std::string> out;
  for (const Pool* pool : unfit) {
    const Contents says = contents_of(plan, site, plane, *pool);
    const auto reaches = [&](const Pool* allowed) {
      const auto tolerated = [&](const model::Taint& taint) {
        const bool usual = asks_for_gpus(plan) && pool->gpu && taint.name == model::gpu_taint(pool->gpu->vendor);
        return usual || taint.effect == "PreferNoSchedule" ||
               std::any_of(allowed->taints.begin(), allowed->taints.end(),
                           [&](const model::Taint& other) { return other.name == taint.name; });
      };
      return contents_of(plan, site, plane, *allowed) == says &&
             std::all_of(pool->taints.begin(), pool->taints.end(), tolerated);
    };
    const std::int64_t gpus = pool->gpu ? pool->gpu->count : 0;
    if (gpus < plan.gpus || std::none_of(plan.allowed.begin(), plan.allowed.end(), reaches)) continue;
    if (pool->node_names.empty() || pool->node_count + static_cast<std::int64_t>(out.size()) > most_kept_out) return {};
    for (std::int64_t n = 0; n < pool->node_count; ++n) out.push_back(pool->node_name(static_cast<std::uint32_t>(n)));
  }
  return out;
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

void report_no_pool(const Role& role, const model::Workload& workload, const model::Plane& plane,
                    const std::vector<std::string>& whys, Span need, Diagnostics& diagnostics) {
  const std::string who = workload.roles.size() > 1 ? "role " + role.name + " of " + workload.name : workload.name;
  Diagnostic& d = diagnostics.add(Code::no_pool, need.known() ? need : workload.span,
                                  "no pool of plane " + plane.name + " meets the requirements of " + who);
  d.notes = whys;
}

using Queues = std::vector<const model::Queue*>;

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

PoolFacts pool_facts(const Pool& pool) {
  PoolFacts facts;
  const auto text = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) facts.emplace_back(name, value);
  };
  const auto amount = [&](std::string_view name, std::int64_t value) {
    if (value > 0) facts.emplace_back(name, value);
  };
  if (pool.gpu && pool.gpu->count > 0) {
    text("gpu.model", lower(pool.gpu->model));
    amount("gpu.memory", pool.gpu->memory.bytes);
    text("gpu.vendor", pool.gpu->vendor);
    text("gpu.link", pool.gpu->link);
    amount("gpu.compute", compute_capability(*pool.gpu));
  } else {
    for (std::string_view name : {"gpu.model", "gpu.vendor", "gpu.link"}) text(name, "none");
    for (std::string_view name : {"gpu.memory", "gpu.compute"}) facts.emplace_back(name, std::int64_t{0});
  }
  amount("node.cpus", pool.cores());
  amount("node.memory", pool.memory.bytes);
  amount("node.disk", pool.disk.bytes);
  text("cpu.arch", pool.arch);
  text("network.fabric", pool.fabric);
  amount("network.bandwidth", pool.bandwidth.bits_per_second);
  text("pool.zone", pool.zone);
  facts.emplace_back("pool.preemptible", pool.preemptible);
  return facts;
}

bool reaches(const model::Queue* queue, const Pool& pool) {
  if (queue == nullptr || queue->pools.empty()) return true;
  return std::any_of(queue->pools.begin(), queue->pools.end(), [&](const auto& p) { return p.value == pool.name; });
}

PoolCheck check_pool(const Role& role, const Pool& pool) { return check_pool_of(role, take_apart(role), pool); }

std::int64_t prefer_weight(const Role& role, const Pool& pool) {
  const PoolFacts facts = pool_facts(pool);
  std::int64_t sum = 0;
  for (const model::Preference& prefer : role.prefers)
    if (evaluate_on(with_lower_models(prefer.predicate), facts) == Truth::yes) sum += prefer.weight;
  return sum;
}

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

std::optional<RolePlan> resolve_role(const Role& role, const model::Workload& workload, const model::Site& site,
                                     const model::Plane& plane, const model::Fleet* fleet, const model::Queue* queue,
                                     Diagnostics& diagnostics, const model::NodesAsRead* own, bool tightly_coupled) {
  const Conditions conditions = take_apart(role);
  if (!conditions_usable(role, conditions, diagnostics)) return std::nullopt;
  if (fleet != nullptr && !nodes_exist(conditions.nodes, *fleet, diagnostics)) return std::nullopt;

  RolePlan plan = shape_of(role, workload);
  plan.shares_nodes = plan.nodes_are_pods = plane.traits().shares_nodes;
  plan.uses_fabric = own == nullptr && wants_fabric(plan, workload, tightly_coupled);
  for (RolePlan& one : plan.sharing) one.uses_fabric = own == nullptr && wants_fabric(one, workload, tightly_coupled);
  plan.only_nodes = conditions.nodes.only.value_or(std::vector<std::string>{});
  plan.not_nodes = conditions.nodes.not_;
  plan.queue = queue;
  set_plane(plan, plane);
  if (own != nullptr) plan.memory_a_cpu = own->memory_a_cpu, plan.divided = own->tasks;
  if (fleet != nullptr) set_reservations(*fleet, workload, queue, own, ends_at(*fleet, workload, queue), plan);
  if (fleet == nullptr) {
    choose_pool(plan, nullptr);
    return plan;
  }

  std::vector<std::string> whys;
  Span need;
  Pools unfit;
  for (const Pool& pool : fleet->pools) {
    PoolCheck check = check_programs(plan, conditions, pool);
    merge(check, check_selected(own, pool));
    const bool meets = check.meets == Truth::yes;
    const model::Taint* taint = stopped_by(plan, plane, own, pool);
    const bool kept = !pool.preemptible || own != nullptr || (workload.preemptible && workload.preemptible->value);
    if ((!meets || !kept) && plane.owns(pool.name)) unfit.push_back(&pool);
    if (meets && !kept) {
      whys.push_back(pool_name(pool) +
                     " is suitable, but preemptible, and the workload does not set `preemptible = true`");
      continue;
    }
    const bool has_it = meets && plane.owns(pool.name) && reaches(queue, pool);
    if (has_it && taint != nullptr && is_tolerated_alone(own, pool)) plan.also.push_back(&pool);
    if (has_it && taint == nullptr) plan.allowed.push_back(&pool);
    else if (!meets && plane.owns(pool.name)) {
      whys.push_back(check.why);
      if (!need.known()) need = check.need;
    } else if (has_it)
      whys.push_back(pool_name(pool) + " is suitable, but has the taint " + taint->name + ", which " +
                     (own != nullptr && own->tolerates ? "the file does not tolerate"
                      : queue != nullptr               ? "queue " + queue->name + " does not tolerate"
                                                       : "no queue tolerates"));
    else if (meets && plane.owns(pool.name))
      whys.push_back(pool_name(pool) + " is suitable, but not a pool of queue " + queue->name);
    else if (meets) whys.push_back(pool_name(pool) + " is suitable, but not a pool of plane " + plane.name);
  }
  if (plan.allowed.empty()) {
    report_no_pool(role, workload, plane, whys, need, diagnostics);
    return std::nullopt;
  }
  std::stable_sort(plan.allowed.begin(), plan.allowed.end(),
                   [&](const Pool* a, const Pool* b) { return is_preferred(plan, *a, *b); });
  choose_pool(plan, plan.allowed.front());
  // A file that is there already says the same for all of them.
  plan.choices = own != nullptr ? std::vector<Pools>{plan.allowed} : choices_of(plan, site, plane);
  for (const Pool* pool : unfit)
    if (stopped_by(plan, plane, own, *pool) == nullptr && is_overlooked(plan, site, plane, own, *pool))
      plan.overlooked.push_back(pool);
  if (own == nullptr && plane.pods() != nullptr) plan.kept_out = nodes_to_keep_out(plan, site, plane, unfit);
  plan.apart = own != nullptr
                   ? own->apart
                   : plan.nodes_are_pods && (uses_host_network(workload, plane) || is_attached(plan, site, plane));
  return plan;
}

}  // namespace muster::plan
