#include "plan/quota/ceilings.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/text.h"
#include "scheduler/lending.h"

namespace muster::plan {
namespace {

using model::Cohort;
using model::Quota;
using model::Site;
using model::Tenant;
using PoolNames = std::vector<std::string>;
using Amount = std::optional<std::int64_t>;

enum class Resource : std::uint8_t { gpus, nodes, cpus, memory, pods };
constexpr std::array resources = {Resource::gpus, Resource::nodes, Resource::cpus, Resource::memory, Resource::pods};

Amount plain(const model::Optional<std::int64_t>& value) { return value ? Amount(value->value) : std::nullopt; }

// Of a quota its nominal amount, of a limit its own.
template <class Amounts>
Amount amount_of(const Amounts& amounts, Resource resource) {
  switch (resource) {
    case Resource::gpus: return plain(amounts.gpus);
    case Resource::nodes: return plain(amounts.nodes);
    case Resource::cpus: return plain(amounts.cpus);
    case Resource::memory: return amounts.memory ? Amount(amounts.memory->value.bytes) : std::nullopt;
    case Resource::pods: return plain(amounts.pods);
  }
  return std::nullopt;
}

std::int64_t asked_amount(const Amounts& asked, Resource resource) {
  switch (resource) {
    case Resource::gpus: return asked.gpus;
    case Resource::nodes: return asked.nodes;
    case Resource::cpus: return asked.cpus;
    case Resource::memory: return asked.memory.bytes;
    case Resource::pods: return asked.pods;
  }
  return 0;
}

void set_amount(Quota& quota, Resource resource, Amount amount) {
  const auto value = [&] {
    return amount ? model::Optional<std::int64_t>(model::Located<std::int64_t>{*amount, {}}) : std::nullopt;
  };
  switch (resource) {
    case Resource::gpus: quota.gpus = value(); return;
    case Resource::nodes: quota.nodes = value(); return;
    case Resource::cpus: quota.cpus = value(); return;
    case Resource::memory:
      quota.memory.reset();
      if (amount) quota.memory = model::Located<Size>{Size{*amount}, {}};
      return;
    case Resource::pods: quota.pods = value(); return;
  }
}

std::string text_of(Resource resource, std::int64_t amount) {
  switch (resource) {
    case Resource::gpus: return counted(amount, "GPU");
    case Resource::nodes: return counted(amount, "node");
    case Resource::cpus: return counted(amount, "CPU");
    case Resource::memory: return in_one_unit(std::array{Size{amount}}).front() + " of memory";
    case Resource::pods: return counted(amount, "pod");
  }
  return {};
}

const Cohort* cohort_named(const Site& site, const model::Optional<std::string>& name) {
  if (!name) return nullptr;
  const auto found =
      std::find_if(site.cohorts.begin(), site.cohorts.end(), [&](const Cohort& c) { return c.name == name->value; });
  return found == site.cohorts.end() ? nullptr : &*found;
}

// A set of pools of which members of a cohort have quotas, with the name that the first gives it.
struct Shared {
  std::string name;
  std::vector<std::pair<std::size_t, const Quota*>> quotas;  // of which member

  const Quota* of(std::size_t member) const {
    for (const auto& [one, quota] : quotas)
      if (one == member) return quota;
    return nullptr;
  }
};

// All members of the cohorts of one tenant, each behind the cohort that it is in.
class Members {
 public:
  Members(const Tenant& tenant, const Site& site) : site_(site), tenant_(tenant) {
    const Cohort* top = cohort_named(site, tenant.cohort);
    for (std::size_t step = 0; top != nullptr && step < site.cohorts.size(); ++step)
      if (const Cohort* above = cohort_named(site, top->parent)) top = above;
    if (top != nullptr) add(*top, std::nullopt);
    for (std::size_t m = 0; m < members_.size(); ++m)
      for (const Quota& quota : *members_[m].quotas) {
        Shared& set = sets_.try_emplace(pools_of(quota, site), Shared{quota.pool.value, {}}).first->second;
        set.quotas.emplace_back(m, &quota);
      }
  }

  bool any() const { return !members_.empty(); }
  std::size_t own() const { return own_; }
  const std::map<PoolNames, Shared>& sets() const { return sets_; }

