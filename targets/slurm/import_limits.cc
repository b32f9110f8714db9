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

// The least that a limit of memory can be in a site.
constexpr std::int64_t least_memory = std::int64_t{1} << 20;

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

// Slurm counts minutes: a shorter limit lets no job run.
constexpr std::int64_t a_minute = 60'000;

// The limit of 0 that lets no job run, as "MaxJobsPU = 0"; "": there is none.
std::string closing(Amount nodes, Amount cpus, Amount memory, Amount jobs, const std::optional<Duration>& time) {
  const auto none = [](Amount amount) { return amount && *amount <= 0; };
  return none(nodes)                   ? "its limit of nodes is 0"
         : none(cpus)                  ? "its limit of CPUs is 0"
         : none(memory)                ? "its limit of memory is 0"
         : none(jobs)                  ? "its limit of jobs is 0"
         : time && time->ms < a_minute ? "its limit of time is 0"
                                       : "";
}

// One job is within what a job, a user and the whole QOS may have.
TresLimit all_of(const QosRecord& qos) { return tighter(tighter(qos.per_job, qos.per_user), qos.group); }

std::string closing(const QosRecord& qos) {
  const TresLimit most = all_of(qos);
  return closing(most.nodes, most.cpus, most.memory, tighter(qos.jobs_per_user, qos.jobs_per_account), qos.max_time);
}

void add_qos(const QosRecord& qos, model::Queue& queue, std::vector<std::string>& remarks) {
  const TresLimit most = all_of(qos);
  // A queue where no job may run has 0 nodes, see why_closed.
  const auto positive = [](Amount n) { return n && *n > 0 ? n : Amount(); };
  tighten(queue.max_gpus, most.gpus);
  tighten(queue.max_nodes, positive(most.nodes));
  tighten(queue.max_cpus, positive(most.cpus));
  if (positive(most.memory)) tighten(queue.max_memory, std::optional(Size{std::max(*most.memory, least_memory)}));
  tighten(queue.max_jobs, positive(qos.jobs_per_user));
  tighten(queue.max_jobs_account, positive(qos.jobs_per_account));
  if (qos.max_time && qos.max_time->ms >= a_minute) tighten(queue.max_time, qos.max_time);
  if (qos.group.any() || qos.per_user.any())
    remarks.push_back("what all jobs of QOS " + printable(qos.name) + (qos.group.any() ? "" : ", of one user,") +
                      " may use together bounds each job alone");
}

// The account rows of the cluster, by name.
using Accounts = std::map<std::string, const AssociationRecord*>;

bool has_cluster(const Cluster& cluster, std::string_view own) {
  return std::any_of(cluster.associations.begin(), cluster.associations.end(),
                     [&](const AssociationRecord& a) { return equal_ignoring_case(a.cluster, own); });
}

