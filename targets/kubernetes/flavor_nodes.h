// Which nodes are of which flavor of Kueue. Inside targets/kubernetes only.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "targets/kubernetes/read/cluster.h"
#include "targets/site_import/left_out.h"
#include "targets/site_import/machines.h"

namespace muster::targets::kubernetes {

class FlavorNodes {
 public:
  explicit FlavorNodes(const ClusterObjects& objects);

  // Each machine's flavors that have quotas, by their labels, and the taints that all of these have.
  void set_flavors(std::vector<Machine>& machines, LeftOut& left_out) const;

  // The pools of the nodes of each flavor; `of_machine` is the pool of each node.
  std::map<std::string, std::set<std::string>> pools(const std::vector<model::Pool>& pools,
                                                     const std::vector<std::uint32_t>& of_machine) const;

 private:
  // Flavors of the same labels.
  struct Group {
    std::vector<const ResourceFlavor*> flavors;
    bool has_quota = false;
    std::set<std::string> taints;      // of all its flavors that have quotas
    std::vector<std::uint32_t> nodes;  // ascending; of flavors without labels all
  };

  void find_nodes(const ClusterObjects& objects);
  void find_taints(const ClusterObjects& objects);

  std::map<Texts, Group> groups_;
  std::size_t node_count_ = 0;
};

}  // namespace muster::targets::kubernetes
