// `target NAME { … }` of a workload: words that muster hands on and does not know. The rules of scripts and manifests
// read what comes of them.
#pragma once

#include <set>
#include <vector>

#include "lint/spec_scene.h"

namespace muster::lint {

struct HatchFindings {
  // What the files that muster writes with the blocks have, and without them have not, each at the line that brings it;
  // and why no file is written with them where one is without.
  std::vector<Finding> brought;
  // Rules that the file of the decided target breaks without the blocks, and keeps with them.
  std::set<RuleId> mended;
};

// Each block is judged in a file that carries it: that of the decided target, else that of the target that it names at
// the site's plane for that. Nothing is found where none is written without the blocks either. Costs nothing without
// such a block.
HatchFindings check_hatches(const SpecScene& scene);

}  // namespace muster::lint
