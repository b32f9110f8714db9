// What an object of a manifest has while it runs, as far as its file and the site say it exactly.
#pragma once

#include "compiler/model/fleet.h"
#include "compiler/model/site.h"
#include "review/tree.h"
#include "targets/kubernetes/read/pod_amounts.h"

namespace muster::review {

// Pods, GPUs, CPUs and memory of all pods that are up at a time, and how long a run may last. Nothing is reported of
// what the file leaves to others: an autoscaler of the file or of the object, a runtime, an operator, each node.
// `scaled`: the objects that an autoscaler of the file chooses the pods of.
Resources resources_of(const targets::kubernetes::Object& object, const targets::kubernetes::Scaled& scaled);

// The nodes that it takes where no two of its pods have room on one, and nullopt elsewhere. Without a fleet nobody
// knows.
std::optional<std::int64_t> nodes_of(const targets::kubernetes::Object& object, const Resources& resources,
                                     const model::Site* site, const model::Fleet* fleet);

// GPUs × time, and money where every pool that may take its pods has the same price.
Cost cost_of(const targets::kubernetes::Object& object, const Resources& resources, const model::Site* site,
             const model::Fleet* fleet);

}  // namespace muster::review
