// Small sites and jobs, which tests/oracles/site_oracle.h asks about, as muster files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/oracles/site_oracle.h"

namespace site_oracle_test {

using namespace muster::oracles;

inline std::string number(std::int64_t n) { return std::to_string(n); }
inline std::string key(const std::string& name, const Amount& value, const std::string& unit = "") {
  return value ? "  " + name + " = " + number(*value) + unit : "";
}

inline std::string node_name(const SmallSite& site, const NodeOfPool& node) {
  return site.pools[node.first].name + number(node.second);
}

inline std::string node_names(const SmallSite& site, const std::vector<NodeOfPool>& nodes) {
  std::string out;
  for (const NodeOfPool& node : nodes) out += (out.empty() ? "" : ",") + node_name(site, node);
  return "\"" + out + "\"";
}

inline std::string pool_names(const SmallSite& site, const std::vector<std::size_t>& pools) {
  std::string out;
  for (const std::size_t p : pools) out += (out.empty() ? "" : ", ") + site.pools[p].name;
  return "[" + out + "]";
}

inline std::string instant(std::int64_t hour) {
  const std::string day = number(1 + hour / 24), time = number(hour % 24);
  return "\"2026-12-" + (day.size() < 2 ? "0" + day : day) + "T" + (time.size() < 2 ? "0" + time : time) + ":00\"";
}

inline std::string pool_text(const SmallSite& site, std::size_t p) {
  const SmallPool& pool = site.pools[p];
  std::string out = "  pool " + pool.name + " {\n    nodes = \"" + pool.name + "[0-" + number(pool.nodes - 1) + "]\"";
  if (pool.leaf > 0) out += "  leaf-size = " + number(pool.leaf);
  if (!pool.zone.empty()) out += "  zone = \"" + pool.zone + "\"";
  std::vector<NodeOfPool> drained;
  for (const std::int64_t node : pool.drained) drained.emplace_back(p, node);
  if (!drained.empty()) out += "  drained = " + node_names(site, drained);
  if (pool.gpus > 0) out += "\n    gpu { model = " + pool.gpu + "  memory = 80GB  count = " + number(pool.gpus) + " }";
  out += "\n    node { cpus = " + number(pool.cores) + "  memory = " + number(pool.gibibytes) +
         "GiB  arch = " + pool.arch + (pool.threads > 1 ? "  threads-per-core = " + number(pool.threads) : "") +
         key("reserve-cpus", pool.reserved_cores) + key("reserve-memory", pool.reserved_gibibytes, "GiB") + " }";
  if (!pool.network.empty()) out += "\n    network { fabric = " + pool.network + " }";
  if (pool.tainted) out += "\n    taint own { effect = NoSchedule }";
  for (std::size_t u = 0; u < pool.used.size(); ++u)
    out += "\n    in-use u" + std::to_string(u) + " { nodes = " + node_names(site, {{p, pool.used[u].node}}) +
           key("gpus", pool.used[u].gpus) + key("cpus", pool.used[u].cores) +
           key("memory", pool.used[u].gibibytes, "GiB") + " }";
  return out + "\n  }\n";
}

inline std::string fleet_text(const SmallSite& site) {
  std::string out = "fleet f {\n  as-of = " + instant(site.as_of) + "\n";
  for (std::size_t p = 0; p < site.pools.size(); ++p) out += pool_text(site, p);
  for (const SmallReservation& r : site.reservations)
    out += "  reservation " + r.name + " { nodes = " + node_names(site, r.nodes) + "  from = " + instant(r.from) +
           "  until = " + instant(r.until) + (r.of_account ? "  accounts = [\"t\"]" : "") + " }\n";
  return out + "}\n";
}

inline std::string queue_text(const SmallSite& site, std::size_t q) {
  const SmallQueue& queue = site.queues[q];
  std::string out = "  queue q" + std::to_string(q) + " {";
  if (!queue.pools.empty()) out += "  pools = " + pool_names(site, queue.pools);
  if (!queue.nodes.empty()) out += "  nodes = " + node_names(site, queue.nodes);
  if (queue.reservation) out += "  reservation = \"" + site.reservations[*queue.reservation].name + "\"";
  if (queue.tolerates) out += "  tolerates = own";
  return out + key("max-time", queue.max_time, "h") + key("default-time", queue.default_time, "h") +
         key("max-nodes", queue.max_nodes) + key("max-gpus", queue.max_gpus) + " }\n";
}

// Else a pool that a quota names is a flavor.
inline bool declares_flavors(const SmallSite& site) {
  return !site.flavors.empty() && (site.tenant.quotas.empty() || site.flavors.size() < site.pools.size());
}

inline std::string quota_name(const SmallSite& site, std::size_t q) {
  const std::vector<std::size_t>& pools = site.tenant.quotas[q].pools;
  if (declares_flavors(site)) return "f" + std::to_string(q);
  if (pools.size() == 1) return site.pools[pools[0]].name;
  return pools.size() == site.pools.size() ? "\"*\"" : "some";
}

inline std::string limit_text(const std::string& name, const Amount& gpus) {
  return gpus ? "  " + name + " { gpus = " + number(*gpus) + " }" : "";
}

inline std::string tenant_text(const SmallSite& site) {
  const SmallTenant& tenant = site.tenant;
  std::string out = "  tenant t { accounts = [\"t\"]" + std::string(site.pods() ? "  namespace = \"x\"" : "") +
                    key("max-time-account", tenant.max_time, "h") + key("max-nodes", tenant.max_nodes) +
                    key("max-gpus", tenant.max_gpus) + key("max-jobs-user", tenant.max_jobs);
  std::string other;
  for (std::size_t q = 0; q < tenant.quotas.size(); ++q) {
    const SmallQuota& quota = tenant.quotas[q];
    const std::string name = quota_name(site, q);
    out += "\n    quota " + name + " {" + (name == "some" ? "  pools = " + pool_names(site, quota.pools) : "") +
           key("gpus", quota.gpus) + key("nodes", quota.nodes) + key("cpus", quota.cpus) +
           key("memory", quota.gibibytes, "GiB") + key("pods", quota.pods) + limit_text("borrow-limit", quota.borrow) +
           " }";
    if (quota.others)
      other += "    quota " + name + " {" + key("gpus", quota.others) + limit_text("lend-limit", quota.lend) + " }\n";
  }
  if (other.empty()) return out + "\n  }\n";
  return "  cohort both { }\n" + out + "\n    cohort = both\n  }\n  tenant u { namespace = \"y\"  cohort = both\n" +
         other + "  }\n";
}

inline std::string site_text(const SmallSite& site) {
  std::string out = fleet_text(site) + "site s {\n  fleet = f\n  plane p {";
  if (site.plane == SmallPlane::slurm)
    out += " kind = slurm  version = \"24.11\"  topology = tree" + std::string(site.smt ? "" : "  smt = false");
  else
    out += std::string(" kind = kubernetes  version = \"1.35\"  namespace = \"x\"  gang = ") +
           (site.plane == SmallPlane::kueue ? "kueue  level leaf { label = \"x/leaf\" }"
                                            : "volcano  level leaf { tier = 1 }");
  if (declares_flavors(site))
    for (std::size_t f = 0; f < site.flavors.size(); ++f)
      out += "\n    flavor f" + std::to_string(f) + " { pools = " + pool_names(site, site.flavors[f]) + " }";
  out += " }\n";
  for (std::size_t q = 0; q < site.queues.size(); ++q) out += queue_text(site, q);
  std::map<std::string, std::vector<std::size_t>> settings;
  for (const std::size_t p : site.settings) settings[site.pools[p].network].push_back(p);
  for (const auto& [network, pools] : settings)
    out += "  fabric " + network + " { pools = " + pool_names(site, pools) + "  env { NCCL_IB_HCA = \"mlx5\" } }\n";
  return out + tenant_text(site) + "}\n";
}

inline std::string role_text(const SmallRole& role, std::size_t r) {
  std::string models;
  for (const std::string& one : role.models) models += (models.empty() ? "" : ", ") + one;
  return "  role r" + std::to_string(r) + (r == 0 ? " { primary = true" : " {") +
         "  command = [\"x\"]  image = \"x:1\"  fabric = " + (role.uses_network ? "required" : "none") +
         "\n    resources { nodes = " + number(role.nodes) + (role.gpus > 0 ? "  gpus = " + number(role.gpus) : "") +
         (models.empty() ? "" : "  gpu = [" + models + "]") + key("cpus", role.cpus) +
         key("memory", role.gibibytes, "GiB") + (role.exclusive ? "  exclusive = true" : "") + " }\n" +
         (role.one_leaf ? "    topology { within = leaf  required = true }\n" : "") +
         (role.least_cores ? "    require node.cpus >= " + number(*role.least_cores) + "\n" : "") +
         (role.prefers.empty() ? "" : "    prefer gpu.model == " + role.prefers + " weight 5\n") +
         (role.none_of.empty() ? "" : "    require gpu.model != " + role.none_of + "\n") + "  }\n";
}

inline std::string job_text(const SmallSite& site, const SmallJob& job) {
  std::string out = "workload w {\n  kind = train" + key("time-limit", job.hours, "h") +
                    (job.of_account || !site.pods() ? "  account = t" : "") +
                    "  queue = " + (job.queue ? "q" + std::to_string(*job.queue) : "any") + "\n";
  for (std::size_t r = 0; r < job.roles.size(); ++r) out += role_text(job.roles[r], r);
  return out + "}\n";
}

}  // namespace site_oracle_test
