#include "plan/quota/flavors.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "plan/quota/ceilings.h"
#include "plan/verdict.h"

namespace muster::plan {
namespace {

using model::Truth;
using PoolNames = std::vector<std::string>;

bool has(const PoolNames& pools, std::string_view pool) {
  return std::find(pools.begin(), pools.end(), pool) != pools.end();
}

}  // namespace

std::shared_ptr<const Flavors> Flavors::on(const model::Site& site, const model::Plane& plane) {
  const model::PodPlane* pods = plane.pods();
  if (pods == nullptr || pods->gang != model::GangProvider::kueue) return nullptr;
  auto out = std::make_shared<Flavors>();
  for (const model::Flavor& flavor : pods->flavors) {
    Flavor one{{}, true};
    for (const auto& pool : flavor.pools) one.pools.push_back(pool.value);
    std::sort(one.pools.begin(), one.pools.end());
    out->flavors_.push_back(std::move(one));
  }
  for (const model::Tenant& tenant : site.tenants)
    for (const model::Quota& quota : tenant.quotas) out->add(quota, site);
  for (const model::Cohort& cohort : site.cohorts)
    for (const model::Quota& quota : cohort.quotas) out->add(quota, site);
  if (out->flavors_.empty() && out->counted_.empty()) return nullptr;
  return out;
}

void Flavors::add(const model::Quota& quota, const model::Site& site) {
  const PoolNames pools = pools_of(quota, site);
  const auto found = std::find_if(flavors_.begin(), flavors_.end(), [&](const Flavor& f) { return f.pools == pools; });
  Flavor* flavor = found == flavors_.end() ? nullptr : &*found;
  if (flavor == nullptr && pools.size() != 1) return counted_.push_back(pools);
  const bool part = std::any_of(flavors_.begin(), flavors_.end(),
                                [&](const Flavor& f) { return f.declared && has(f.pools, pools.front()); });
  if (flavor == nullptr && part) return;  // it bounds one pool of a flavor
  if (flavor == nullptr) flavor = &flavors_.emplace_back(Flavor{pools});
  flavor->of_gpus |= quota.gpus || quota.borrow_limit.gpus || quota.lend_limit.gpus;
  flavor->of_others |= quota.cpus || quota.memory || quota.borrow_limit.cpus || quota.borrow_limit.memory;
}

Truth Flavors::together(bool gpus, std::string_view a, std::string_view b) const {
  if (a == b) return Truth::yes;
  // First by the flavors that have quotas of what the role asks for, then by all.
  const auto asked = [&](auto is_one) -> std::optional<Truth> {
    bool named = false;
    for (const Flavor& flavor : flavors_) {
      if (!is_one(flavor)) continue;
      const bool of_a = has(flavor.pools, a), of_b = has(flavor.pools, b);
      if (of_a && of_b) return Truth::yes;
      named |= of_a || of_b;
    }
    return named ? std::optional(Truth::no) : std::nullopt;
  };
  if (const auto found = asked([&](const Flavor& f) { return gpus ? f.of_gpus : f.of_others; })) return *found;
  if (const auto found = asked([](const Flavor&) { return true; })) return *found;
  const bool counted = std::any_of(counted_.begin(), counted_.end(),
                                   [&](const PoolNames& all) { return all.empty() || (has(all, a) && has(all, b)); });
  return counted ? Truth::unknown : Truth::yes;
}

bool Flavors::names(std::string_view pool) const {
  return std::any_of(flavors_.begin(), flavors_.end(), [&](const Flavor& f) { return has(f.pools, pool); });
}

namespace {

Truth together(const RolePlan& role, std::string_view a, std::string_view b) {
  if (role.flavors == nullptr) return Truth::yes;
  return role.flavors->together(role.gpus > 0 || role.role->resources.part_of_gpu(), a, b);
}

}  // namespace

bool may_join(const RolePlan& role, const model::Pool& a, const model::Pool& b) {
  // Each replica of a service is admitted by itself.
  const bool one_set = role.pod_sets == PodSets::by_replica && role.copies == 1;
  if (role.flavors_by_replica && !one_set) return true;
  return together(role, a.name, b.name) != Truth::no;
}

void split_choices(RolePlan& role) {
  std::vector<Pools> out;
  for (const Pools& choice : role.choices) {
    const std::size_t first = out.size();
    for (const model::Pool* pool : choice) {
      const auto joins = [&](const Pools& one) {
        return std::all_of(one.begin(), one.end(), [&](const auto* other) { return may_join(role, *other, *pool); });
      };
      const auto found = std::find_if(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(), joins);
      if (found != out.end()) found->push_back(pool);
      else out.push_back({pool});
    }
  }
  role.choices = std::move(out);
}

void doubt_flavors(const std::vector<RolePlan>& roles, Fit& fit) {
  std::map<std::pair<std::string_view, std::int64_t>, std::string_view> first;  // the pool of each role, or replica
  for (const PlacedNode& node : fit.placements) {
    const auto role =
        std::find_if(roles.begin(), roles.end(), [&](const RolePlan& r) { return r.role->name == node.role; });
    if (role == roles.end() || role->flavors == nullptr) continue;
    const std::int64_t replica = role->flavors_by_replica ? node.replica : 0;
    const std::string_view pool =
        first.emplace(std::pair(std::string_view(node.role), replica), node.pool).first->second;
    const Truth truth = pool == node.pool ? Truth::yes : together(*role, pool, node.pool);
    if (truth == Truth::yes) continue;
    const std::string pools = "pools " + std::string(pool) + " and " + node.pool;
    const std::string why = truth == Truth::unknown
                                ? "the site does not declare whether " + pools + " are one flavor of the queue"
                                : "each replica is of one flavor, and the placement that was found has one on " + pools;
    for (Level* level : {&fit.capacity, &fit.now})
      if (level->verdict == Verdict::fits) *level = {Verdict::unknown, {}, why};
    fit.verdict = worst_of(fit);
    return;
  }
}

}  // namespace muster::plan
