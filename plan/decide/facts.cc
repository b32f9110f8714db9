#include "plan/decide/facts.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "compiler/base/text.h"
#include "compiler/model/attachment.h"
#include "compiler/model/coupling.h"
#include "compiler/model/runner.h"
#include "plan/decide/stated_facts.h"
#include "plan/demand.h"
#include "plan/pools/pool_check.h"

namespace muster::plan {
namespace {

using model::Kind;
using model::Role;
using model::Runner;
using model::Truth;

Fact derived(model::FactValue value, std::string reason, Span span = {}) {
  return {{}, std::move(value), FactSource::derived, span, std::move(reason)};
}

Fact fallback(model::FactValue value, std::string reason) {
  return {{}, std::move(value), FactSource::fallback, {}, std::move(reason)};
}

std::string kind_text(const model::Workload& w) { return "kind is " + std::string(name(w.kind.value)); }

Span nodes_span(const Role& role) { return role.resources.nodes ? role.resources.nodes->span : Span{}; }

bool is_exclusive(const Role& role) { return role.resources.exclusive && role.resources.exclusive->value; }

// Derivations that read the workload, the site and the fleet of one request.
class Deriver {
 public:
  explicit Deriver(const FactRequest& request) : request_(request), workload_(request.workload), fleet_(request.fleet) {
    // The built-in site says which rules to write for, not what there is.
    const bool built_in = request.site != nullptr && request.site->name == "generic" && !request.site->fleet;
    if (request.site_given && !built_in) site_ = request.site;
  }

  // nullopt: nothing in the request speaks of the fact. `so_far` holds the facts before it.
  std::optional<Fact> derive(std::string_view fact, const Facts& so_far) const {
    if (fact == "existing") return existing();
    if (fact == "fleet-nodes") return fleet_nodes(so_far);
    if (fact == "multi-tenant") return multi_tenant();
    if (fact == "edge-or-dev") return edge_or_dev();
    if (fact == "long-lived-services") return long_lived_services();
    if (workload_ == nullptr) return std::nullopt;
    if (fact == "kind")
      return derived(std::string(name(workload_->kind.value)), "of workload " + workload_->name, workload_->kind.span);
    if (fact == "nodes") return nodes();
    if (fact == "workers") return workers();
    if (fact == "tightly-coupled") return tightly_coupled();
    if (fact == "bare-metal") return bare_metal();
    if (fact == "python-native-pipeline") return python_native_pipeline();
    if (fact == "pool-fabric") return pool_fabric();
    if (fact == "pool-arch") return pool_arch();
    if (fact == "spans-nvlink-domain") return spans_nvlink_domain();
    return std::nullopt;
  }

 private:
  // GPUs a node of the largest pool that meets the role's needs.
  std::int64_t largest_node(const Role& role) const {
    std::int64_t most = 0;
    if (fleet_ != nullptr)
      for (const model::Pool& pool : fleet_->pools)
        if (pool.gpu && check_pool(role, pool).meets == Truth::yes) most = std::max(most, pool.gpu->count);
    return most > 0 ? most : std::max<std::int64_t>(8, demand_of(*workload_, role).gpus);
  }

  // Machines that a role's GPUs spread over; a role without GPUs rides along with those that have some.
  std::int64_t machines(const Role& role) const {
    const bool any_gpus =
        std::any_of(workload_->roles.begin(), workload_->roles.end(), [](const Role& r) { return r.gpus() > 0; });
    const RoleDemand demand = demand_of(*workload_, role);
    if (demand.gpus == 0) return any_gpus ? 0 : demand.nodes_together();
    if (role.nodes() > 1 || is_exclusive(role)) return demand.nodes_together();
    const std::int64_t node = largest_node(role);
    return (demand.gpus_together() + node - 1) / node;
  }

  // Sum or maximum over the roles, and how it came about.
  template <class Measure>
  Fact over_roles(std::string_view noun, Measure measure) const {
    const bool whole = starts_as_a_whole(*workload_);
    std::int64_t sum = 0, most = 0;
    std::string terms;
    for (const Role& role : workload_->roles) {
      if (role.with) continue;
      const std::int64_t n = whole ? measure(role) : role.nodes();
      sum += n;
      most = std::max(most, n);
      terms += (terms.empty() ? "" : whole ? " + " : ", ") + role.name + " " + std::to_string(n);
    }
    const std::int64_t value = std::max<std::int64_t>(1, whole ? sum : most);
    const Span span = workload_->groups() == 1 ? nodes_span(workload_->main()) : Span{};
    if (workload_->groups() <= 1) return derived(value, counted(value, noun) + " requested", span);
    return derived(value, (whole ? "all roles start together: " : "the largest role: ") + terms, span);
  }

