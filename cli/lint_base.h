// What stands behind all files of a run of lint: the site, its fleet, the policy and what they accept, read once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/lint_options.h"
#include "cli/planning.h"
#include "cli/session.h"
#include "lint/report/report.h"
#include "lint/suppress.h"
#include "plan/fleet_state.h"

namespace muster::cli {

class LintBase {
 public:
  // `session` is that of the run: it reads the site of --site and the files of --policy, and keeps what is wrong.
  explicit LintBase(Session& session) : session_(session) {}

  // False: reported.
  bool load(const LintOptions& options);

  Session& session() { return session_; }
  const Setting& setting() const { return *setting_; }
  // nullptr where no site was given: then muster files are planned for the built-in one.
  const model::Site* site() const { return session_.site_given() ? setting_->site : nullptr; }
  const model::Fleet* fleet() const { return session_.site_given() ? setting_->fleet : nullptr; }
  plan::FleetState* state() { return &*state_; }
  const std::vector<model::Waiver>& waivers() const { return waivers_; }
  const std::vector<lint::Suppression>& accepted() const { return accepted_; }
  const lint::PolicyName& policy() const { return policy_; }

 private:
  bool choose_rules(const LintOptions& options);
  bool read_accepted();

  Session& session_;
  std::optional<Setting> setting_;
  std::optional<plan::FleetState> state_;
  std::vector<model::Waiver> waivers_;
  std::vector<lint::Suppression> accepted_;
  lint::PolicyName policy_;
};

// The options of the run's session: its files are those of --policy, its site that of --site.
CommonOptions base_options(const LintOptions& options);

}  // namespace muster::cli
