// What is behind all files of a run of lint: the site, its fleet, the policy and what they accept, read once.
#pragma once

#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "driver/files.h"
#include "driver/lint_settings.h"
#include "driver/planning.h"
#include "driver/policy_from.h"
#include "driver/session.h"
#include "driver/tree.h"
#include "lint/report/report.h"
#include "lint/suppress.h"

namespace muster::driver {

// What a file with a site of its own is judged by. With a tree of --policy-from the rules are those that the file has
// there, else those of the base; `proposed` are the waivers that only the file has.
struct OwnSetting {
  Setting setting;
  std::vector<model::Waiver> proposed{};
};

class LintBase {
 public:
  // `session` is that of the run: it reads the site of --site and the files of --policy, and keeps what is wrong.
  explicit LintBase(Session& session) : session_(session) {}

  // False: reported.
  bool load(const LintSettings& options);
  // Before load(): of what the files suppress only that counts which is in this tree. It outlives this.
  void take_suppressions_of(const PolicyFrom& from) { from_ = &from; }
  // After load(): the rules and waivers of `other`, a base in the same sources, are in force in place of its own.
  void judge_by(const LintBase& other);
  // After load(): its site and fleet too, where it has a site. It outlives this.
  void take_site_of(const LintBase& other);
  // The tree that a change is judged against; it has to outlive the run.
  void compare_with(const Tree& before) { before_ = &before; }

  Session& session() { return session_; }
  const Setting& setting() const { return *setting_; }
  // nullptr where no site was given: then muster files are planned for the built-in one.
  const model::Site* site() const { return session_.site_given() ? setting_->site : nullptr; }
  const model::Fleet* fleet() const { return session_.site_given() ? setting_->fleet : nullptr; }
  // Of that fleet, for all files of the run.
  plan::FleetState* fleet_state() const { return session_.site_given() ? setting_->state.get() : nullptr; }
  const std::vector<model::Waiver>& waivers() const { return waivers_; }
  const std::vector<lint::Suppression>& accepted() const { return accepted_; }
  // nullptr: all that the files suppress counts.
  const PolicyFrom* policy_from() const { return from_; }
  // What is not in force, since only the files that are judged have it.
  const std::vector<model::Waiver>& proposed_waivers() const { return proposed_waivers_; }
  const model::Policy& own_policy() const { return own_policy_ ? *own_policy_ : setting_->policy; }
  const std::vector<model::Waiver>& own_waivers() const { return own_policy_ ? own_waivers_ : waivers_; }
  const std::vector<lint::Added>& added() const { return added_; }
  // Gives back the texts of all files that the run has read after the first `count`: they have been judged, and only
  // their names are asked for from now on.
  void drop_texts_after(std::size_t count);
  // The setting of a file that declares its own site. nullopt: reported.
  std::optional<OwnSetting> setting_of(Session& session, const std::string& path);
  const lint::PolicyName& policy() const { return policy_; }
  const Tree* before() const { return before_; }  // nullptr: nothing is compared
  // How many of the session's sources were read for it: they came first.
  std::size_t files() const { return files_; }

 private:
  bool choose_rules(const LintSettings& options);
  bool read_accepted();
  void read_site_comments();
  void read_marks();
  std::optional<model::Policy> policy_there(const std::string& path, const Files& files);

  Session& session_;
  std::optional<Setting> setting_;
  std::vector<model::Waiver> waivers_;
  std::vector<lint::Suppression> accepted_;
  lint::PolicyName policy_;
  const Tree* before_ = nullptr;
  std::size_t files_ = 0;
  const PolicyFrom* from_ = nullptr;
  std::vector<lint::Suppression> marks_;  // what the site and its files suppress, marked
  std::vector<lint::Added> added_;
  std::optional<model::Policy> own_policy_;
  std::vector<model::Waiver> own_waivers_, proposed_waivers_;
  std::optional<std::pair<std::string, std::optional<model::Policy>>> last_policy_;  // of policy_there, by path
};

// The muster files of the platform team's folder, without what only tests them; sorted. Links and hidden files are not
// followed.
std::vector<std::string> policy_files(const std::string& folder, const Files& from, std::error_code& error);

// The waivers that others do not have: of the same rule and subject, and ending no sooner.
std::vector<model::Waiver> waivers_beyond(const std::vector<model::Waiver>& others,
                                          const std::vector<model::Waiver>& waivers);

// The same questions of the site and policy, as the tree of --policy-from has them: a path that is not there is left
// out, one that lies elsewhere is as it is. nullopt: reported.
std::optional<LintSettings> policy_options(const LintSettings& options, const PolicyFrom& from,
                                           Diagnostics& diagnostics);

// What the run's session reads: the files of --policy and the site of --site.
Inputs base_inputs(const LintSettings& options);

}  // namespace muster::driver
