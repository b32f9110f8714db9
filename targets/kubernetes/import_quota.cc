#include "targets/kubernetes/import_quota.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "compiler/base/text.h"
#include "targets/kubernetes/import_fleet.h"
#include "targets/site_import/unique_names.h"

namespace muster::targets::kubernetes {
namespace {

// Amounts of one flavor in thousandths, by resource: those of several flavors of the same nodes add up before they are
// rounded.
struct Sums {
  std::map<std::string, std::int64_t> nominal, borrow, lend;
};

void add(std::map<std::string, std::int64_t>& to, const std::string& resource, std::int64_t amount) {
  // Several resources of GPUs are one number in a site.
  std::int64_t& sum = to[is_gpu_resource(resource) ? "gpus" : resource];
  if (__builtin_add_overflow(sum, amount, &sum)) sum = std::numeric_limits<std::int64_t>::max();
}

// Sets the amounts that have a key, and returns what could not be: "cpu 900m".
template <class Quota>
std::set<std::string> set_amounts(Quota& to, const std::map<std::string, std::int64_t>& sums) {
  std::set<std::string> rounded;
  for (const auto& [resource, thousandths] : sums) {
    const std::int64_t whole = thousandths / 1000;
    if (resource == "memory") {
      to.memory = model::unplaced(Size{whole});
      continue;
    }
    auto* number = resource == "gpus"   ? &to.gpus
                   : resource == "cpu"  ? &to.cpus
                   : resource == "pods" ? &to.pods
                                        : nullptr;
    if (number == nullptr) continue;
    *number = model::unplaced(whole);
    if (thousandths % 1000 != 0)
      rounded.insert(resource + " = " + std::to_string(thousandths) + "m to " + std::to_string(whole));
  }
  return rounded;
}

bool has_key(const std::string& resource) {
  return is_gpu_resource(resource) || resource == "cpu" || resource == "pods" || resource == "memory";
}

// The cohorts that are above themselves. Each is reported once, at the first of its circle.
std::set<std::string> circles_of(const std::vector<CohortObject>& cohorts, Diagnostics& diagnostics) {
  std::map<std::string, const CohortObject*> by_name;
  for (const CohortObject& cohort : cohorts) by_name.emplace(cohort.name, &cohort);
  std::set<std::string> out;
  std::map<std::string, std::size_t> seen;  // in which walk
  for (std::size_t walk = 1; walk <= cohorts.size(); ++walk) {
    std::vector<std::string> path;
    std::string name = cohorts[walk - 1].name;
    for (; by_name.contains(name) && seen.emplace(name, walk).second; name = by_name.at(name)->parent)
      path.push_back(name);
    const auto first = std::find(path.begin(), path.end(), name);
    if (first == path.end()) continue;
    out.insert(first, path.end());
    diagnostics
        .add(Code::damaged_record, by_name.at(name)->span, "Cohort `" + printable(name, 40) + "` is a member of itself")
        .notes.push_back("its parents are, from below: " + printable(joined(std::vector(first, path.end()))));
  }
  return out;
}

class QuotaImporter {
 public:
  QuotaImporter(const ClusterObjects& objects, const model::Fleet* fleet,
                const std::map<std::string, std::set<std::string>>& pools_of, const std::vector<QueueUse>& uses,
                LeftOut& left_out)
      : objects_(objects), fleet_(fleet), pools_of_(pools_of), left_out_(left_out) {
    for (const QueueUse& use : uses) {
      uses_of_[use.cluster_queue][use.name_space].push_back(use.label);
      queues_of_[use.name_space].insert(use.cluster_queue);
    }
  }

