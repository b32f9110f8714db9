// One run of lint over files: what was found in each, without what the command line makes of it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "driver/discover.h"
#include "driver/lint_allows.h"
#include "driver/lint_base.h"
#include "driver/lint_settings.h"
#include "driver/merged_overlays.h"
#include "driver/session.h"
#include "lint/check.h"
#include "lint/outcome.h"
#include "lint/overlays.h"
#include "lint/related_manifests.h"
#include "lint/report/baseline.h"
#include "lint/site_remarks.h"

namespace muster::driver {

// A file whose text fixes have changed: its numbers in the sources before and after.
struct Changed {
  std::string path;
  std::uint32_t before = 0, after = 0;
};

class LintRun {
 public:
  explicit LintRun(const LintSettings& options);

  // The site, the policy and the command line's options. False: reported.
  bool prepare();
  // All files, each with the fixes that the options ask for. Findings whose keys are in `known` do not count. What
  // takes a site to tell is there once, unless the findings are to be compared with those of a tree.
  void lint(const lint::Baseline& known);
  // Before lint(): the findings are asked for nothing but their keys, so no text is kept once its file has been judged.
  void judge_for_keys() { for_keys_ = true; }
  // Lets the findings say too what is other than in a tree.
  void compare_with(const Tree& before) { base_.compare_with(before); }

  // The tree of --policy-from; nullptr: none was asked for.
  const PolicyFrom* policy_from() const { return from_ ? &*from_ : nullptr; }

  Session& session() { return session_; }
  const LintBase& base() const { return base_; }
  lint::Outcome& outcome() { return outcome_; }
  const std::vector<Changed>& changed() const { return changed_; }

 private:
  // One file as it was checked last: after fixes its text is another.
  struct Checked {
    std::uint32_t file = 0;
    std::vector<lint::Result> results;
    std::vector<Diagnostic> faults;
    std::vector<lint::Added> added;
    lint::Account account{};
  };

  bool judge_by_tree();
  void report_nothing();
  void cannot_read(const std::string& path, const std::string& why);
  void lint_file(const FoundFile& file);
  void lint_text(const FoundFile& file, std::string text);
  bool is_judged_elsewhere(const FoundFile& file, std::string_view text) const;
  void account_for(lint::Account account);
  void settle_accounts();
  void check(const std::string& path, std::string text, lint::Input kind);
  void keep_within_limit(Checked& checked);
  bool is_room_for(const Checked& checked);
  Checked check_once(const std::string& path, std::string text, lint::Input kind);
  Checked check_raw(const std::string& name, std::string text, lint::Input kind);
  Checked check_spec(const std::string& path, std::string text);
  void learn_needed(const std::vector<FoundFile>& files);
  void read_related(const std::vector<FoundFile>& files);
  void merge_overlays();
  void judge_merged();
  lint::CheckSettings settings() const;

  const LintSettings& options_;
  std::optional<Tree> tree_;  // of --policy-from
  std::optional<PolicyFrom> from_;
  Session session_;
  LintBase base_;
  std::optional<Session> tree_session_;  // of that tree's site and policy
  std::optional<LintBase> tree_base_;
  std::uint32_t command_line_ = 0;
  lint::Baseline known_;
  std::set<std::string> found_;  // the names of all files
  NeededAllows needed_;
  lint::RelatedManifests related_;
  lint::Overlays overlays_;
  MergedOverlays merged_;
  lint::SiteRemarks remarks_;
  lint::Outcome outcome_;
  bool is_full_ = false;  // of findings
  bool for_keys_ = false;
  std::vector<Changed> changed_;
};

}  // namespace muster::driver
