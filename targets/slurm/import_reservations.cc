// What scontrol show reservation says, as reservations of a fleet.
#include <algorithm>

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
    remark("question: who is in the groups " + printable(joined(record.groups)) + "? users = [\"ada\"]");
  std::vector<std::string> others;
  for (const std::string& flag : record.flags)
    if (std::find(std::begin(inert), std::end(inert), flag) == std::end(inert)) others.push_back(flag);
  if (!others.empty())
    remark((others.size() > 1 ? "the flags " : "the flag ") + printable(listed(others, "and")) +
           (others.size() > 1 ? " were" : " was") + " not imported; only the time and the nodes are");
  if (!record.licenses.empty()) remark("its licenses were not imported: " + printable(record.licenses));
}

// The pool that has a node; nullptr: none.
const model::Pool* pool_of(const model::Fleet& fleet, const std::string& node) {
  const auto has = [&](const model::Pool& pool) { return pool.node_names.find(node).has_value(); };
  const auto found = std::find_if(fleet.pools.begin(), fleet.pools.end(), has);
  return found == fleet.pools.end() ? nullptr : &*found;
}

// Cores of the nodes; 0: the fleet does not say.
std::int64_t cores_of(const model::Fleet& fleet, const std::vector<std::string>& nodes) {
  std::int64_t out = 0;
  for (const std::string& node : nodes)
    if (const model::Pool* pool = pool_of(fleet, node)) out += pool->cores();
  return out;
}

// Names of users or accounts that are excluded with a minus: everyone else may use the nodes.
bool excludes(const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [](const std::string& name) { return name.starts_with('-'); });
}

// Accounts and all accounts below them: these may use what those may.
std::vector<std::string> with_those_below(const Cluster& cluster, std::vector<std::string> accounts) {
  for (std::size_t i = 0; i < accounts.size(); ++i)
    for (const AssociationRecord& row : cluster.associations)
      if (row.user.empty() && row.parent == accounts[i] &&
          std::find(accounts.begin(), accounts.end(), row.account) == accounts.end())
        accounts.push_back(row.account);
  return accounts;
}

}  // namespace

void add_reservations(const Cluster& cluster, model::Fleet& fleet, std::vector<targets::Remark>& remarks) {
  for (const ReservationRecord& record : cluster.reservations) {
    const auto left_out = [&](const std::string& why) {
      remarks.push_back({"", "reservation " + printable(record.name) + " was not imported, because " + why});
    };
    model::Reservation out;
    out.name = record.name;
    out.from = *parse_instant(record.from), out.until = *parse_instant(record.until);
    std::vector<std::string> known, unknown;
    if (const auto hosts = expand_hosts(record.hosts, max_nodes); hosts && !record.hosts.empty())
      for (const std::string& host : *hosts) (pool_of(fleet, host) != nullptr ? known : unknown).push_back(host);
    if (record.hosts.empty()) left_out("it names no nodes");
    else if (known.empty()) left_out("the fleet has none of its nodes: " + printable(record.hosts));
    else if (excludes(record.users) || excludes(record.accounts))
      left_out("it excludes users or accounts: " + printable(joined(record.users) + " " + joined(record.accounts)));
    else if (out.until <= out.from) left_out("it ends before it begins");
    else {
      if (record.users != std::vector<std::string>{std::string(root)}) out.users = located(record.users);
      out.accounts = located(with_those_below(cluster, record.accounts));
      const std::string path = "fleet " + fleet.name + ".reservation " + out.name;
      add_remarks(record, path, remarks);
      if (!unknown.empty())
        remarks.push_back({path, "the fleet does not have these nodes of it: " + printable(compress_hosts(unknown))});
      if (const std::int64_t cores = cores_of(fleet, known); record.core_count > 0 && record.core_count < cores)
        remarks.push_back({path, "it holds " + std::to_string(record.core_count) + " of the " + counted(cores, "core") +
                                     " of its nodes; fit counts these nodes as held"});
      out.nodes = known;
      fleet.reservations.push_back(std::move(out));
    }
  }
}

}  // namespace muster::targets::slurm
