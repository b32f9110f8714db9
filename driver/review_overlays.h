// What the kustomizations of a side make of its manifests, so that a review counts what runs: an object with its
// patches in place of both.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "driver/review_files.h"
#include "driver/review_tree.h"
#include "review/tree.h"

namespace muster::driver {

// The objects that one kustomization changes.
struct MergedFolder {
  std::set<std::string> files;              // that they are made of, below the side's root
  std::vector<review::Workload> workloads;  // as they are applied
};

struct MergedSide {
  std::map<std::string, MergedFolder> folders;
  std::set<std::pair<std::string, std::string>> replaced;  // file and name of objects that are changed somewhere
  std::map<std::string, std::string> apart;                // patches that could not be merged, and why
};

// Nothing where the side has no kustomization.
MergedSide merge_side(const Side& side, const Judge& judge);

// Puts the amounts of the merged objects of some folders (`wanted`) into a tree: where its patch or the object itself
// is among the workloads, there, else as a workload of its own. Objects that are replaced do not count by themselves,
// and a patch that could not be merged uses an unknown amount if it has a number.
void add_merged(const MergedSide& merged, const std::set<std::string>& wanted, const std::string& label,
                review::Tree& tree);

}  // namespace muster::driver
