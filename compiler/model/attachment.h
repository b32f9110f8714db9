// Which network settings of a site the jobs and pods on a pool get.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler/model/fleet.h"
#include "compiler/model/site.h"

namespace muster::model {

// Those of the fabric that the pool declares; nullptr where the site has none for the pool.
inline const FabricAttachment* attachment_of(const Site& site, const Plane& plane, const Pool& pool) {
  const FabricAttachment* found = site.fabrics.find(pool.fabric, plane);
  return found != nullptr && found->serves(pool.name) ? found : nullptr;
}

// The pools whose jobs or pods get them, on any of the site's planes.
inline std::vector<const Pool*> pools_of(const FabricAttachment& fabric, const Site& site, const Fleet& fleet) {
  std::vector<const Pool*> out;
  for (const Pool& pool : fleet.pools)
    if (std::any_of(site.planes.begin(), site.planes.end(), [&](const Plane& plane) {
          return plane.owns(pool.name) && attachment_of(site, plane, pool) == &fabric;
        }))
      out.push_back(&pool);
  return out;
}

// Nodes of the pool's largest NVLink domain; 1 where it declares none.
inline std::int64_t largest_nvlink_domain(const Pool& pool) {
  std::size_t out = 1;
  for (const Leaf& domain : pool.nvlink_domains) out = std::max(out, domain.nodes.size());
  return static_cast<std::int64_t>(out);
}

}  // namespace muster::model
