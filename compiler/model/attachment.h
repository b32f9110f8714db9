// Which network settings of a site the jobs and pods on a pool get.
#pragma once

#include "compiler/model/fleet.h"
#include "compiler/model/site.h"

namespace muster::model {

// Those of the fabric that the pool declares; nullptr where the site has none for the pool.
inline const FabricAttachment* attachment_of(const Site& site, const Plane& plane, const Pool& pool) {
  const FabricAttachment* found = site.fabrics.find(pool.fabric, plane);
  return found != nullptr && found->serves(pool.name) ? found : nullptr;
}

}  // namespace muster::model
