// `target NAME { … }` of a workload: words that muster hands on and does not know. The rules of scripts and manifests
// read what comes of them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "lint/rules/spec/scene.h"
#include "lint/suppress.h"

namespace muster::lint {

struct TargetBlockFindings {
  // What the files that muster writes with the blocks have, and without them have not, each at the line that brings it;
  // and why no file is written with them where one is without.
  std::vector<Finding> caused;
  // Rules that the file of the decided target breaks without the blocks, and keeps with them.
  std::set<RuleId> fixed;
  // The blocks that no file could be written with, as paths of findings ("target.slurm"): it is not known what they
  // bring.
  std::vector<std::string> unchecked;
};

// Each block is judged in a file that carries it: that of the decided target, else that of the target that it names at
// the site's plane for that, whether it fits there or not. Nothing is found where none is written without the blocks
// either. Costs nothing without such a block.
TargetBlockFindings check_target_blocks(const SpecScene& scene);

// What the annotations `lint.muster/allow` of objects in the blocks let stay: for the decided target's anything that is
// found of the workload, as in the manifest that comes of it; for another's what its block brings. Added to what was
// read before.
void read_target_block_allows(const SpecScene& scene, Suppressions& out);

}  // namespace muster::lint
