#include "targets/slurm/import_limits.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "compiler/base/text.h"
#include "targets/site_import/gpu_names.h"

namespace muster::targets::slurm {
namespace {

using Amount = std::optional<std::int64_t>;

Amount tighter(Amount a, Amount b) { return !a ? b : !b ? a : std::min(*a, *b); }

model::Optional<std::int64_t> limit(Amount amount) {
  if (!amount) return std::nullopt;
  return model::Located<std::int64_t>{*amount, {}};
}

template <class T>
void tighten(model::Optional<T>& value, const std::optional<T>& other) {
  if (other && (!value || *other < value->value)) value = model::Located<T>{*other, {}};
}

TresLimit tighter(const TresLimit& a, const TresLimit& b) {
  TresLimit out{tighter(a.gpus, b.gpus), tighter(a.nodes, b.nodes), a.typed_gpus};
  out.typed_gpus.insert(out.typed_gpus.end(), b.typed_gpus.begin(), b.typed_gpus.end());
  return out;
}

const QosRecord* find_qos(const Cluster& cluster, std::string_view name) {
  for (const QosRecord& qos : cluster.qos)
    if (equal_ignoring_case(qos.name, name)) return &qos;
  return nullptr;
}

void add_qos(const QosRecord& qos, model::Queue& queue) {
  // One job is within what a job, a user and the whole QOS may have.
  const TresLimit most = tighter(tighter(qos.per_job, qos.per_user), qos.group);
  const auto positive = [](Amount n) { return n && *n > 0 ? n : Amount(); };
  tighten(queue.max_gpus, positive(most.gpus));
  tighten(queue.max_nodes, positive(most.nodes));
  tighten(queue.max_jobs, positive(qos.jobs_per_user));
  if (qos.max_time && qos.max_time->ms >= 60'000) tighten(queue.max_time, qos.max_time);
}

// The account rows of the cluster, by name.
using Accounts = std::map<std::string, const AssociationRecord*>;

Accounts accounts_of(const Cluster& cluster, std::string_view own) {
  const bool known = std::any_of(cluster.associations.begin(), cluster.associations.end(),
                                 [&](const AssociationRecord& a) { return equal_ignoring_case(a.cluster, own); });
  Accounts out;
  for (const AssociationRecord& a : cluster.associations)
    if (a.user.empty() && (!known || equal_ignoring_case(a.cluster, own))) out.emplace(a.account, &a);
  // Some formats list users only.
  for (const AssociationRecord& a : cluster.associations)
    if (!known || equal_ignoring_case(a.cluster, own)) out.emplace(a.account, nullptr);
  return out;
}

// The account's limits and those of the accounts above it: what all of a team has in use counts for them too.
TresLimit limits_of(const std::string& account, const Accounts& accounts) {
  TresLimit out;
  std::string name = account;
  constexpr int most_levels = 64;  // a damaged tree may run in a circle
  for (int level = 0; level < most_levels; ++level) {
    const auto found = accounts.find(name);
    if (found == accounts.end() || found->second == nullptr) break;
    out = tighter(out, tighter(found->second->group, found->second->per_job));
    if (found->second->parent.empty() || found->second->parent == name) break;
    name = found->second->parent;
  }
  return out;
}

// A limit of all GPUs or nodes counts over all pools together.
std::vector<model::Quota> quotas_of(const TresLimit& limits, const model::Fleet& fleet) {
  std::vector<model::Quota> out;
  const auto with_gpus = [](const model::Pool& pool) { return pool.gpu.has_value(); };
  const bool several = std::count_if(fleet.pools.begin(), fleet.pools.end(), with_gpus) > 1;
  const Amount all_gpus = several ? limits.gpus : Amount(),
               all_nodes = fleet.pools.size() > 1 ? limits.nodes : Amount();
  if (all_gpus || all_nodes) out.push_back({{std::string(model::all_pools), {}}, limit(all_gpus), limit(all_nodes)});
  for (const model::Pool& pool : fleet.pools) {
    Amount gpus = pool.gpu && !several ? limits.gpus : Amount();
    const Amount nodes = fleet.pools.size() > 1 ? Amount() : limits.nodes;
    for (const auto& [type, count] : limits.typed_gpus)
      if (pool.gpu && (gpu_name(type).model == pool.gpu->model || muster::lower(type) == pool.gpu->model))
        gpus = tighter(gpus, count);
    if (gpus || nodes) out.push_back({{pool.name, {}}, limit(gpus), limit(nodes)});
  }
  return out;
}

// Which queues take which account.
class QueueAccess {
 public:
  QueueAccess(const Cluster& cluster, const std::vector<model::Queue>& queues) : queues_(queues) {
    std::map<std::string_view, const PartitionRecord*> partitions;
    for (const PartitionRecord& p : cluster.partitions) partitions.emplace(p.name, &p);
    for (const model::Queue& queue : queues) {
      const std::vector<std::string>& allowed = partitions.at(queue.name)->accounts;
      if (allowed.empty()) open_.push_back({queue.name, {}});
      for (const std::string& account : allowed) of_account_[account].insert(queue.name);
    }
  }

  // Empty: all of them.
  std::vector<model::Located<std::string>> queues_for(const std::string& account) const {
    if (open_.size() == queues_.size()) return {};
    std::vector<model::Located<std::string>> out = open_;
    if (const auto found = of_account_.find(account); found != of_account_.end())
      for (const std::string& queue : found->second) out.push_back({queue, {}});
    if (out.size() == queues_.size()) out.clear();
    return out;
  }

 private:
  const std::vector<model::Queue>& queues_;
  std::vector<model::Located<std::string>> open_;
  std::map<std::string, std::set<std::string>> of_account_;
};

}  // namespace

std::vector<std::string> add_limits(const Cluster& cluster, const PartitionRecord& partition, model::Queue& queue) {
  std::vector<std::string> remarks;
  const auto apply = [&](const std::string& name) {
    if (const QosRecord* qos = find_qos(cluster, name)) add_qos(*qos, queue);
    else
      remarks.push_back("question: which limits does QOS " + printable(name) +
                        " have? `sacctmgr show qos -P` prints them");
  };
  if (!partition.own_qos.empty()) apply(partition.own_qos);
  if (partition.qos.size() == 1) {
    queue.qos = model::Located<std::string>{partition.qos.front(), {}};
    apply(partition.qos.front());
  } else if (partition.qos.size() > 1) {
    remarks.push_back("question: which QOS do jobs use here? Allowed are " + printable(joined(partition.qos)));
  }
  return remarks;
}

std::vector<TenantRecord> tenants_of(const Cluster& cluster, const std::vector<model::Queue>& queues,
                                     const model::Fleet* fleet, std::string_view own) {
  const Accounts accounts = accounts_of(cluster, own);
  std::set<std::string> names;
  for (const auto& [name, row] : accounts) names.insert(name);
  if (!cluster.asked_associations)
    for (const PartitionRecord& p : cluster.partitions) names.insert(p.accounts.begin(), p.accounts.end());
  if (names.size() > 1) names.erase("root");
  const QueueAccess access(cluster, queues);
  std::vector<TenantRecord> out;
  for (const std::string& name : names) {
    TenantRecord record;
    record.tenant.name = name;
    record.tenant.accounts.push_back({name, {}});
    record.tenant.queues = access.queues_for(name);
    const TresLimit limits = limits_of(name, accounts);
    if (fleet != nullptr) record.tenant.quotas = quotas_of(limits, *fleet);
    const auto row = accounts.find(name);
    if (row != accounts.end() && row->second != nullptr && row->second->max_time)
      record.remarks.push_back("a job of this account ends after " + to_string(*row->second->max_time));
    if (limits.any() && row != accounts.end() && row->second != nullptr && row->second->parent.empty())
      record.remarks.push_back(
          "limits of parent accounts are not known; `sacctmgr show assoc "
          "format=cluster,account,user,parentname,grptres,maxtres,maxwall -P` prints them");
    out.push_back(std::move(record));
  }
  return out;
}

}  // namespace muster::targets::slurm
