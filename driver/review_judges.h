// Whom the two sides of a review are judged by: the sites that are asked for, the policy of a platform team, and
// whether they are the same on both sides.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "driver/files.h"
#include "driver/review_files.h"
#include "driver/review_tree.h"

namespace muster::driver {

struct JudgeQuestion {
  std::vector<std::string> sites;  // of --site
  std::string policy;              // of --policy; "": none
  bool git = false;                // the sides are revisions
  std::string policy_from;         // a folder or a revision; "": each side's own policy decides
};

// One site of the review, as each side has it.
struct Wanted {
  JudgePlace base, head;
  std::string label;                  // of the option; "": there is only one
  JudgePlace from{};                  // in the tree of --policy-from; its site, where it is there, judges both sides
  JudgePlace own_base{}, own_head{};  // what the sides themselves have, where that is so

  bool is_judged_from() const { return !from.site.empty(); }
};

// The sites of --site; else the one of the policy; else the only site that the tree declares, as each side has it; else
// the built-in one. A policy that lies within the trees is that of each side, any other the same for both; `notes` says
// which. None: there is no policy where it should be; reported.
// `files` has the disk and all trees, `from` is the tree of --policy-from; nullptr: there is none.
std::vector<Wanted> judges_wanted(const JudgeQuestion& question, const Files& files, const Side& base, const Side& head,
                                  const Side* from, std::vector<std::string>& notes, Diagnostics& diagnostics);

// Whether a site and policy mean the same on both sides, where these files differ between the sides.
bool same_meaning(const Wanted& wanted, const Judge& base, const Judge& head, const std::set<std::string>& affected);

}  // namespace muster::driver
