// What a Kubernetes cluster says of itself, as plain records: `kubectl get
// nodes,clusterqueues,cohorts,localqueues,resourceflavors,pods -A -o json`. Shapes: core v1, and Kueue's v1beta1 and
// v1beta2, where `cohort` became `cohortName` and the `parent` of a cohort `parentName`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/limits.h"
#include "compiler/data/tree.h"

namespace muster::targets::kubernetes {

using Texts = std::map<std::string, std::string>;
// Amounts of resources in thousandths: cpu "500m" is 500, memory "1Ki" is 1,024,000.
using Amounts = std::map<std::string, std::int64_t>;

struct ClusterNode {
  std::string name;
  Span span;
  Texts labels;
  Amounts capacity, allocatable;
  std::vector<std::pair<std::string, std::string>> taints;  // key, effect
  bool cordoned = false;
  bool ready = false;
  std::string not_ready_because;
  std::string version;  // the kubelet's: "v1.31.4+k3s1"
  std::string arch;
};

struct ResourceFlavor {
  std::string name;
  Texts node_labels;
  std::vector<std::string> tolerations;  // keys; "*" for all
  std::vector<std::string> taints{};     // keys of those that pods of the flavor must tolerate
  std::vector<std::string> unread{};     // keys of its `spec` that nothing reads, as of the other objects
};

// One resource of one flavor in a ClusterQueue, in thousandths.
struct FlavorQuota {
  std::string flavor;
  std::string resource;
  std::int64_t nominal = 0;
  std::optional<std::int64_t> borrowing_limit, lending_limit;
};

struct ClusterQueue {
  std::string name;
  std::string cohort;
  bool stopped = false;
  std::vector<FlavorQuota> quotas;
  bool selects_namespaces = true;  // Kueue admits nothing without a namespaceSelector
  std::vector<std::string> unread{};
};

struct CohortObject {
  std::string name;
  std::string parent;
  std::vector<FlavorQuota> quotas;
  Span span{};
  std::vector<std::string> unread{};
};

struct LocalQueue {
  std::string name;
  std::string name_space;
  std::string cluster_queue;
  bool stopped = false;
  std::vector<std::string> unread{};
};

// A pod that holds its requests on a node: not yet ended, and bound to one.
struct RunningPod {
  std::string node;
  Amounts requests;
  bool daemon = false;  // of a DaemonSet: every node has one
};

struct ClusterObjects {
  std::vector<ClusterNode> nodes;
  std::vector<ResourceFlavor> flavors;
  std::vector<ClusterQueue> cluster_queues;
  std::vector<CohortObject> cohorts;
  std::vector<LocalQueue> local_queues;
  std::vector<RunningPod> pods;
  bool asked_pods = false, asked_queues = false;              // such objects are among what was read
  std::map<std::string, std::int64_t, std::less<>> left_out;  // objects of kinds that say nothing of a site
  std::unordered_set<std::string> names;                      // of all objects, with their kinds and namespaces
  std::size_t values = 0;                                     // that are kept of them: names, labels, amounts
};

// Adds the objects of one answer of kubectl, a JSON text: a List, or one object. Objects of other kinds are counted;
// damaged ones are reported (E1002), and so are those that are there twice (W1006) and documents that are not objects
// (E1001). The objects of a List are read
// one by one, so the text may be much larger than what is kept of it.
void read_cluster(const Sources& sources, std::uint32_t file, ClusterObjects& objects, Diagnostics& diagnostics);

// Whether a text is YAML of objects, as a repository has them: a line of it names a kind or an API version.
bool is_yaml_of_objects(std::string_view text);
// The same of YAML, in one document or several.
void read_cluster_yaml(const Sources& sources, std::uint32_t file, ClusterObjects& objects, Diagnostics& diagnostics);

// A quantity of Kubernetes in thousandths: "8", "500m", "2113434252Ki", "1.5Gi", "1e3". nullopt: it is
// none, or too large. What is less than a thousandth is rounded up, as the API server does.
std::optional<std::int64_t> read_quantity(std::string_view text);

// The most nodes of one cluster; more are refused.
constexpr std::size_t max_nodes = value_of(Limit::cluster_nodes);

}  // namespace muster::targets::kubernetes
