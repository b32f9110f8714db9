#include "targets/kubernetes/import_quota.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/base/text.h"
#include "targets/kubernetes/import_fleet.h"

namespace muster::targets::kubernetes {
namespace {

using Amount = std::optional<std::int64_t>;

void add(model::Optional<std::int64_t>& to, Amount amount) {
  if (amount) to = model::unplaced((to ? to->value : 0) + *amount);
}

// Adds an amount of a resource. False: quotas have no key for it.
template <class Quota>
bool add_amount(Quota& to, std::string_view resource, Amount amount) {
  if (is_gpu_resource(resource)) add(to.gpus, amount);
  else if (resource == "cpu") add(to.cpus, amount);
  else if (resource == "pods") add(to.pods, amount);
  else if (resource == "memory" && amount)
    to.memory = model::unplaced(Size{(to.memory ? to.memory->value.bytes : 0) + *amount});
  else return resource == "memory";
  return true;
}

Amount in_whole(Amount thousandths) { return thousandths ? Amount(*thousandths / 1000) : std::nullopt; }

class QuotaImporter {
 public:
  QuotaImporter(const ClusterObjects& objects, const model::Fleet* fleet,
                const std::map<std::string, std::set<std::string>>& pools_of, const std::vector<QueueUse>& uses)
      : objects_(objects), fleet_(fleet), pools_of_(pools_of), uses_(uses) {}

  ImportedQuotas import(std::size_t queues_of_site) {
    if (fleet_ != nullptr) flavors();
    cohorts();
    for (const ClusterQueue& queue : objects_.cluster_queues) members(queue, queues_of_site);
    std::sort(out_.tenants.begin(), out_.tenants.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    unused();
    return std::move(out_);
  }

 private:
  void remark(std::string path, std::string text) { out_.remarks.emplace_back(std::move(path), std::move(text)); }

  // The name of a quota of the flavor: its only pool, or itself.
  const std::string& label_of(const std::string& flavor) const {
    const auto pools = pools_of_.find(flavor);
    return pools != pools_of_.end() && pools->second.size() == 1 ? *pools->second.begin() : flavor;
  }

  void flavors() {
    std::set<std::string> used;
    const auto use = [&](const std::vector<FlavorQuota>& quotas) {
      for (const FlavorQuota& quota : quotas) used.insert(quota.flavor);
    };
    for (const ClusterQueue& queue : objects_.cluster_queues) use(queue.quotas);
    for (const CohortObject& cohort : objects_.cohorts) use(cohort.quotas);
    for (const std::string& name : used) {
      const auto pools = pools_of_.find(name);
      if (pools == pools_of_.end() || pools->second.empty()) {
        remark("", "flavor " + printable(name) +
                       " has no nodes among those that were read, so its quotas were not imported");
        continue;
      }
      if (pools->second.size() < 2) continue;
      model::Flavor flavor{name, {}, {}};
      for (const std::string& pool : pools->second) flavor.pools.push_back(model::unplaced(pool));
      out_.flavors.push_back(std::move(flavor));
    }
  }

  bool has_gpus(const std::string& flavor) const {
    const auto pools = pools_of_.find(flavor);
    return pools != pools_of_.end() &&
           std::any_of(fleet_->pools.begin(), fleet_->pools.end(),
                       [&](const model::Pool& pool) { return pool.gpu && pools->second.contains(pool.name); });
  }

  std::vector<model::Quota> quotas_of(const std::vector<FlavorQuota>& quotas, bool in_cohort,
                                      const std::string& owner) {
    std::vector<model::Quota> out;
    bool others = false;
    std::map<std::pair<std::string, std::string>, std::string> seen;  // the flavor of a label's resource
    for (const FlavorQuota& quota : quotas) {
      const auto pools = pools_of_.find(quota.flavor);
      if (fleet_ == nullptr || pools == pools_of_.end() || pools->second.empty()) continue;
      const std::string& label = label_of(quota.flavor);
      auto found = std::find_if(out.begin(), out.end(), [&](const auto& q) { return q.pool.value == label; });
      if (found == out.end()) found = out.insert(out.end(), model::Quota{model::unplaced(label), {}, {}});
      if (is_gpu_resource(quota.resource) && !has_gpus(quota.flavor)) continue;
      if (const auto [of, fresh] = seen.try_emplace({label, quota.resource}, quota.flavor);
          !fresh && of->second != quota.flavor)
        remark("", "flavors " + printable(of->second) + " and " + printable(quota.flavor) +
                       " are of the same nodes, so their quotas of " + printable(quota.resource) + " were added up");
      others |= !add_amount(*found, quota.resource, quota.nominal / 1000);
      if (!in_cohort) continue;
      add_amount(found->borrow_limit, quota.resource, in_whole(quota.borrowing_limit));
      add_amount(found->lend_limit, quota.resource, in_whole(quota.lending_limit));
    }
    std::erase_if(out, [](const model::Quota& q) { return !q.gpus && !q.nodes && !q.cpus && !q.memory && !q.pods; });
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.pool.value < b.pool.value; });
    if (others)
      remark("", "quotas of resources other than GPUs, cpu, memory and pods of " + owner + " were not imported");
    return out;
  }

