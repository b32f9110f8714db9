// What a check knows beside the file it reads: nothing, or the site and its fleet.
#pragma once

#include <cstddef>

#include "compiler/base/source.h"
#include "compiler/model/fleet.h"
#include "compiler/model/site.h"

namespace muster::plan {
class FleetState;
}

namespace muster::lint {

class Overlays;
class RelatedManifests;

// A rule whose truth depends on the cluster finds nothing worse than `unclear` without a site.
struct Context {
  const Sources& sources;
  const model::Site* site = nullptr;          // nullptr: none given
  const model::Fleet* fleet = nullptr;        // the site's; nullptr: none given
  std::size_t site_files = 0;                 // site and fleet lie in the first so many of the sources; 0: in any
  const RelatedManifests* related = nullptr;  // the other manifests of the run; nullptr: none are known
  const Overlays* overlays = nullptr;         // kustomizations and charts of the run; nullptr: none are known
  plan::FleetState* state = nullptr;          // of the fleet, kept from file to file; nullptr: each file makes its own
};

}  // namespace muster::lint