  Fact nodes() const {
    return over_roles("node", [this](const Role& role) { return machines(role); });
  }

  Fact workers() const {
    return over_roles("worker", [this](const Role& role) { return demand_of(*workload_, role).nodes_together(); });
  }

  Fact tightly_coupled() const {
    const model::Coupling found = model::coupling_of(*workload_);
    if (found) return derived(true, why_coupled(found), found.span);
    return derived(false, kind_text(*workload_) + " and no role has a coupled launcher", workload_->kind.span);
  }

  std::string why_coupled(const model::Coupling& found) const {
    const std::string what(found.what);
    const std::string over =
        found.role != nullptr && found.role->nodes() > 1 ? " over " + counted(found.role->nodes(), "node") : "";
    switch (found.by) {
      case model::CoupledBy::nothing: break;
      case model::CoupledBy::kind: return kind_text(*workload_);
      case model::CoupledBy::fabric: return "role " + found.role->name + " requires the fabric";
      case model::CoupledBy::replica: return "a serve replica spans " + counted(found.role->nodes(), "node");
      case model::CoupledBy::runner:
        if (model::row_of(found.role->launch.runner.value).coupled) return "runner is " + what;
        return "runner " + what + (over.empty() ? " over several roles" : over);
      case model::CoupledBy::variable: return "role " + found.role->name + " sets " + what + over;
      case model::CoupledBy::command: return "role " + found.role->name + " starts " + what + over;
    }
    return {};
  }

  // Why a role cannot start on the plane of a batch system; "" if it can.
  std::string cannot_start(const Role& role, const model::Plane& plane) const {
    if (role.image && !plane.runs_images() && !software_mapped(role))
      return "role " + role.name + " has an image, but plane " + plane.name + " does not run containers";
    if (fleet_ == nullptr) return {};
    for (const model::Pool& pool : fleet_->pools)
      if (plane.owns(pool.name) && check_pool(role, pool).meets == Truth::yes) return {};
    return "no pool of plane " + plane.name + " meets the requirements of role " + role.name;
  }

  // Whether the role's software exists at the site without a container.
  bool software_mapped(const Role& role) const {
    if (!role.software) return false;
    const auto native = [](const model::SoftwareSpec& s) {
      return !s.modules.empty() || s.conda || s.venv || s.prelude;
    };
    if (const auto* spec = std::get_if<model::SoftwareSpec>(&role.software->value)) return native(*spec);
    const auto& wanted = std::get<std::string>(role.software->value);
    return std::any_of(site_->software.begin(), site_->software.end(),
                       [&](const auto& s) { return s.first == wanted && native(s.second); });
  }

  Fact bare_metal() const {
    if (site_ == nullptr) {
      for (const Role& role : workload_->roles)
        if (role.image)
          return derived(false, "role " + role.name + " has an image, and no site is given", role.image->span);
      const Kind kind = workload_->kind.value;
      const bool batch = kind == Kind::train || kind == Kind::mpi || kind == Kind::batch;
      return derived(batch, kind_text(*workload_) + ", no image, and no site is given", workload_->kind.span);
    }
    std::string why;
    for (const model::Plane& plane : site_->planes) {
      if (plane.batch() == nullptr) continue;
      std::string obstacle;
      for (const Role& role : workload_->roles)
        if (obstacle.empty()) obstacle = cannot_start(role, plane);
      if (obstacle.empty())
        return derived(true,
                       "plane " + plane.name + " is " + std::string(plane.traits().name) +
                           " and every role can start there" + (fleet_ == nullptr ? " (no fleet to check pools)" : ""),
                       plane.span);
      why += (why.empty() ? "" : "; ") + obstacle;
    }
    return derived(false, why.empty() ? "site " + site_->name + " has no slurm plane" : why, site_->span);
  }