  void cohorts() {
    std::set<std::string> names;
    for (const CohortObject& cohort : objects_.cohorts) {
      model::Cohort one{cohort.name, {}, {}, quotas_of(cohort.quotas, !cohort.parent.empty(), "Cohort " + cohort.name)};
      if (!cohort.parent.empty()) one.parent = model::unplaced(cohort.parent);
      if (names.insert(cohort.name).second) out_.cohorts.push_back(std::move(one));
    }
    std::set<std::string> named;  // that have no object of their own
    for (const CohortObject& cohort : objects_.cohorts) named.insert(cohort.parent);
    for (const ClusterQueue& queue : objects_.cluster_queues) named.insert(queue.cohort);
    for (const std::string& name : named)
      if (!name.empty() && names.insert(name).second) out_.cohorts.push_back({name, {}, {}, {}});
    cohort_names_ = std::move(names);
  }

  // Who is under the quota of a ClusterQueue.
  void members(const ClusterQueue& queue, std::size_t queues_of_site) {
    std::map<std::string, std::vector<std::string>> labels;  // by namespace
    for (const QueueUse& use : uses_)
      if (use.cluster_queue == queue.name) labels[use.name_space].push_back(use.label);
    if (labels.empty() && queue.cohort.empty()) return;
    std::vector<model::Quota> quotas = quotas_of(queue.quotas, !queue.cohort.empty(), "ClusterQueue " + queue.name);
    model::Optional<std::string> cohort;
    if (!queue.cohort.empty()) cohort = model::unplaced(queue.cohort);
    if (labels.size() != 1) {
      const std::string name = cohort_names_.contains(queue.name) ? "queue-" + queue.name : queue.name;
      out_.cohorts.push_back({name, {}, std::exchange(cohort, model::unplaced(name)), std::exchange(quotas, {})});
    }
    for (const auto& [space, own] : labels) {
      model::Tenant tenant;
      const auto others = std::count_if(uses_.begin(), uses_.end(), [&](const QueueUse& use) {
        return use.name_space == space && use.cluster_queue != queue.name;
      });
      tenant.name = others == 0 ? space : space + "-" + queue.name;
      tenant.name_space = model::unplaced(space);
      tenant.cohort = cohort;
      tenant.quotas = quotas;
      if (own.size() < queues_of_site)
        for (const std::string& label : own) tenant.queues.push_back(model::unplaced(label));
      out_.tenants.push_back(std::move(tenant));
    }
  }

  // What of Kueue's objects fit does not count.
  void unused() {
    std::set<std::string> keys;
    for (const ClusterQueue& queue : objects_.cluster_queues) keys.insert(queue.unused.begin(), queue.unused.end());
    if (!keys.empty())
      remark("", "not used of ClusterQueues: " + joined(std::vector<std::string>(keys.begin(), keys.end())));
  }

  const ClusterObjects& objects_;
  const model::Fleet* fleet_;
  const std::map<std::string, std::set<std::string>>& pools_of_;
  const std::vector<QueueUse>& uses_;
  std::set<std::string> cohort_names_;
  ImportedQuotas out_;
};

}  // namespace

ImportedQuotas import_quotas(const ClusterObjects& objects, const model::Fleet* fleet,
                             const std::map<std::string, std::set<std::string>>& pools_of,
                             const std::vector<QueueUse>& uses, std::size_t queues_of_site) {
  return QuotaImporter(objects, fleet, pools_of, uses).import(queues_of_site);
}

}  // namespace muster::targets::kubernetes