  // The tree of one resource of the pools; nullopt: no member limits it there.
  std::optional<scheduler::LendingTree> tree(const PoolNames& pools, const Shared& set, Resource resource,
                                             const UsedBy& used) const {
    std::vector<scheduler::Lender> lenders;
    for (const Member& member : members_) {
      scheduler::Lender one{member.above};
      if (member.tenant != nullptr && member.tenant->borrow && !member.tenant->borrow->value) one.borrow = 0;
      if (member.tenant != nullptr && used) one.used = asked_amount(used(*member.tenant, pools), resource);
      lenders.push_back(one);
    }
    bool limited = false;
    for (const auto& [member, quota] : set.quotas) {
      const Amount nominal = amount_of(*quota, resource), borrow = amount_of(quota->borrow_limit, resource);
      scheduler::Lender& one = lenders[member];
      one.nominal = nominal.value_or(0);
      if (borrow) one.borrow = std::min(*borrow, one.borrow.value_or(*borrow));
      one.lend = amount_of(quota->lend_limit, resource);
      limited |= nominal || borrow || one.lend;
    }
    if (!limited) return std::nullopt;
    return scheduler::LendingTree(std::move(lenders));
  }

  // The lowest above the tenant, or itself, that states an amount of its own: what is borrowed is borrowed by it.
  std::optional<std::size_t> borrower(const Shared& set, Resource resource) const {
    for (std::optional<std::size_t> at = own_; at; at = members_[*at].above)
      if (const Quota* quota = set.of(*at); quota != nullptr && amount_of(*quota, resource)) return at;
    return std::nullopt;
  }

 private:
  struct Member {
    std::optional<std::size_t> above;
    const std::vector<Quota>* quotas;
    const Tenant* tenant;
  };

  void add(const Cohort& cohort, std::optional<std::size_t> above) {
    const std::size_t own = members_.size();
    if (own > site_.cohorts.size() + site_.tenants.size()) return;  // a circle, which is reported elsewhere
    members_.push_back({above, &cohort.quotas, nullptr});
    for (const Tenant& tenant : site_.tenants)
      if (tenant.cohort && tenant.cohort->value == cohort.name) {
        if (tenant.name == tenant_.name) own_ = members_.size();
        members_.push_back({own, &tenant.quotas, &tenant});
      }
    for (const Cohort& below : site_.cohorts)
      if (below.parent && below.parent->value == cohort.name) add(below, own);
  }

