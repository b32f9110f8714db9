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
  TresLimit out{tighter(a.gpus, b.gpus), tighter(a.nodes, b.nodes),   a.typed_gpus,
                tighter(a.cpus, b.cpus), tighter(a.memory, b.memory), a.others};
  out.others.insert(out.others.end(), b.others.begin(), b.others.end());
  out.typed_gpus.insert(out.typed_gpus.end(), b.typed_gpus.begin(), b.typed_gpus.end());
  return out;
}

const QosRecord* find_qos(const Cluster& cluster, std::string_view name) {
  for (const QosRecord& qos : cluster.qos)
    if (equal_ignoring_case(qos.name, name)) return &qos;
  return nullptr;
}

// Limits that no key of a site holds.
void remark_unused(const std::string& owner, std::vector<std::string> unused,
                   std::initializer_list<const TresLimit*> limits, std::vector<std::string>& remarks) {
  for (const TresLimit* limit : limits) unused.insert(unused.end(), limit->others.begin(), limit->others.end());
  std::sort(unused.begin(), unused.end());
  unused.erase(std::unique(unused.begin(), unused.end()), unused.end());
  if (!unused.empty()) remarks.push_back("limits of " + owner + " that are not used: " + printable(joined(unused)));
}

void add_qos(const QosRecord& qos, model::Queue& queue, std::vector<std::string>& remarks) {
  // One job is within what a job, a user and the whole QOS may have.
  const TresLimit most = tighter(tighter(qos.per_job, qos.per_user), qos.group);
  const auto positive = [](Amount n) { return n && *n > 0 ? n : Amount(); };
  tighten(queue.max_gpus, positive(most.gpus));
  tighten(queue.max_nodes, positive(most.nodes));
  tighten(queue.max_cpus, positive(most.cpus));
  if (positive(most.memory)) tighten(queue.max_memory, std::optional(Size{*most.memory}));
  tighten(queue.max_jobs, positive(qos.jobs_per_user));
  tighten(queue.max_jobs_account, positive(qos.jobs_per_account));
  if (qos.max_time && qos.max_time->ms >= 60'000) tighten(queue.max_time, qos.max_time);
  if (qos.group.any() || qos.per_user.any())
    remarks.push_back("what all jobs of QOS " + printable(qos.name) + (qos.group.any() ? "" : ", of one user,") +
                      " may use together bounds each job alone");
  std::vector<std::string> unused = qos.unused;
  for (const auto& [type, count] : most.typed_gpus) unused.push_back("gres/gpu:" + type);
  remark_unused("QOS " + printable(qos.name), std::move(unused), {&qos.group, &qos.per_job, &qos.per_user}, remarks);
}

// The account rows of the cluster, by name.
using Accounts = std::map<std::string, const AssociationRecord*>;

Accounts accounts_of(const Cluster& cluster, std::string_view own) {
  const bool known = std::any_of(cluster.associations.begin(), cluster.associations.end(),
                                 [&](const AssociationRecord& a) { return equal_ignoring_case(a.cluster, own); });
  Accounts out;
  for (const AssociationRecord& a : cluster.associations)
    if (a.user.empty() && a.partition.empty() && (!known || equal_ignoring_case(a.cluster, own)))
      out.emplace(a.account, &a);
  // Some formats list users only.
  for (const AssociationRecord& a : cluster.associations)
    if (!known || equal_ignoring_case(a.cluster, own)) out.emplace(a.account, nullptr);
  return out;
}

// The account, and those above it.
std::vector<const AssociationRecord*> chain_of(const std::string& account, const Accounts& accounts) {
  std::vector<const AssociationRecord*> out;
  constexpr std::size_t most_levels = 64;  // a damaged tree may run in a circle
  for (std::string name = account; out.size() < most_levels;) {
    const auto found = accounts.find(name);
    if (found == accounts.end() || found->second == nullptr) break;
    out.push_back(found->second);
    if (found->second->parent.empty() || found->second->parent == name) break;
    name = found->second->parent;
  }
  return out;
}

// What all of a team has in use counts for the accounts above it, too.
TresLimit group_limits(const std::vector<const AssociationRecord*>& chain) {
  TresLimit out;
  for (const AssociationRecord* row : chain) out = tighter(out, row->group);
  return out;
}

// Limits of a job or a user are those of the nearest account that has them.
template <class T>
std::optional<T> nearest(const std::vector<const AssociationRecord*>& chain,
                         std::optional<T> (*of)(const AssociationRecord&)) {
  for (const AssociationRecord* row : chain)
    if (auto found = of(*row)) return found;
  return std::nullopt;
}

void add_account_limits(const std::vector<const AssociationRecord*>& chain, model::Tenant& tenant) {
  Amount jobs;
  for (const AssociationRecord* row : chain) jobs = tighter(jobs, row->jobs);
  const auto positive = [](Amount n) { return limit(n && *n > 0 ? n : Amount()); };
  tenant.max_jobs_account = positive(jobs);
  tenant.max_jobs_user = positive(nearest<std::int64_t>(chain, [](const auto& row) { return row.jobs_per_user; }));
  tenant.max_gpus = positive(nearest<std::int64_t>(chain, [](const auto& row) { return row.per_job.gpus; }));
  tenant.max_nodes = positive(nearest<std::int64_t>(chain, [](const auto& row) { return row.per_job.nodes; }));
  tenant.max_cpus = positive(nearest<std::int64_t>(chain, [](const auto& row) { return row.per_job.cpus; }));
  if (const auto memory = nearest<std::int64_t>(chain, [](const auto& row) { return row.per_job.memory; });
      memory && *memory > 0)
    tenant.max_memory = model::Located<Size>{Size{*memory}, {}};
  if (const auto time = nearest<Duration>(chain, [](const auto& row) { return row.max_time; });
      time && time->ms >= 60'000)
    tenant.max_time_account = model::Located<Duration>{*time, {}};
}

bool is_of_type(const model::Pool& pool, const std::string& type) {
  return pool.gpu && (gpu_name(type).model == pool.gpu->model || muster::lower(type) == pool.gpu->model);
}

// A limit counts over all pools that it is of together: those with such GPUs, or all.
std::vector<model::Quota> quotas_of(const TresLimit& limits, const model::Fleet& fleet) {
  std::vector<model::Quota> out;
  using Names = std::vector<std::string>;
  const auto quota = [&](const Names& pools, const std::string& several) -> model::Quota& {
    const std::string name = pools.size() == 1 ? pools.front() : several;
    for (model::Quota& one : out)
      if (one.pool.value == name) return one;
    model::Quota& one = out.emplace_back(model::Quota{{name, {}}, {}, {}});
    if (pools.size() > 1 && name != model::all_pools)
      for (const std::string& pool : pools) one.pools.push_back({pool, {}});
    return one;
  };
  Names all, with_gpus;
  for (const model::Pool& pool : fleet.pools) {
    all.push_back(pool.name);
    if (pool.gpu) with_gpus.push_back(pool.name);
  }
  const std::string together(model::all_pools);
  if (limits.gpus && !with_gpus.empty()) quota(with_gpus, together).gpus = limit(limits.gpus);
  if (!all.empty()) {
    if (limits.nodes) quota(all, together).nodes = limit(limits.nodes);
    if (limits.cpus) quota(all, together).cpus = limit(limits.cpus);
    if (limits.memory) quota(all, together).memory = model::Located<Size>{Size{*limits.memory}, {}};
  }
  for (const auto& [type, count] : limits.typed_gpus) {
    Names pools;
    for (const model::Pool& pool : fleet.pools)
      if (is_of_type(pool, type)) pools.push_back(pool.name);
    if (pools.empty()) continue;
    model::Quota& one = quota(pools, gpu_name(type).model);
    tighten(one.gpus, Amount(count));
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return (a.pool.value == model::all_pools) > (b.pool.value == model::all_pools);
  });
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

// What of the account's limits the tenant does not hold.
void remark_limits(const std::vector<const AssociationRecord*>& rows, const std::string& account,
                   const std::vector<const AssociationRecord*>& chain, const TresLimit& group,
                   const model::Fleet* fleet, std::vector<std::string>& remarks) {
  std::vector<std::string> unused, users;
  for (const AssociationRecord* row : chain) {
    unused.insert(unused.end(), row->unused.begin(), row->unused.end());
    for (const auto& [type, count] : row->per_job.typed_gpus) unused.push_back("MaxTRES gres/gpu:" + type);
    unused.insert(unused.end(), row->per_job.others.begin(), row->per_job.others.end());
  }
  if (fleet != nullptr)
    for (const auto& [type, count] : group.typed_gpus)
      if (std::none_of(fleet->pools.begin(), fleet->pools.end(), [&](const auto& p) { return is_of_type(p, type); }))
        unused.push_back("GrpTRES gres/gpu:" + type);
  remark_unused("account " + printable(account), std::move(unused), {&group}, remarks);
  for (const AssociationRecord* one : rows) {
    const AssociationRecord& row = *one;
    const bool own_time =
        row.max_time &&
        (chain.empty() || row.max_time != nearest<Duration>(chain, [](const auto& r) { return r.max_time; }));
    if (row.group.any() || row.per_job.any() || row.jobs || row.jobs_per_user || own_time)
      users.push_back(row.user.empty() ? "partition " + row.partition : row.user);
  }
  std::sort(users.begin(), users.end());
  users.erase(std::unique(users.begin(), users.end()), users.end());
  constexpr std::size_t shown = 4;
  const std::size_t more = users.size() > shown ? users.size() - shown : 0;
  if (more > 0) users.resize(shown);
  if (!users.empty())
    remarks.push_back("limits of their own that are not used: " + printable(joined(users)) +
                      (more > 0 ? " and " + counted(static_cast<long long>(more), "other") : ""));
}

}  // namespace

std::vector<std::string> add_limits(const Cluster& cluster, const PartitionRecord& partition, model::Queue& queue) {
  std::vector<std::string> remarks;
  const auto apply = [&](const std::string& name) {
    if (const QosRecord* qos = find_qos(cluster, name)) add_qos(*qos, queue, remarks);
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
  std::map<std::string, std::vector<const AssociationRecord*>> of_users;  // or of one partition, by account
  for (const AssociationRecord& row : cluster.associations)
    if (!row.user.empty() || !row.partition.empty()) of_users[row.account].push_back(&row);
  std::vector<TenantRecord> out;
  for (const std::string& name : names) {
    TenantRecord record;
    record.tenant.name = name;
    record.tenant.accounts.push_back({name, {}});
    record.tenant.queues = access.queues_for(name);
    const std::vector<const AssociationRecord*> chain = chain_of(name, accounts);
    const TresLimit limits = group_limits(chain);
    if (fleet != nullptr) record.tenant.quotas = quotas_of(limits, *fleet);
    add_account_limits(chain, record.tenant);
    remark_limits(of_users[name], name, chain, limits, fleet, record.remarks);
    const auto row = accounts.find(name);
    if (limits.any() && row != accounts.end() && row->second != nullptr && row->second->parent.empty())
      record.remarks.push_back(
          "limits of parent accounts are not known; `sacctmgr show assoc "
          "format=cluster,account,user,parentname,grptres,maxtres,maxwall -P` prints them");
    out.push_back(std::move(record));
  }
  return out;
}

}  // namespace muster::targets::slurm