  std::optional<Fact> long_lived_services() const {
    if (workload_ != nullptr && workload_->kind.value == Kind::serve)
      return derived(true, "kind is serve", workload_->kind.span);
    if (const model::Workload* other = request_.workloads.service())
      return derived(true, "workload " + other->name + " is a service", other->kind.span);
    if (workload_ == nullptr && request_.workloads.empty()) return std::nullopt;
    return derived(false, "no workload is a service");
  }

  std::optional<Fact> multi_tenant() const {
    if (site_ != nullptr) {
      const std::size_t n = site_->tenants.size();
      return derived(n >= 2, "site " + site_->name + " has " + counted(static_cast<long long>(n), "tenant"),
                     site_->span);
    }
    if (workload_ == nullptr && request_.workloads.empty()) return std::nullopt;
    const std::size_t n = request_.workloads.accounts(workload_ != nullptr ? workload_->account : std::nullopt);
    return derived(n >= 2, "the workloads name " + counted(static_cast<long long>(n), "account"));
  }

  Fact python_native_pipeline() const {
    for (const Role& role : workload_->roles)
      if (role.launch.runner.value == Runner::ray)
        return derived(true, "role " + role.name + " runs on ray", role.launch.runner.span);
    return derived(false, "no role has runner ray");
  }

  std::optional<Fact> edge_or_dev() const {
    if (workload_ != nullptr && workload_->kind.value == Kind::dev)
      return derived(true, "kind is dev", workload_->kind.span);
    const auto is_small = [](const model::Plane& plane) { return plane.traits().is_for_edge; };
    if (site_ != nullptr && !site_->planes.empty() && std::all_of(site_->planes.begin(), site_->planes.end(), is_small))
      return derived(true, "every plane of site " + site_->name + " is k3s", site_->planes.front().kind_span());
    if (workload_ == nullptr && site_ == nullptr) return std::nullopt;
    std::string reason = workload_ != nullptr ? kind_text(*workload_) : "no workload is given";
    if (site_ != nullptr)
      reason += site_->planes.empty() ? ", and the site has no plane" : ", and not every plane of the site is k3s";
    return derived(false, std::move(reason));
  }

  std::optional<Fact> fleet_nodes(const Facts& so_far) const {
    if (fleet_ == nullptr) {
      const Fact* nodes = so_far.find("nodes");
      if (nodes == nullptr) return std::nullopt;
      return fallback(nodes->value, "no fleet is declared; the value of `nodes`");
    }
    std::int64_t all = 0, drained = 0;
    for (const model::Pool& pool : fleet_->pools) {
      all += pool.node_count;
      drained += static_cast<std::int64_t>(std::set(pool.drained.begin(), pool.drained.end()).size());
    }
    // A fleet that is drained whole is still one that a cluster is on.
    return derived(
        std::max<std::int64_t>(all - drained, 1),
        "fleet " + fleet_->name + " has " + counted(all, "node") + ", " + std::to_string(drained) + " drained",
        fleet_->span);
  }

  Fact existing() const {
    if (site_ == nullptr) return fallback(std::string("unknown"), "no site is given");
    std::set<std::string_view> kinds;
    std::string planes;
    for (const model::Plane& plane : site_->planes) {
      if (plane.service() == nullptr) kinds.insert(plane.traits().in_rules);
      planes += (planes.empty() ? "" : ", ") + plane.name + " (" + std::string(plane.traits().name) + ")";
    }
    const std::string value(kinds.empty() ? "none" : kinds.size() > 1 ? "both" : *kinds.begin());
    return derived(value, "site " + site_->name + " has " + (planes.empty() ? "no plane" : "the planes " + planes),
                   site_->span);
  }

  // The pools of the queue that the workload may land on; those of its GPU roles where it has any.
  std::vector<const model::Pool*> possible_pools() const {
    const bool any_gpus =
        std::any_of(workload_->roles.begin(), workload_->roles.end(), [](const Role& r) { return r.gpus() > 0; });
    std::vector<const model::Pool*> pools;
    std::set<const model::Pool*> known;
    const auto add = [&](const model::Pool* pool) {
      if (known.insert(pool).second) pools.push_back(pool);
    };
    if (fleet_ == nullptr) return pools;
    for (const Role& role : workload_->roles)
      for (const model::Pool& pool : fleet_->pools)
        if ((!any_gpus || role.gpus() > 0) && reaches(request_.queue, pool) &&
            check_pool(role, pool).meets == Truth::yes)
          add(&pool);
    return pools;
  }