  const Site& site_;
  const Tenant& tenant_;
  std::vector<Member> members_;
  std::map<PoolNames, Shared> sets_;
  std::size_t own_ = 0;
};

Quota quota_named(const std::string& name, const PoolNames& pools) {
  Quota out{{name, {}}, {}, {}};
  for (const std::string& pool : pools) out.pools.push_back({pool, {}});
  return out;
}

// Whether it limits the resource, be it by the number that the owner may borrow or lend.
bool limits(const Quota& quota, Resource resource) {
  return amount_of(quota, resource) || amount_of(quota.borrow_limit, resource) || amount_of(quota.lend_limit, resource);
}

// A ClusterQueue uses the flavors that it lists, and no others.
bool lists_flavors(const model::Plane& plane) {
  return plane.pods() != nullptr && plane.pods()->gang == model::GangProvider::kueue;
}

}  // namespace

PoolNames pools_of(const Quota& quota, const Site& site) {
  PoolNames out;
  const auto take = [&](const std::vector<model::Located<std::string>>& pools) {
    for (const auto& pool : pools) out.push_back(pool.value);
  };
  if (quota.pool.value == model::all_pools && quota.pools.empty()) return out;
  take(quota.pools);
  for (const model::Plane& plane : site.planes)
    if (const model::PodPlane* pods = plane.pods(); pods != nullptr && out.empty())
      for (const model::Flavor& flavor : pods->flavors)
        if (flavor.name == quota.pool.value) take(flavor.pools);
  if (out.empty()) out = {quota.pool.value};
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool counts_pool(const Quota& quota, std::string_view pool) {
  if (quota.pools.empty()) return quota.pool.value == pool;
  return std::any_of(quota.pools.begin(), quota.pools.end(), [&](const auto& one) { return one.value == pool; });
}

Amounts asked_of(const Quota& quota, const AmountsByPool& asked, const Amounts& all) {
  if (quota.pools.empty() && quota.pool.value == model::all_pools) return all;
  Amounts out;
  for (const auto& [pool, amounts] : asked)
    if (counts_pool(quota, pool)) out += amounts;
  return out;
}

std::string pools_text(const Quota& quota) {
  if (quota.pools.empty())
    return quota.pool.value == model::all_pools ? "all pools together" : "pool " + quota.pool.value;
  std::vector<std::string> names;
  for (const auto& pool : quota.pools) names.push_back(pool.value);
  return (names.size() > 1 ? "pools " : "pool ") + listed(names, "and");
}

Tenant with_ceilings(const Tenant& tenant, const Site& site, const model::Plane& plane, const UsedBy& used) {
  Tenant out = tenant;
  out.quotas.clear();
  const Members members(tenant, site);
  if (!members.any()) {
    for (const Quota& quota : tenant.quotas) {
      out.quotas.push_back(quota);
      out.quotas.back().pools = quota_named({}, pools_of(quota, site)).pools;
    }
    return out;
  }
  for (const auto& [pools, set] : members.sets()) {
    Quota ceiling = quota_named(set.name, pools);
    const Quota* own = set.of(members.own());
    const bool unlisted = own == nullptr && !pools.empty() && !tenant.quotas.empty() && lists_flavors(plane);
    for (const Resource resource : resources) {
      if (own != nullptr && !limits(*own, resource)) continue;
      if (const auto tree = members.tree(pools, set, resource, used))
        set_amount(ceiling, resource, unlisted ? 0 : std::max<std::int64_t>(0, tree->room(members.own())));
    }
    out.quotas.push_back(std::move(ceiling));
  }
  return out;
}

std::string borrowed_text(const Tenant& tenant, const Site& site, const AmountsByPool& asked, const UsedBy& used) {
  const Members members(tenant, site);
  std::vector<std::string> parts;
  for (const auto& [pools, set] : members.sets()) {
    const Quota named = quota_named(set.name, pools);
    const Amounts own = asked_of(named, asked, sum_of(asked));
    const UsedBy all = [&](const Tenant& one, const PoolNames& of) {
      return one.name == tenant.name ? own : used ? used(one, of) : Amounts{};
    };
    std::vector<std::string> amounts;
    for (const Resource resource : resources) {
      const auto borrower = members.borrower(set, resource);
      const auto tree = borrower ? members.tree(pools, set, resource, all) : std::nullopt;
      const std::int64_t borrowed = tree ? std::min(tree->borrowed(*borrower), asked_amount(own, resource)) : 0;
      if (borrowed > 0) amounts.push_back(text_of(resource, borrowed));
    }
    if (!amounts.empty()) parts.push_back(listed(amounts, "and") + " of " + pools_text(named));
  }
  return listed(parts, "and");
}

namespace {

Certificate over(const model::Tenant& tenant, const model::Quota& quota, std::int64_t need, std::int64_t have,
                 const std::string& wanted, const std::string& allowed) {
  const std::string lent = tenant.cohort ? " with what cohort " + tenant.cohort->value + " lends it" : "";
  return {"quota", need, have, need - have,
          "requests " + wanted + " of " + pools_text(quota) + "; tenant " + tenant.name + " can use " + allowed + lent};
}

}  // namespace

std::optional<Certificate> over_quota(const model::Tenant& tenant, const model::Quota& quota, const Amounts& asked) {
  const auto more = [&](const model::Optional<std::int64_t>& most, std::int64_t need, std::string_view noun,
                        const std::string& added = {}) -> std::optional<Certificate> {
    if (!most || need <= most->value) return std::nullopt;
    return over(tenant, quota, need, most->value, counted(need, noun) + added, std::to_string(most->value));
  };
  if (auto found = more(quota.gpus, asked.gpus, "GPU")) return found;
  if (auto found = more(quota.nodes, asked.nodes, "node")) return found;
  if (auto found = more(quota.cpus, asked.cpus, "CPU")) return found;
  if (quota.memory && asked.memory > quota.memory->value) {
    const auto [need, have] = in_one_unit(asked.memory, quota.memory->value);
    return over(tenant, quota, asked.memory.bytes, quota.memory->value.bytes, need + " of memory", have);
  }
  const std::string added = asked.added_pods > 0 ? ", " + std::to_string(asked.added_pods) + " by its operator," : "";
  return more(quota.pods, asked.pods, "pod", added);
}

std::optional<Certificate> over_quota(const model::Tenant* tenant, std::string_view pool, const Amounts& asked) {
  if (tenant == nullptr) return std::nullopt;
  for (const model::Quota& quota : tenant->quotas)
    if (counts_pool(quota, pool))
      if (auto found = over_quota(*tenant, quota, asked)) return found;
  return std::nullopt;
}

std::optional<Certificate> over_quotas(const model::Tenant* tenant, const AmountsByPool& asked, const Amounts& all) {
  if (tenant == nullptr) return std::nullopt;
  for (const model::Quota& quota : tenant->quotas)
    if (auto found = over_quota(*tenant, quota, asked_of(quota, asked, all))) return found;
  return std::nullopt;
}

std::optional<Certificate> over_quotas(const model::Tenant* tenant, const AmountsByPool& asked) {
  return over_quotas(tenant, asked, sum_of(asked));
}

}  // namespace muster::plan