Accounts accounts_of(const Cluster& cluster, std::string_view own) {
  const bool known = has_cluster(cluster, own);
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

// Returns why none of the account's jobs may run, or "".
std::string add_account_limits(const std::vector<const AssociationRecord*>& chain, model::Tenant& tenant) {
  using Row = AssociationRecord;
  Amount jobs;
  for (const Row* row : chain) jobs = tighter(jobs, row->jobs);
  const Amount user_jobs = nearest<std::int64_t>(chain, [](const Row& row) { return row.jobs_per_user; });
  const Amount gpus = nearest<std::int64_t>(chain, [](const Row& row) { return row.per_job.gpus; });
  const Amount nodes = nearest<std::int64_t>(chain, [](const Row& row) { return row.per_job.nodes; });
  const Amount cpus = nearest<std::int64_t>(chain, [](const Row& row) { return row.per_job.cpus; });
  const Amount memory = nearest<std::int64_t>(chain, [](const Row& row) { return row.per_job.memory; });
  const auto time = nearest<Duration>(chain, [](const Row& row) { return row.max_time; });
  const auto positive = [](Amount n) { return limit(n && *n > 0 ? n : Amount()); };
  tenant.max_jobs_account = positive(jobs);
  tenant.max_jobs_user = positive(user_jobs);
  tenant.max_gpus = limit(gpus);
  tenant.max_nodes = positive(nodes);
  tenant.max_cpus = positive(cpus);
  if (memory && *memory > 0) tenant.max_memory = model::Located<Size>{Size{std::max(*memory, least_memory)}, {}};
  if (time && time->ms >= a_minute) tenant.max_time_account = model::Located<Duration>{*time, {}};
  return closing(nodes, cpus, memory, tighter(jobs, user_jobs), time);
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

bool has_gpus_of(const model::Fleet& fleet, const std::string& type) {
  return std::any_of(fleet.pools.begin(), fleet.pools.end(), [&](const auto& pool) { return is_of_type(pool, type); });
}

// What an account's own row says and no tenant holds.
std::vector<std::string> unused_of(const AssociationRecord& row, const model::Fleet* fleet) {
  std::vector<std::string> out = row.unused;
  for (const auto& [type, count] : row.per_job.typed_gpus) out.push_back("MaxTRES gres/gpu:" + type);
  for (const auto& [type, count] : row.group.typed_gpus)
    if (fleet != nullptr && !has_gpus_of(*fleet, type)) out.push_back("GrpTRES gres/gpu:" + type);
  return out;
}

// What a row of a user, or of one partition, says otherwise than its account: sacctmgr prints there what a user
// inherits, too.
std::vector<std::string> own_of(const AssociationRecord& row, const AssociationRecord* account) {
  std::vector<std::string> out;
  for (const auto& cell : row.cells)
    if (account == nullptr || std::find(account->cells.begin(), account->cells.end(), cell) == account->cells.end())
      out.push_back(cell.first);
  return out;
}

void leave_out_rows(const Cluster& cluster, const Accounts& accounts, const model::Fleet* fleet, std::string_view own,
                    LeftOut& left_out) {
  const bool known = has_cluster(cluster, own);
  for (const AssociationRecord& row : cluster.associations) {
    if (known && !equal_ignoring_case(row.cluster, own)) continue;
    const auto found = accounts.find(row.account);
    const AssociationRecord* account = found == accounts.end() ? nullptr : found->second;
    if (account == &row) left_out.add("account", row.account, unused_of(row, fleet));
    else
      left_out.add("association",
                   (row.user.empty() ? "of account " + row.account : row.user) +
                       (row.partition.empty() ? "" : " in partition " + row.partition),
                   own_of(row, account));
  }
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

std::string why_closed(const Cluster& cluster, const PartitionRecord& partition) {
  if (partition.max_nodes && *partition.max_nodes <= 0) return "no job may run there: MaxNodes is 0";
  if (partition.max_time && partition.max_time->ms < a_minute) return "no job may run there: MaxTime is below 1m";
  std::vector<std::string> names{partition.own_qos};
  if (partition.qos.size() == 1) names.push_back(partition.qos.front());
  for (const std::string& name : names)
    if (const QosRecord* qos = name.empty() ? nullptr : find_qos(cluster, name))
      if (const std::string why = closing(*qos); !why.empty())
        return "no job of QOS " + printable(name) + " may run: " + why;
  return {};
}

void leave_out_qos(const Cluster& cluster, LeftOut& left_out) {
  std::set<std::string> used;
  for (const PartitionRecord& p : cluster.partitions) {
    used.insert(muster::lower(p.own_qos));
    if (p.qos.size() == 1) used.insert(muster::lower(p.qos.front()));
  }
  for (const QosRecord& qos : cluster.qos)
    left_out.add("QOS", qos.name, used.contains(muster::lower(qos.name)) ? qos.unused : qos.settings);
}

std::vector<TenantRecord> tenants_of(const Cluster& cluster, const std::vector<model::Queue>& queues,
                                     const model::Fleet* fleet, std::string_view own, LeftOut& left_out) {
  const Accounts accounts = accounts_of(cluster, own);
  std::set<std::string> names;
  for (const auto& [name, row] : accounts) names.insert(name);
  if (!cluster.asked_associations)
    for (const PartitionRecord& p : cluster.partitions) names.insert(p.accounts.begin(), p.accounts.end());
  if (names.size() > 1) names.erase("root");
  const QueueAccess access(cluster, queues);
  leave_out_rows(cluster, accounts, fleet, own, left_out);
  std::vector<TenantRecord> out;
  for (const std::string& name : names) {
    TenantRecord record;
    record.tenant.name = name;
    record.tenant.accounts.push_back({name, {}});
    record.tenant.queues = access.queues_for(name);
    const std::vector<const AssociationRecord*> chain = chain_of(name, accounts);
    const TresLimit limits = group_limits(chain);
    if (const std::string why = add_account_limits(chain, record.tenant); !why.empty()) {
      record.tenant.max_nodes = limit(0);
      record.remarks.push_back("no job of the account may run: " + why);
    }
    if (fleet != nullptr) record.tenant.quotas = quotas_of(limits, *fleet);
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