  // The value that all possible pools agree on, else the weaker one.
  template <class Value>
  Fact of_pools(model::FactValue weaker, Value value) const {
    const std::vector<const model::Pool*> pools = possible_pools();
    if (pools.empty())
      return fallback(std::move(weaker), fleet_ == nullptr ? "no fleet is declared" : "no pool meets the requirements");
    for (const model::Pool* pool : pools)
      if (value(*pool).value != value(*pools.front()).value)
        return fallback(std::move(weaker),
                        "pools " + pools.front()->name + " and " + pool->name + " meet the requirements and differ");
    return value(*pools.front());
  }

  Fact pool_fabric() const {
    return of_pools(false, [](const model::Pool& pool) {
      const bool fast = !pool.fabric.empty() && pool.fabric != "none" && pool.fabric != "ethernet";
      return derived(fast, "pool " + pool.name + (pool.fabric.empty() ? " declares no fabric" : " has " + pool.fabric),
                     pool.span);
    });
  }

  Fact pool_arch() const {
    return of_pools(std::string("amd64"), [](const model::Pool& pool) {
      return derived(pool.arch, "pool " + pool.name + " is " + pool.arch, pool.span);
    });
  }

  // Whether the nodes of a replica can have one NVLink domain: there are several, and no more than a domain has.
  Fact spans_nvlink_domain() const {
    for (const model::Pool* pool : possible_pools()) {
      const std::int64_t largest = model::largest_nvlink_domain(*pool);
      if (largest < 2) continue;
      const std::string of_pool = "; an NVLink domain of pool " + pool->name + " has " + std::to_string(largest);
      for (const Role& role : workload_->roles)
        if (role.nodes() > 1 && role.nodes() <= largest)
          return derived(true, counted(role.nodes(), "node") + of_pool, nodes_span(role));
      return derived(false, counted(workload_->main().nodes(), "node") + of_pool, pool->span);
    }
    return fallback(false, "no pool declares NVLink domains of several nodes");
  }

  const FactRequest& request_;
  const model::Workload* workload_;
  const model::Fleet* fleet_;
  const model::Site* site_ = nullptr;
};

}  // namespace

std::vector<std::string_view> facts_of_site(const Facts& facts) {
  std::vector<std::string_view> out;
  for (std::string_view name :
       {"existing", "fleet-nodes", "multi-tenant", "edge-or-dev", "pool-fabric", "pool-arch", "spans-nvlink-domain"}) {
    const Fact* fact = facts.find(name);
    if (fact == nullptr || fact->source > FactSource::workload) out.push_back(name);
  }
  return out;
}

std::vector<std::string_view> facts_not_of_author() {
  std::vector<std::string_view> out;
  for (const model::FactDeclaration& fact : own_facts())
    if (fact.type != model::FactType::integer || fact.name == "fleet-nodes") out.push_back(fact.name);
  return out;
}

bool starts_as_a_whole(const model::Workload& workload) {
  if (workload.starts() == model::Gang::all) return true;
  // The roles of a Ray cluster are one cluster.
  const model::Coupling found = model::coupling_of(workload);
  const bool ray = found.by == model::CoupledBy::runner && found.role->launch.runner.value == Runner::ray;
  return ray && workload.groups() > 1;
}

Facts derive_facts(const FactRequest& request, Diagnostics& diagnostics) {
  std::vector<Fact> stated = stated_facts(request, diagnostics);
  const Deriver deriver(request);
  Facts facts;
  for (const model::FactDeclaration& own : own_facts()) {
    const auto found = std::find_if(stated.begin(), stated.end(), [&](const Fact& f) { return f.name == own.name; });
    if (found != stated.end()) {
      facts.items.push_back(std::move(*found));
      stated.erase(found);
    } else if (std::optional<Fact> fact = deriver.derive(own.name, facts)) {
      fact->name = own.name;
      facts.items.push_back(std::move(*fact));
    }
  }
  std::move(stated.begin(), stated.end(), std::back_inserter(facts.items));
  return facts;
}

}  // namespace muster::plan
