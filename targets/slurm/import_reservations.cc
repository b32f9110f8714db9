// What scontrol show reservation says, as reservations of a fleet.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "compiler/base/limits.h"
#include "compiler/base/text.h"
#include "targets/slurm/import_fleet.h"

namespace muster::targets::slurm {
namespace {

// Slurm's own account: a reservation of root alone is a maintenance.
constexpr std::string_view root = "root";

// Flags that do not change which nodes others cannot have, and when; each other one is named to the user.
constexpr std::string_view inert[] = {"MAINT", "IGNORE_JOBS", "SPEC_NODES", "ALL_NODES", "PART_NODES", "OVERLAP"};

std::vector<model::Located<std::string>> located(const std::vector<std::string>& names) {
  std::vector<model::Located<std::string>> out;
  for (const std::string& name : names) out.push_back(model::Located<std::string>{name, {}});
  return out;
}

// What a reservation says that a fleet has no key for.
void add_remarks(const ReservationRecord& record, const std::string& path, std::vector<targets::Remark>& remarks) {
  const auto remark = [&](std::string text) { remarks.push_back({path, std::move(text)}); };
  if (!record.groups.empty())
    remark("question: who is in the groups " + printable(joined(record.groups)) +
           "? users = [\"ada\"]; until then it is not known who may use it");
  std::vector<std::string> others;
  for (const std::string& flag : record.flags)
    if (std::find(std::begin(inert), std::end(inert), flag) == std::end(inert)) others.push_back(flag);
  if (!others.empty())
    remark((others.size() > 1 ? "the flags " : "the flag ") + printable(listed(others, "and")) +
           (others.size() > 1 ? " were" : " was") + " not imported; only the time and the nodes are");
  if (!record.licenses.empty()) remark("its licenses were not imported: " + printable(record.licenses));
}

// Accounts and all accounts below them: these may use what those may. An account that is excluded has a minus.
class AccountTree {
 public:
  explicit AccountTree(const Cluster& cluster) {
    for (const AssociationRecord& row : cluster.associations)
      if (row.user.empty() && !row.parent.empty()) below_[row.parent].push_back(row.account);
  }

  std::vector<std::string> with_those_below(std::vector<std::string> accounts) const {
    std::set<std::string> known(accounts.begin(), accounts.end());
    for (std::size_t i = 0; i < accounts.size(); ++i) {
      const std::string sign = accounts[i].starts_with('-') ? "-" : "";
      const auto found = below_.find(accounts[i].substr(sign.size()));
      if (found == below_.end()) continue;
      for (const std::string& account : found->second)
        if (known.insert(sign + account).second) accounts.push_back(sign + account);
    }
    return accounts;
  }

 private:
  std::map<std::string, std::vector<std::string>> below_;
};

// Slurm lists only the groups, and who is in them is not known.
std::vector<std::string> users_of(const ReservationRecord& record) {
  std::vector<std::string> out;
  if (record.users != std::vector<std::string>{std::string(root)}) out = record.users;
  for (const std::string& group : record.groups)
    out.push_back(group.starts_with('-') ? "-@" + group.substr(1) : "@" + group);
  return out;
}

// Adds reservations one by one; all together name a bounded number of nodes.
class ReservationImporter {
 public:
  ReservationImporter(const Cluster& cluster, model::Fleet& fleet, std::vector<targets::Remark>& remarks)
      : fleet_(fleet), remarks_(remarks), accounts_(cluster) {
    for (const model::Pool& pool : fleet.pools)
      for (std::string& node : pool.node_names.all()) cores_of_.emplace(std::move(node), pool.cores());
  }

  // False: there are too many nodes.
  bool add(const ReservationRecord& record) {
    const auto hosts = expand_hosts(record.hosts, std::min(budget_, max_nodes));
    if (!record.hosts.empty() && !hosts) return false;
    std::vector<std::string> known, unknown;
    if (hosts && !record.hosts.empty()) {
      budget_ -= hosts->size();
      for (const std::string& host : *hosts) (cores_of_.contains(host) ? known : unknown).push_back(host);
    }
    const Instant from = *parse_instant(record.from), until = *parse_instant(record.until);
    if (record.hosts.empty()) left_out(record, "it names no nodes");
    else if (known.empty()) left_out(record, "the fleet has none of its nodes: " + printable(record.hosts));
    else if (until <= from) left_out(record, "it ends before it begins");
    else keep(record, {record.name, {}, from, until, known, {}, {}}, known, unknown);
    return true;
  }

 private:
  void left_out(const ReservationRecord& record, const std::string& why) {
    remarks_.push_back({"", "reservation " + printable(record.name) + " was not imported, because " + why});
  }

  void keep(const ReservationRecord& record, model::Reservation out, const std::vector<std::string>& known,
            const std::vector<std::string>& unknown) {
    out.users = located(users_of(record));
    out.accounts = located(accounts_.with_those_below(record.accounts));
    const std::string path = "fleet " + fleet_.name + ".reservation " + out.name;
    add_remarks(record, path, remarks_);
    if (!unknown.empty())
      remarks_.push_back({path, "the fleet does not have these nodes of it: " + printable(compress_hosts(unknown))});
    std::int64_t cores = 0;
    for (const std::string& node : known) cores += cores_of_.at(node);
    if (record.core_count > 0 && record.core_count < cores)
      remarks_.push_back({path, "it holds " + std::to_string(record.core_count) + " of the " + counted(cores, "core") +
                                    " of its nodes; fit counts these nodes as held"});
    fleet_.reservations.push_back(std::move(out));
  }

  model::Fleet& fleet_;
  std::vector<targets::Remark>& remarks_;
  AccountTree accounts_;
  std::unordered_map<std::string, std::int64_t> cores_of_;  // of the nodes of the fleet
  std::size_t budget_ = value_of(Limit::fleet_names);
};

}  // namespace

void add_reservations(const Cluster& cluster, model::Fleet& fleet, std::vector<targets::Remark>& remarks,
                      Diagnostics& diagnostics) {
  if (cluster.reservations.empty()) return;
  ReservationImporter importer(cluster, fleet, remarks);
  for (const ReservationRecord& record : cluster.reservations) {
    if (importer.add(record)) continue;
    diagnostics.add(Code::too_many_records, record.span, "the reservations contain too many nodes in total");
    return;
  }
}

}  // namespace muster::targets::slurm
