#include "lint/fit_as_read.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/base/text.h"
#include "plan/fit/first_flavor.h"
#include "plan/fleet/fleet_state.h"
#include "plan/quota/ceilings.h"
#include "plan/quota/flavors.h"
#include "plan/verdict.h"

namespace muster::lint {
namespace {

plan::Certificate rejected(const model::Workload& workload, std::string why) {
  const std::int64_t nodes = workload.roles.empty() ? 1 : workload.main().nodes();
  return {"class", nodes, 0, nodes, std::move(why)};
}

void make_unknown(plan::Level& level, const std::string& why) {
  level.verdict = plan::Verdict::unknown;
  level.certificate.reset();
  level.note = why + (level.note.empty() ? "" : "; " + level.note);
}

std::string listed_open(const std::vector<std::string>& open) {
  std::string out;
  for (const std::string& what : open) out += (out.empty() ? "" : "; ") + what;
  return out;
}

// Why a part does not fit; nullopt: it does, or that is not known.
std::optional<plan::Certificate> misfit_of(const targets::LeastPart& part, const targets::AsRead& read,
                                           const plan::PlanRequest& request, plan::Level plan::Fit::*level) {
  targets::AsRead alone;
  alone.workload = part.workload, alone.nodes = part.nodes, alone.plane = read.plane;
  alone.no_queue = read.no_queue, alone.one_flavor = read.one_flavor;
  alone.flavor_by_replica = read.flavor_by_replica;
  const plan::PlanResult result = plan_as_read(alone, request);
  if (!result.plan) return result.no_pool;
  const plan::Level& found = result.plan->fit.*level;
  return found.verdict == plan::Verdict::does_not_fit ? found.certificate : std::nullopt;
}

// Why not all of the file ever runs, although less than all may start; nullopt: that is not known.
std::optional<plan::Certificate> least_misfit(const targets::AsRead& read, const plan::PlanRequest& request,
                                              plan::Level plan::Fit::*level,
                                              const std::optional<plan::Certificate>& whole) {
  std::optional<plan::Certificate> out;
  for (const targets::LeastPart& part : read.least) {
    auto why = misfit_of(part, read, request, level);
    if (!why && read.one_part_suffices) return std::nullopt;
    // What is rounded down is not what the file asks for: the certificate of the whole is.
    if (why && part.rounded_down) why = whole;
    if (why && !out) out = std::move(why);
  }
  return out;
}

// Whether Kueue may give a role the nodes of this pool, which it chooses by quota: its selectors and tolerations let
// it, and all its nodes together have what it requests.
bool is_flavor_of(const model::Pool& pool, const model::Role& role, const model::NodesAsRead& nodes,
                  const model::Plane& plane) {
  if (!plane.owns(pool.name) || role.resources.part_of_gpu()) return false;
  if (nodes.pools && std::find(nodes.pools->begin(), nodes.pools->end(), pool.name) == nodes.pools->end()) return false;
  for (const model::Taint& taint : pool.taints)
    if (nodes.tolerates &&
        std::find(nodes.tolerates->begin(), nodes.tolerates->end(), taint.name) == nodes.tolerates->end())
      return false;
  const std::int64_t pods = role.nodes() * role.copies(), gpus = pool.gpu ? pool.gpu->count : 0;
  const auto& cpus = role.resources.cpus;
  return pods * role.gpus() <= pool.node_count * gpus &&
         pods * (cpus && cpus->value.is_range() ? cpus->value.low : 0) <=
             pool.node_count * pool.usable_cpus(plane.traits().family);
}

// Kueue without a topology looks at no node: it may choose a flavor on whose nodes the pods of a role have no room.
// What quotas say of the order of flavors is in plan/fit/first_flavor.h.
void note_flavors(const targets::AsRead& read, const plan::PlanRequest& request, plan::Fit& fit) {
  const model::PodPlane* pods = read.plane->pods();
  if (!read.one_flavor || !fit.otherwise.empty() || fit.verdict != plan::Verdict::fits || pods == nullptr ||
      request.fleet == nullptr || pods->gang != model::GangProvider::kueue || plan::has_topology(*pods) ||
      std::any_of(request.site->tenants.begin(), request.site->tenants.end(), plan::is_bounded))
    return;
  for (std::size_t i = 0; i < read.workload.roles.size() && i < read.nodes.size(); ++i)
    for (const model::Pool& pool : request.fleet->pools) {
      const model::Role& role = read.workload.roles[i];
      if (!is_flavor_of(pool, role, read.nodes[i], *read.plane)) continue;
      targets::LeastPart part{read.workload, {read.nodes[i]}};
      part.workload.roles = {role};
      part.nodes.front().pools = std::vector{pool.name};
      if (!misfit_of(part, read, request, &plan::Fit::capacity)) continue;
      fit.otherwise = "Kueue on plane " + read.plane->name +
                      " has no topology and admits by quota alone: it may choose a flavor of pool " + pool.name +
                      " for role " + role.name + ", whose pods have no room there";
      return;
    }
}

// What the file selects and the site does not declare, and the answer without the nodes in question.
struct WithoutUnsure {
  std::vector<std::string> undeclared;  // empty: there are no such nodes
  std::optional<plan::Fit> fit{};       // nullopt: no pool is left

