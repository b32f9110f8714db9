// The hardware half of a Kubernetes cluster: its nodes as machines. Inside targets/kubernetes only.
#pragma once

#include <string_view>
#include <vector>

#include "targets/kubernetes/read/cluster.h"
#include "targets/site_import/machines.h"

namespace muster::targets::kubernetes {

// Whether pods ask for GPUs by this resource.
bool is_gpu_resource(std::string_view resource);

// One machine a node, in their order. What daemons request on a node counts as kept by the system, what
// other pods request as in use; GPUs that the node does not offer (unhealthy ones) as in use, too.
std::vector<Machine> machines_of(const ClusterObjects& objects, std::vector<Remark>& remarks);

// The label by which nodes say which leaf switch or rack they are in; "": none of those that are known.
std::string_view leaf_label(const ClusterObjects& objects);

// Networks whose devices the nodes offer to pods, with as many of them as each node has at least.
std::vector<model::FabricAttachment> fabrics_of(const ClusterObjects& objects);

}  // namespace muster::targets::kubernetes
