// Which target a workload becomes on a plane of pods.
#pragma once

#include <string>
#include <vector>

#include "compiler/model/site.h"
#include "compiler/model/workload.h"

namespace muster::model {

// What of a workload decides about the kind of its objects.
struct PodsShape {
  Kind kind = Kind::train;
  bool ray = false;
  bool mpi = false;          // its programs are started by mpirun
  bool trains = false;       // train or rl
  bool spans_nodes = false;  // a replica is several pods
  bool coupled = false;      // its pods must be one object, which starts them together
  bool grows = false;        // its launcher goes on with more nodes than it starts with
};

// Of the workload as written: `ray` by its runner, `coupled` false.
PodsShape pods_shape(const Workload& workload);

// The target, whether or not this version writes it; `plane` says the site's own choices.
std::string pods_target(const PodsShape& shape, const PodPlane& plane);

// Whether the first pod of a replica is made of a template of its own there, so that a queue sees two kinds of pods:
// the head of a Ray cluster, the leader of a LeaderWorkerSet, the Master of a PyTorchJob.
bool first_pod_is_apart(const std::string& target);

// That target, then the others that may take such a workload, in the order in which they are tried. A target that
// brings a gang scheduler of its own is among them only where the plane has that scheduler.
std::vector<std::string> pods_targets(const PodsShape& shape, const PodPlane& plane);

}  // namespace muster::model
