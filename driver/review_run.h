// One review: two trees read, judged by their sites and policies, and compared.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "driver/review_crossing.h"
#include "driver/review_judges.h"
#include "driver/review_overlays.h"
#include "driver/review_tree.h"
#include "driver/tree.h"
#include "review/attribute.h"
#include "review/compare.h"

namespace muster::driver {

struct ReviewQuestion {
  std::string base, head;  // folders or files; with judges.git revisions
  JudgeQuestion judges;
  ReviewSettings settings;
  bool whole = false;  // the amounts of the whole new tree are asked for, also of files that did not change
};

// What was found wrong beside the review, in the order to be shown. The sources live as long as the run; nullptr: it
// has no place in a file.
struct Reported {
  std::vector<Diagnostic> found;
  const Sources* sources = nullptr;
};

class ReviewRun {
 public:
  // `question` outlives the run.
  explicit ReviewRun(const ReviewQuestion& question) : question_(question), settings_(question.settings) {}

  // nullopt: the reason is among what is reported.
  std::optional<review::Review> run();
  const std::vector<Reported>& reported() const { return reported_; }
  // Whether a file of the trees cannot be used, and is left out of the review.
  bool incomplete() const { return incomplete_; }
  const Side& head() const { return head_; }

 private:
  struct Pair {
    Judge base, head;
    bool same = false;  // of both sides: every file that the site rests on
    std::map<std::pair<std::string, std::string>, std::vector<rules::NamedValue>> head_facts;  // by file and name
    MergedSide base_merged{}, head_merged{};
    // The sides' own sites, where those of --policy-from judge them and they differ.
    std::optional<Judge> own_base{}, own_head{};
  };

  bool open_trees(Diagnostics& diagnostics);
  bool read_sides(Diagnostics& diagnostics);
  bool is_whole(Diagnostics& diagnostics) const;
  std::shared_ptr<const Gate> gate_for(const Side& side, const Wanted& wanted) const;
  void take_own_sites(const Wanted& wanted, Pair& pair);
  bool add_rule_effects(const Wanted& wanted, const Pair& pair);
  void rename_single_file();
  bool add_pair(const Wanted& wanted);
  bool review_for(const Wanted& wanted, Pair& pair);
  bool is_judged_by(const Pair& judges, FileKind kind) const;
  void merge_overlays(Pair& pair);
  std::string label_of(const Judge& judge, const std::string& file) const;
  void evaluate(const Side& side, const Judge& judge, Pair& pair, bool is_head);
  void evaluate_into(review::Tree& tree, const Side& side, const Judge& judge, Pair& pair, bool is_head);
  void take_name(review::Workload& workload) const;
  std::vector<review::PolicyChange> policies() const;
  void add_unchanged_amounts(const Pair& pair);
  std::vector<review::Crossing> cross(const review::Review& review) const;
  Origin origin_of(const review::Workload& before) const;
  std::nullopt_t failed(const Diagnostics& diagnostics);

  const ReviewQuestion& question_;
  const ReviewSettings& settings_;
  std::optional<Tree> base_revision_, head_revision_;
  std::optional<Tree> policy_tree_;  // of --policy-from
  Files files_;                      // of the disk and of all trees
  std::optional<Side> policy_side_;
  Side base_, head_;
  std::set<std::string> affected_;
  std::string renamed_;
  std::vector<Pair> pairs_;        // one for each site
  std::optional<Judge> unusable_;  // its sources are reported from
  review::Tree base_tree_, head_tree_;
  std::size_t same_ = 0;
  std::vector<review::Workload> amounts_;  // of the whole new tree: nothing but these
  std::vector<std::string> notes_;
  std::vector<lint::Added> added_;
  std::vector<review::RuleEffect> rule_effects_;
  std::vector<Reported> reported_;
  bool incomplete_ = false;
};

}  // namespace muster::driver
