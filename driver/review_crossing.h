// What made a difference, and what would undo it: the questions that only the rules can answer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver/review_tree.h"
#include "review/attribute.h"

namespace muster::driver {

// One side of the crossings: what judges its workloads, by the sites that their files declare too.
class CrossedSide {
 public:
  CrossedSide(const Side& side, const Judge& judge, const ReviewSettings& settings)
      : side_(side), judge_(judge), settings_(settings) {}

  // What judges the workloads of a file on this side: its own site and rules, else those of the whole side. nullptr:
  // its own ones cannot be used by another file. `path` is that of the file on this side.
  const Judge* judge_of(const std::string& path, bool own_site);

 private:
  Judge make_own(const std::string& path) const;

  const Side& side_;
  const Judge& judge_;
  const ReviewSettings& settings_;
  std::string own_path_;  // of the last file that was asked for: each judge holds a whole policy
  std::optional<Judge> own_;
};

// Where a workload is in a side's files.
struct Origin {
  std::string file, id;
};

// Asks about the changed workloads of one site. Borrows all of it.
class Crosser {
 public:
  // `same`: the whole sides have one policy.
  Crosser(const Side& base, const Side& head, const Judge& of_base, const Judge& of_head, bool same,
          const ReviewSettings& settings);

  // `facts` are those of the new workload. Where both facts and policy may differ each is also tried with the other
  // side's. `before` is where the old workload is found.
  review::Crossing cross(const review::Item& item, const Origin& before, const std::vector<rules::NamedValue>& facts);

 private:
  using Files = std::map<std::string, std::vector<review::Workload>>;  // evaluated before, by path
  // `own`: what the file of the other side is judged by; nullptr: the whole side's.
  static std::optional<review::Workload> find(const Evaluator& evaluator, const Judge* own, Files& files,
                                              const Origin& origin);
  void cross_own(const review::Item& item, const Origin& before, const Judge* old_judge, const Judge* new_judge,
                 review::Crossing& out);
  std::vector<review::Flip> flips(const review::Decision& before, const review::Decision& after, const Judge& judge,
                                  const std::vector<rules::NamedValue>& facts);

  static std::vector<review::Flip> likeliest(std::vector<review::Flip> flips, const review::Item& item);

  CrossedSide base_, head_;
  bool same_;
  Evaluator new_facts_old_policy_, old_facts_new_policy_;
  Files new_facts_, old_facts_;
  std::map<std::string, std::vector<review::Flip>> flips_;  // by policy, facts and question
};

// How the site or its rules differ, those of the sides themselves.
review::PolicyChange policy_change(const Judge& base, const Judge& head);

}  // namespace muster::driver
