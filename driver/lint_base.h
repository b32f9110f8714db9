// What stands behind all files of a run of lint: the site, its fleet, the policy and what they accept, read once.
#pragma once

#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "driver/lint_settings.h"
#include "driver/planning.h"
#include "driver/session.h"
#include "driver/tree.h"
#include "lint/report/report.h"
#include "lint/suppress.h"

namespace muster::driver {

class LintBase {
 public:
  // `session` is that of the run: it reads the site of --site and the files of --policy, and keeps what is wrong.
  explicit LintBase(Session& session) : session_(session) {}

  // False: reported.
  bool load(const LintSettings& options);
  // The tree that a change is judged against; it has to outlive the run.
  void compare_with(const Tree& before) { before_ = &before; }

  Session& session() { return session_; }
  const Setting& setting() const { return *setting_; }
  // nullptr where no site was given: then muster files are planned for the built-in one.
  const model::Site* site() const { return session_.site_given() ? setting_->site : nullptr; }
  const model::Fleet* fleet() const { return session_.site_given() ? setting_->fleet : nullptr; }
  const std::vector<model::Waiver>& waivers() const { return waivers_; }
  const std::vector<lint::Suppression>& accepted() const { return accepted_; }
  const lint::PolicyName& policy() const { return policy_; }
  const Tree* before() const { return before_; }  // nullptr: nothing is compared
  // How many of the session's sources were read for it: they came first.
  std::size_t files() const { return files_; }

 private:
  bool choose_rules(const LintSettings& options);
  bool read_accepted();
  void read_site_comments();

  Session& session_;
  std::optional<Setting> setting_;
  std::vector<model::Waiver> waivers_;
  std::vector<lint::Suppression> accepted_;
  lint::PolicyName policy_;
  const Tree* before_ = nullptr;
  std::size_t files_ = 0;
};

// The muster files of the platform team's folder, without what only tests them; sorted. Links and hidden files are not
// followed.
std::vector<std::string> policy_files(const std::string& folder, std::error_code& error);

// What the run's session reads: the files of --policy and the site of --site.
Inputs base_inputs(const LintSettings& options);

}  // namespace muster::driver
