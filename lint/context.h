// What a check knows beside the file it reads: nothing, or the site and its fleet.
#pragma once

#include "compiler/base/source.h"
#include "compiler/model/fleet.h"
#include "compiler/model/site.h"

namespace muster::lint {

// A rule whose truth depends on the cluster finds nothing worse than `unclear` without a site.
struct Context {
  const Sources& sources;
  const model::Site* site = nullptr;    // nullptr: none given
  const model::Fleet* fleet = nullptr;  // the site's; nullptr: none given
};

}  // namespace muster::lint