  ImportedQuotas import(std::size_t queues_of_site, Diagnostics& diagnostics) {
    if (fleet_ != nullptr) flavors();
    cohorts(circles_of(objects_.cohorts, diagnostics));
    for (const auto& [space, queues] : queues_of_)  // whole names first, so that they stay as they are
      if (queues.size() == 1) tenant_names_.take(space);
    for (const ClusterQueue& queue : objects_.cluster_queues) members(queue, queues_of_site);
    std::sort(out_.tenants.begin(), out_.tenants.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return std::move(out_);
  }

 private:
  void remark(std::string path, std::string text) { out_.remarks.emplace_back(std::move(path), std::move(text)); }

  // The name of a quota of the flavor: its only pool, or its own.
  const std::string& label_of(const std::string& flavor) const {
    const auto pools = pools_of_.find(flavor);
    if (pools != pools_of_.end() && pools->second.size() == 1) return *pools->second.begin();
    return label_of_flavor_.at(flavor);
  }

  void flavors() {
    std::set<std::string> used;
    const auto use = [&](const std::vector<FlavorQuota>& quotas) {
      for (const FlavorQuota& quota : quotas) used.insert(quota.flavor);
    };
    for (const ClusterQueue& queue : objects_.cluster_queues) use(queue.quotas);
    for (const CohortObject& cohort : objects_.cohorts) use(cohort.quotas);
    UniqueNames labels;
    for (const model::Pool& pool : fleet_->pools) labels.take(pool.name);
    labels.take(std::string(model::all_pools));
    for (const std::string& name : used) {
      const auto pools = pools_of_.find(name);
      if (pools == pools_of_.end() || pools->second.empty()) {
        remark("", "flavor " + printable(name) +
                       " has no nodes among those that were read, so its quotas were not imported");
        continue;
      }
      if (pools->second.size() < 2) continue;
      const std::string& label = label_of_flavor_[name] = labels.take(name);
      if (label != name)
        left_out_.say("ResourceFlavor", name, "here it is flavor " + label + ", because a pool has the name");
      model::Flavor flavor{label, {}, {}};
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

  std::vector<model::Quota> quotas_of(const std::vector<FlavorQuota>& quotas, bool in_cohort, const std::string& kind,
                                      const std::string& owner) {
    std::vector<std::pair<std::string, Sums>> sums;  // by label, in the order in which Kueue tries the flavors
    std::map<std::string, std::size_t> places;       // of the labels in it
    std::vector<std::string> others;
    std::map<std::pair<std::string, std::string>, std::string> seen;  // the flavor of a label's resource
    for (const FlavorQuota& quota : quotas) {
      const auto pools = pools_of_.find(quota.flavor);
      if (fleet_ == nullptr || pools == pools_of_.end() || pools->second.empty()) continue;
      const std::string& label = label_of(quota.flavor);
      if (is_gpu_resource(quota.resource) && !has_gpus(quota.flavor)) continue;
      if (!has_key(quota.resource)) others.push_back("the quota of " + printable(quota.resource, 60));
      if (const auto [of, fresh] = seen.try_emplace({label, quota.resource}, quota.flavor);
          !fresh && of->second != quota.flavor)
        remark("", "flavors " + printable(of->second) + " and " + printable(quota.flavor) +
                       " are of the same nodes, so their quotas of " + printable(quota.resource) + " were added up");
      const auto [place, is_new] = places.try_emplace(label, sums.size());
      if (is_new) sums.emplace_back(label, Sums{});
      Sums& sum = sums[place->second].second;
      add(sum.nominal, quota.resource, quota.nominal);
      if (in_cohort && quota.borrowing_limit) add(sum.borrow, quota.resource, *quota.borrowing_limit);
      if (in_cohort && quota.lending_limit) add(sum.lend, quota.resource, *quota.lending_limit);
    }
    left_out_.add(kind, owner, std::move(others));
    return in_whole(sums, kind, owner);
  }

  // Workloads ask for whole CPUs, so less than one is none. What members of a cohort lend each other may be up to one
  // more for each quota that is rounded.
  std::vector<model::Quota> in_whole(const std::vector<std::pair<std::string, Sums>>& sums, const std::string& kind,
                                     const std::string& owner) {
    std::vector<model::Quota> out;
    std::set<std::string> rounded;
    for (const auto& [label, sum] : sums) {
      model::Quota& quota = out.emplace_back(model::Quota{model::unplaced(label), {}, {}});
      rounded.merge(set_amounts(quota, sum.nominal));
      rounded.merge(set_amounts(quota.borrow_limit, sum.borrow));
      rounded.merge(set_amounts(quota.lend_limit, sum.lend));
    }
    if (!rounded.empty())
      left_out_.say(kind, owner,
                    "amounts were rounded down: " +
                        printable(joined(std::vector<std::string>(rounded.begin(), rounded.end())), 400));
    std::erase_if(out, [](const model::Quota& q) { return !q.gpus && !q.nodes && !q.cpus && !q.memory && !q.pods; });
    return out;
  }

  // Those of a circle are imported without their parents.
  void cohorts(const std::set<std::string>& circles) {
    std::set<std::string> names;
    for (const CohortObject& cohort : objects_.cohorts) {
      const bool below = !cohort.parent.empty() && !circles.contains(cohort.name);
      model::Cohort one{cohort.name, {}, {}, quotas_of(cohort.quotas, below, "Cohort", cohort.name)};
      if (below) one.parent = model::unplaced(cohort.parent);
      if (names.insert(cohort.name).second) out_.cohorts.push_back(std::move(one));
    }
    std::set<std::string> named;  // that have no object of their own
    for (const CohortObject& cohort : objects_.cohorts) named.insert(cohort.parent);
    for (const ClusterQueue& queue : objects_.cluster_queues) named.insert(queue.cohort);
    for (const std::string& name : named)
      if (!name.empty() && names.insert(name).second) out_.cohorts.push_back({name, {}, {}, {}});
    for (const std::string& name : names) cohort_names_.take(name);
  }

  // Who is under the quota of a ClusterQueue.
  void members(const ClusterQueue& queue, std::size_t queues_of_site) {
    const std::map<std::string, std::vector<std::string>>& labels = uses_of_[queue.name];  // by namespace
    if (labels.empty() && queue.cohort.empty()) return;
    std::vector<model::Quota> quotas = quotas_of(queue.quotas, !queue.cohort.empty(), "ClusterQueue", queue.name);
    model::Optional<std::string> cohort;
    if (!queue.cohort.empty()) cohort = model::unplaced(queue.cohort);
    if (labels.size() != 1) {
      const std::string name = cohort_names_.take(queue.name);
      out_.cohorts.push_back({name, {}, std::exchange(cohort, model::unplaced(name)), std::exchange(quotas, {})});
    }
    for (const auto& [space, own] : labels) {
      model::Tenant tenant;
      tenant.name = queues_of_.at(space).size() == 1 ? space : tenant_names_.take(space + "-" + queue.name);
      tenant.name_space = model::unplaced(space);
      tenant.cohort = cohort;
      tenant.quotas = quotas;
      if (own.size() < queues_of_site)
        for (const std::string& label : own) tenant.queues.push_back(model::unplaced(label));
      out_.tenants.push_back(std::move(tenant));
    }
  }

  const ClusterObjects& objects_;
  const model::Fleet* fleet_;
  const std::map<std::string, std::set<std::string>>& pools_of_;
  LeftOut& left_out_;
  std::map<std::string, std::map<std::string, std::vector<std::string>>> uses_of_;  // labels by ClusterQueue, namespace
  std::map<std::string, std::set<std::string>> queues_of_;                          // ClusterQueues by namespace
  std::map<std::string, std::string> label_of_flavor_;                              // of those of several pools
  UniqueNames cohort_names_, tenant_names_;
  ImportedQuotas out_;
};

}  // namespace

ImportedQuotas import_quotas(const ClusterObjects& objects, const model::Fleet* fleet,
                             const std::map<std::string, std::set<std::string>>& pools_of,
                             const std::vector<QueueUse>& uses, std::size_t queues_of_site, LeftOut& left_out,
                             Diagnostics& diagnostics) {
  return QuotaImporter(objects, fleet, pools_of, uses, left_out).import(queues_of_site, diagnostics);
}

}  // namespace muster::targets::kubernetes
