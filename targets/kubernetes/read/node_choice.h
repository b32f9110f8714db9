// Which nodes pods may have by their own selectors, affinities and tolerations, held against what a site declares of
// its pools.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/model/fleet.h"
#include "compiler/model/nodes_as_read.h"
#include "compiler/model/site.h"
#include "compiler/model/workload.h"
#include "targets/kubernetes/read/manifest.h"

namespace muster::targets::kubernetes {

struct NodeChoice {
  model::NodesAsRead nodes;
  std::vector<model::Predicate> names;  // conditions on node.name
  std::vector<std::string> open;        // what the pods select and the site does not declare
};

// The site, its plane of pods and the fleet that selectors are held against; `fleet` may be nullptr.
struct PodSite {
  const model::Site& site;
  const model::Plane& plane;
  const model::Fleet* fleet;

  std::span<const model::Pool> pools() const {
    return fleet != nullptr ? std::span(fleet->pools) : std::span<const model::Pool>();
  }
};

// `specs` are the parts of one pod's spec: one, or those that patches of a TrainJob lay over a runtime's. `labels` are
// the pod's own; a false field where they are not in the file.
NodeChoice choose_nodes(std::span<const Field> specs, const Field& labels, const PodSite& site);

// Whether pods of this spec tolerate a taint.
bool tolerates(const Field& spec, const model::Taint& taint);

}  // namespace muster::targets::kubernetes
