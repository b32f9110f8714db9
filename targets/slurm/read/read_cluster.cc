// All that was given of one cluster, put together.
#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "compiler/base/text.h"
#include "targets/slurm/read/cluster.h"

namespace muster::targets::slurm {
namespace {

// What each kind of input said, before one wins over the other.
struct Parts {
  Cluster cluster;  // of the running cluster
  SlurmConf conf;
  bool has_conf = false;
  std::vector<NodeRecord> gres;
};

template <class T>
void append(std::vector<T>& to, std::vector<T> from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

void add_conf(SlurmConf conf, Parts& parts) {
  append(parts.conf.nodes, std::move(conf.nodes));
  append(parts.conf.partitions, std::move(conf.partitions));
  append(parts.conf.config.values, std::move(conf.config.values));
  append(parts.conf.config.includes, std::move(conf.config.includes));
  parts.has_conf = true;
}

void read_one(const ClusterSection& section, Parts& parts, Diagnostics& diagnostics) {
  const ClusterText& text = section.text;
  Cluster& cluster = parts.cluster;
  switch (section.kind) {
    case ClusterFile::nodes: return append(cluster.nodes, read_nodes(text, diagnostics));
    case ClusterFile::partitions: return append(cluster.partitions, read_partitions(text, diagnostics));
    case ClusterFile::config:
      if (!cluster.config) cluster.config = read_config(text);
      return;
    case ClusterFile::topology: return append(cluster.switches, read_topology(text, diagnostics));
    case ClusterFile::slurm_conf: return add_conf(read_slurm_conf(text, diagnostics), parts);
    case ClusterFile::gres_conf: return append(parts.gres, read_gres_conf(text, diagnostics));
    case ClusterFile::associations:
      cluster.asked_associations = true;
      return append(cluster.associations, read_associations(text, diagnostics));
    case ClusterFile::qos: return append(cluster.qos, read_qos(text, diagnostics));
    case ClusterFile::reservations:
      cluster.asked_reservations = true;
      return append(cluster.reservations, read_reservations(text, diagnostics));
    case ClusterFile::jobs: cluster.asked_jobs = true; return append(cluster.jobs, read_jobs(text, diagnostics));
  }
}

// Keeps the first record of a name.
template <class T>
void once(std::vector<T>& records, std::string_view noun, Diagnostics& diagnostics) {
  std::unordered_set<std::string> seen;
  std::vector<T> kept;
  for (T& record : records) {
    if (seen.insert(record.name).second) kept.push_back(std::move(record));
    else
      diagnostics.add(Code::contradiction, record.span,
                      std::string(noun) + " `" + printable(record.name) + "` occurs twice; the first one is used");
  }
  records = std::move(kept);
}

// Nodes that a file declares and the running cluster does not show are not used.
void report_unseen(const std::vector<NodeRecord>& seen, const std::vector<NodeRecord>& declared,
                   Diagnostics& diagnostics) {
  std::unordered_set<std::string_view> names;
  for (const NodeRecord& node : seen) names.insert(node.name);
  std::vector<std::string> missing;
  Span where;
  for (const NodeRecord& node : declared) {
    if (names.count(node.name) != 0) continue;
    if (missing.empty()) where = node.span;
    missing.push_back(node.name);
  }
  if (missing.empty()) return;
  diagnostics.add(Code::contradiction, where,
                  "`scontrol show node` does not show " + counted(static_cast<long long>(missing.size()), "node") +
                      " of slurm.conf: `" + printable(compress_hosts(missing)) + "`; they were not imported");
}

bool has_typed_gpu(const NodeRecord& node) {
  return std::any_of(node.gres.begin(), node.gres.end(),
                     [](const Gres& g) { return g.name == "gpu" && !g.type.empty(); });
}

// GPU types that only gres.conf names.
void add_gres(const std::vector<NodeRecord>& gres, std::vector<NodeRecord>& nodes) {
  std::unordered_map<std::string_view, const NodeRecord*> by_name;
  for (const NodeRecord& record : gres) by_name.try_emplace(record.name, &record);
  for (NodeRecord& node : nodes) {
    const auto own = by_name.find(node.name), all = by_name.find("");
    const auto found = own != by_name.end() ? own : all;
    if (found == by_name.end() || has_typed_gpu(node) || !has_typed_gpu(*found->second)) continue;
    const bool asked = std::any_of(node.gres.begin(), node.gres.end(), [](const Gres& g) { return g.name == "gpu"; });
    if (asked) node.gres = found->second->gres;  // a node that declares no GPU has none, whatever the file says
  }
}

}  // namespace

Cluster read_cluster(const std::vector<ClusterSection>& sections, Diagnostics& diagnostics) {
  Parts parts;
  for (const ClusterSection& section : sections) read_one(section, parts, diagnostics);
  Cluster& out = parts.cluster;
  if (out.nodes.empty()) out.nodes = std::move(parts.conf.nodes);
  else report_unseen(out.nodes, parts.conf.nodes, diagnostics);
  if (out.partitions.empty()) out.partitions = std::move(parts.conf.partitions);
  if (!out.config && parts.has_conf) out.config = std::move(parts.conf.config);
  once(out.nodes, "node", diagnostics);
  once(out.partitions, "partition", diagnostics);
  once(out.reservations, "reservation", diagnostics);
  if (out.nodes.size() > max_nodes)
    diagnostics.add(Code::too_many_records, out.nodes.back().span,
                    "the cluster has more than " + std::to_string(max_nodes) + " nodes");
  add_gres(parts.gres, out.nodes);
  return std::move(parts.cluster);
}

}  // namespace muster::targets::slurm
