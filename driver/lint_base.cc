#include "driver/lint_base.h"

#include <algorithm>
#include <filesystem>

#include "compiler/base/text.h"
#include "compiler/model/module.h"
#include "driver/rules_input.h"
#include "lint/waive.h"
#include "rules/digest.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

bool same(const model::Waiver& a, const model::Waiver& b) { return a.span == b.span && a.code == b.code; }

// The policies that no other of these is a layer above.
std::vector<const model::Policy*> tops(const std::vector<model::Policy>& all) {
  std::vector<const model::Policy*> out;
  for (const model::Policy& policy : all) {
    const auto is_above = [&](const model::Policy& other) {
      return &other != &policy &&
             std::find(other.layers.begin(), other.layers.end(), policy.name) != other.layers.end();
    };
    if (std::none_of(all.begin(), all.end(), is_above)) out.push_back(&policy);
  }
  return out;
}

}  // namespace

std::vector<std::string> policy_files(const std::string& folder, std::error_code& error) {
  std::vector<std::string> out;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
    const std::string name = i->path().filename().string();
    const bool ours = name.ends_with(".muster") && !name.ends_with(".tests.muster") && !name.starts_with('.');
    if (ours && i->is_regular_file(error) && !i->is_symlink(error))
      out.push_back(i->path().lexically_normal().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

Inputs base_inputs(const LintSettings& options) {
  Inputs out;
  std::error_code ignored;  // load() asks again
  if (!options.policy_folder.empty()) out.files = policy_files(options.policy_folder, ignored);
  out.site_file = options.site_file;
  out.as_of = options.as_of;
  return out;
}

bool LintBase::load(const LintSettings& options) {
  std::error_code error;
  if (!options.policy_folder.empty() && policy_files(options.policy_folder, error).empty()) {
    session_.diagnostics().add(Code::cannot_read, {},
                               "cannot read the policy `" + options.policy_folder +
                                   "`: " + (error ? error.message() : "the folder holds no `*.muster` file"));
    return false;
  }
  if (!session_.load()) return false;
  files_ = session_.sources().count();
  setting_ = make_setting(session_);
  if (!setting_ || !choose_rules(options)) return false;
  waivers_ = setting_->policy.waivers;
  for (const model::Policy& policy : session_.module().policies)
    for (const model::Waiver& waiver : policy.waivers)
      if (std::none_of(waivers_.begin(), waivers_.end(), [&](const auto& w) { return same(w, waiver); }))
        waivers_.push_back(waiver);
  policy_ = {setting_->policy.name, setting_->policy.version, rules::digest(setting_->policy)};
  return lint::know_waived_rules(waivers_, session_.diagnostics()) && read_accepted();
}

// A site that names no rules is decided by those of --policy. False: reported.
bool LintBase::choose_rules(const LintSettings& options) {
  const auto& policies = session_.module().policies;
  for (const model::Policy& policy : policies) check_expiry(policy, options.as_of, session_.diagnostics());
  const bool named = setting_->site->rules.has_value();
  const auto top = named || options.policy_folder.empty() ? std::vector<const model::Policy*>{} : tops(policies);
  if (top.size() > 1) {
    session_.diagnostics()
        .add(Code::ambiguous_choice, top[1]->span, "two rules of the policy stand beside each other; one is in force")
        .labels.push_back({top[0]->span, "the other one"});
    session_.diagnostics().since(session_.diagnostics().size() - 1)[0].notes.push_back(
        "let one extend the other, or let the site name its `rules`");
  } else if (top.size() == 1 && usable(*top[0], options.as_of, top[0]->span, session_.diagnostics())) {
    setting_->policy = *top[0];
  }
  return !session_.diagnostics().has_errors();
}

bool LintBase::read_accepted() {
  lint::Suppressions read;
  if (site() != nullptr) read_allows(site()->allows, "", "", true, read);
  if (fleet() != nullptr) read_allows(fleet()->allows, "", "", true, read);
  for (const lint::Finding& f : read.findings)
    session_.diagnostics().add(Code::unknown_name, f.primary, f.message, f.primary_label);
  accepted_ = std::move(read.items);
  read_site_comments();
  return read.findings.empty();
}

// What a spec lacks may be found where the site says something of it.
void LintBase::read_site_comments() {
  const Sources& sources = session_.sources();
  for (std::uint32_t file = 1; file <= sources.count(); ++file)
    for (lint::Suppression& s : lint::read_comments(sources, file, lint::Input::muster).items) {
      s.elsewhere = true;
      accepted_.push_back(std::move(s));
    }
}

}  // namespace muster::driver
