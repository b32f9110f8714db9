// The objects of a manifest as what they ask of the machines of a site.
#pragma once

#include <vector>

#include "targets/as_read.h"
#include "targets/kubernetes/read/manifest.h"

namespace muster::targets::kubernetes {

struct ReadObject {
  const Object* object = nullptr;
  AsRead as_read;
};

// The plane of pods that manifests are for: the first that the site has; nullptr without one.
const model::Plane* pods_plane(const model::Site& site);

// A workload for each object whose pods run: not for runtimes, which are patterns, nor for those of which each node has
// one pod, or none is up. `fleet` may be nullptr.
std::vector<ReadObject> as_read(const Manifest& manifest, const model::Site& site, const model::Fleet* fleet);

}  // namespace muster::targets::kubernetes