  bool fits(plan::Level plan::Fit::*level) const {
    return undeclared.empty() || (fit && ((*fit).*level).verdict == plan::Verdict::fits);
  }
};

WithoutUnsure without_unsure(const targets::AsRead& read, const plan::PlanRequest& request) {
  WithoutUnsure out;
  targets::AsRead sure = read;
  for (model::NodesAsRead& nodes : sure.nodes) {
    if (nodes.unsure.empty() || request.fleet == nullptr) continue;
    out.undeclared.insert(out.undeclared.end(), nodes.undeclared.begin(), nodes.undeclared.end());
    if (!nodes.pools) {
      nodes.pools.emplace();
      for (const model::Pool& pool : request.fleet->pools) nodes.pools->push_back(pool.name);
    }
    std::erase_if(*nodes.pools, [&](const std::string& pool) {
      return std::find(nodes.unsure.begin(), nodes.unsure.end(), pool) != nodes.unsure.end();
    });
  }
  if (out.undeclared.empty()) return out;
  plan::PlanRequest own = request;
  own.state = nullptr;
  plan::PlanResult result = plan_as_read(sure, own);
  if (result.plan) out.fit = std::move(result.plan->fit);
  return out;
}

std::string less_than_all(const targets::AsRead& read) {
  const bool in_part = std::none_of(read.least.begin(), read.least.end(),
                                    [](const targets::LeastPart& part) { return part.rounded_down; });
  return in_part ? "it may start with less than all: "
                 : "another placement, fractions of CPUs, or GPUs of a pool that has slices decide: ";
}

// The pools of different GPUs on which a role was placed whose pods all get nodes of one kind: "a and b"; "": none.
std::string unlike_pools(const targets::AsRead& read, const plan::PlanRequest& request, const plan::Fit& fit) {
  if (!read.one_flavor || request.fleet == nullptr) return {};
  const auto model_of = [&](const std::string& name) {
    for (const model::Pool& pool : request.fleet->pools)
      if (pool.name == name) return pool.gpu ? lower(pool.gpu->model) : std::string();
    return std::string();
  };
  const auto flavors = read.plane == nullptr ? nullptr : plan::Flavors::on(*request.site, *read.plane);
  std::map<std::string, std::string> first;  // role: pool
  for (const plan::PlacedNode& node : fit.placements) {
    const std::string& pool = first.emplace(node.role, node.pool).first->second;
    if (flavors != nullptr && flavors->names(pool) && flavors->names(node.pool)) continue;
    if (pool != node.pool && model_of(pool) != model_of(node.pool)) return pool + " and " + node.pool;
  }
  return {};
}

// Why its roles with GPUs alone do not fit; nullopt: they do, or it has none.
std::optional<plan::Certificate> gpus_misfit(const targets::AsRead& read, const plan::PlanRequest& request,
                                             plan::Level plan::Fit::*level) {
  targets::LeastPart part{read.workload, {}};
  part.workload.roles.clear();
  for (std::size_t i = 0; i < read.workload.roles.size(); ++i) {
    const model::Role& role = read.workload.roles[i];
    if (role.gpus() == 0 && !role.resources.part_of_gpu()) continue;
    part.workload.roles.push_back(role);
    if (i < read.nodes.size()) part.nodes.push_back(read.nodes[i]);
  }
  return part.workload.roles.empty() ? std::nullopt : misfit_of(part, read, request, level);
}

// The same of the parts that must fit in any case.
std::optional<plan::Certificate> least_gpus_misfit(const targets::AsRead& read, const plan::PlanRequest& request,
                                                   plan::Level plan::Fit::*level) {
  for (const targets::LeastPart& part : read.least) {
    targets::AsRead own = read;
    own.workload = part.workload, own.nodes = part.nodes;
    auto why = read.one_part_suffices ? std::nullopt : gpus_misfit(own, request, level);
    if (why) return why;
  }
  return std::nullopt;
}

// Whether a part without GPUs found no node in a fleet that declares those with GPUs alone: a cluster has others.
bool needs_undeclared_nodes(const targets::AsRead& read, const plan::PlanRequest& request, const plan::Level& level) {
  if (!level.certificate || level.certificate->kind != "class" || request.fleet == nullptr) return false;
  const auto has_gpus = [](const model::Pool& pool) { return pool.gpu.has_value(); };
  const auto without = [](const model::Role& role) { return role.gpus() == 0 && !role.resources.part_of_gpu(); };
  const auto& roles = read.workload.roles;
  return read.plane != nullptr && read.plane->pods() != nullptr && std::any_of(roles.begin(), roles.end(), without) &&
         std::all_of(request.fleet->pools.begin(), request.fleet->pools.end(), has_gpus);
}

}  // namespace

plan::PlanResult plan_as_read(const targets::AsRead& read, plan::PlanRequest request) {
  plan::PlanResult out;
  if (read.plane == nullptr) {
    out.no_pool = rejected(read.workload, "site `" + request.site->name + "` has no plane for this kind of file");
    return out;
  }
  if (!read.refusal.empty()) {
    out.no_pool = rejected(read.workload, read.refusal);
    return out;
  }
  request.workload = &read.workload;
  request.plane = read.plane;
  request.nodes = read.nodes;
  request.no_queue = read.no_queue;
  request.one_flavor = read.one_flavor;
  request.flavor_by_replica = read.flavor_by_replica;
  request.site_given = true;
  Diagnostics reports;
  out = plan::make_plan(request, reports);
  if (out.plan || out.no_pool) return out;
  const auto sorted = reports.sorted();
  out.no_pool = rejected(read.workload, sorted.empty() ? "no plane takes it" : sorted.front().message);
  return out;
}

void limit_to_known(const targets::AsRead& read, const plan::PlanRequest& request, plan::Fit& fit) {
  const bool refused_whole = read.plane == nullptr || !read.refusal.empty();
  if (refused_whole) return;
  if (!read.unknown.empty()) {  // what was placed is not what it asks for
    fit.placements.clear();
    fit.leaf_switches = fit.leaf_lower_bound = 0;
  }
  const bool is_rounded = std::any_of(read.least.begin(), read.least.end(),
                                      [](const targets::LeastPart& part) { return part.rounded_down; });
  if (is_rounded && fit.at_once.possible < fit.at_once.in_all) fit.at_once.possible.reset();  // there may be more
  const std::string unlike = unlike_pools(read, request, fit);
  const WithoutUnsure sure = without_unsure(read, request);
  for (plan::Level plan::Fit::*level : {&plan::Fit::capacity, &plan::Fit::policy, &plan::Fit::now}) {
    plan::Level& one = fit.*level;
    if (!read.unknown.empty()) {
      make_unknown(one, "the file does not say " + read.unknown);
    } else if (one.verdict == plan::Verdict::does_not_fit && needs_undeclared_nodes(read, request, one)) {
      auto why = read.least.empty() ? gpus_misfit(read, request, level) : least_gpus_misfit(read, request, level);
      if (why) one.certificate = std::move(why);
      else make_unknown(one, "the fleet declares only nodes with GPUs: " + one.certificate->text);
    } else if (one.verdict == plan::Verdict::does_not_fit && !read.least.empty()) {
      if (auto why = least_misfit(read, request, level, one.certificate)) one.certificate = std::move(why);
      else make_unknown(one, less_than_all(read) + (one.certificate ? one.certificate->text : one.note));
    } else if (one.verdict == plan::Verdict::fits && !unlike.empty() && level != &plan::Fit::policy) {
      make_unknown(one, "the site does not declare whether pools " + unlike + " are one flavor of the queue");
    } else if (one.verdict == plan::Verdict::fits && !read.open.empty() && level != &plan::Fit::policy) {
      make_unknown(one, "the site does not declare " + listed_open(read.open));
    } else if (one.verdict == plan::Verdict::fits && (level != &plan::Fit::policy || sure.fit) && !sure.fits(level)) {
      make_unknown(one, "the site does not declare " + listed_open(sure.undeclared));
    }
  }
  fit.verdict = plan::worse(plan::worse(fit.capacity.verdict, fit.policy.verdict), fit.now.verdict);
  note_flavors(read, request, fit);
}

plan::Fit refused(const plan::Certificate& certificate, const model::Workload& workload) {
  plan::Fit out;
  const plan::Demand demand = plan::demand_of(workload);
  out.at_once = {demand.unit, demand.needed, demand.in_all, 0, {}, 0, 0};
  out.verdict = plan::Verdict::does_not_fit;
  out.capacity = out.now = {plan::Verdict::does_not_fit, certificate, {}};
  out.policy.verdict = plan::Verdict::fits;
  return out;
}

Planned planned_as_read(const targets::AsRead& read, const model::Site& site, const model::Fleet& fleet,
                        plan::FleetState* state) {
  plan::FleetState own(&fleet);  // the parts of a file are asked after the whole
  plan::PlanRequest request;
  request.state = state != nullptr ? state : &own;
  request.site = &site;
  request.fleet = &fleet;
  Planned out{plan_as_read(read, request), {}};
  out.fit = out.result.plan ? std::move(out.result.plan->fit) : refused(*out.result.no_pool, read.workload);
  limit_to_known(read, request, out.fit);
  return out;
}

plan::Fit fit_as_read(const targets::AsRead& read, const model::Site& site, const model::Fleet& fleet,
                      plan::FleetState* state) {
  return planned_as_read(read, site, fleet, state).fit;
}

}  // namespace muster::lint
