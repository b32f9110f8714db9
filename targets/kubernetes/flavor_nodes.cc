#include "targets/kubernetes/flavor_nodes.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

namespace muster::targets::kubernetes {
namespace {

bool has_labels(const ClusterNode& node, const Texts& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& label) {
    const auto found = node.labels.find(label.first);
    return found != node.labels.end() && found->second == label.second;
  });
}

std::unordered_set<std::string> flavors_with_quotas(const ClusterObjects& objects) {
  std::unordered_set<std::string> out;
  for (const ClusterQueue& queue : objects.cluster_queues)
    for (const FlavorQuota& quota : queue.quotas) out.insert(quota.flavor);
  for (const CohortObject& cohort : objects.cohorts)
    for (const FlavorQuota& quota : cohort.quotas) out.insert(quota.flavor);
  return out;
}

}  // namespace

FlavorNodes::FlavorNodes(const ClusterObjects& objects) : node_count_(objects.nodes.size()) {
  for (const ResourceFlavor& flavor : objects.flavors) groups_[flavor.node_labels].flavors.push_back(&flavor);
  find_nodes(objects);
  find_taints(objects);
}

// A node is compared only with the flavors of one of its labels.
void FlavorNodes::find_nodes(const ClusterObjects& objects) {
  std::map<std::pair<std::string, std::string>, std::vector<std::pair<const Texts*, Group*>>> by_label;
  for (auto& [labels, group] : groups_) {
    if (!labels.empty()) {
      by_label[*labels.begin()].emplace_back(&labels, &group);
      continue;
    }
    group.nodes.resize(node_count_);
    std::iota(group.nodes.begin(), group.nodes.end(), 0);
  }
  if (by_label.empty()) return;
  for (std::uint32_t i = 0; i < objects.nodes.size(); ++i)
    for (const auto& label : objects.nodes[i].labels)
      if (const auto found = by_label.find({label.first, label.second}); found != by_label.end())
        for (const auto& [labels, group] : found->second)
          if (has_labels(objects.nodes[i], *labels)) group->nodes.push_back(i);
}

void FlavorNodes::find_taints(const ClusterObjects& objects) {
  const std::unordered_set<std::string> quoted = flavors_with_quotas(objects);
  for (auto& [labels, group] : groups_)
    for (const ResourceFlavor* flavor : group.flavors) {
      if (!quoted.contains(flavor->name)) continue;
      const std::set<std::string> own(flavor->taints.begin(), flavor->taints.end());
      if (!group.has_quota) group.taints = own;
      else std::erase_if(group.taints, [&](const std::string& taint) { return !own.contains(taint); });
      group.has_quota = true;
    }
}

void FlavorNodes::set_flavors(std::vector<Machine>& machines, LeftOut& left_out) const {
  std::vector<std::size_t> groups_of(machines.size());
  std::vector<std::map<std::string, std::size_t>> taints_of(machines.size());
  for (const auto& [labels, group] : groups_) {
    if (!group.has_quota) continue;
    for (const std::uint32_t node : group.nodes) {
      ++groups_of[node];
      for (const std::string& taint : group.taints) ++taints_of[node][taint];
      // Flavors of all nodes do not tell them apart.
      if (!labels.empty()) machines[node].flavors.push_back(group.flavors.front()->name);
    }
  }
  for (std::size_t i = 0; i < machines.size(); ++i) {
    std::vector<std::string>& taints = machines[i].taints;
    for (const auto& [taint, count] : taints_of[i])
      if (count == groups_of[i] && std::find(taints.begin(), taints.end(), taint) == taints.end())
        taints.push_back(taint);
    std::sort(taints.begin(), taints.end());
    std::sort(machines[i].flavors.begin(), machines[i].flavors.end());
  }
  for (const auto& [labels, group] : groups_)
    for (const ResourceFlavor* flavor : group.flavors) {
      const bool all =
          group.has_quota && std::all_of(group.nodes.begin(), group.nodes.end(), [&](std::uint32_t node) {
            const auto& have = machines[node].taints;
            return std::all_of(flavor->taints.begin(), flavor->taints.end(), [&](const std::string& taint) {
              return std::find(have.begin(), have.end(), taint) != have.end();
            });
          });
      if (!all && !flavor->taints.empty()) left_out.add("ResourceFlavor", flavor->name, {"nodeTaints"});
    }
}

std::map<std::string, std::set<std::string>> FlavorNodes::pools(const std::vector<model::Pool>& pools,
                                                                const std::vector<std::uint32_t>& of_machine) const {
  std::map<std::string, std::set<std::string>> out;
  for (const auto& [labels, group] : groups_) {
    std::set<std::uint32_t> numbers;
    if (!of_machine.empty())
      for (const std::uint32_t node : group.nodes) numbers.insert(of_machine[node]);
    for (const ResourceFlavor* flavor : group.flavors) {
      std::set<std::string>& names = out[flavor->name];
      for (const std::uint32_t number : numbers) names.insert(pools[number].name);
    }
  }
  return out;
}

}  // namespace muster::targets::kubernetes
