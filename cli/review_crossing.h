// What made a difference, and what would undo it: the questions that only the rules can answer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/review_tree.h"
#include "review/compare.h"

namespace muster::cli {

// Asks about the changed workloads of one site. Borrows all of it.
class Crosser {
 public:
  Crosser(const Side& base, const Side& head, const Judge& of_base, const Judge& of_head,
          const ReviewSettings& settings);

  // `facts` are those of the new workload. `crossings`: both facts and policy differ, so each is also tried with the
  // other side's.
  review::Crossing cross(const review::Item& item, const std::vector<rules::NamedValue>& facts, bool crossings);

 private:
  using Files = std::map<std::string, std::vector<review::Workload>>;  // evaluated before, by path
  static std::optional<review::Workload> find(const Evaluator& evaluator, Files& files, const std::string& path,
                                              const std::string& id);
  std::vector<review::Flip> flips(const review::Decision& before, const review::Decision& after,
                                  const std::vector<rules::NamedValue>& facts);

  static std::vector<review::Flip> likeliest(std::vector<review::Flip> flips, const review::Item& item);

  const Judge& head_;
  Evaluator new_facts_old_policy_, old_facts_new_policy_;
  Files new_facts_, old_facts_;
  std::map<std::string, std::vector<review::Flip>> flips_;  // by facts and question
};

// How the site or its rules differ.
review::PolicyChange policy_change(const Judge& base, const Judge& head);

}  // namespace muster::cli
