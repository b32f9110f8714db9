#include "driver/lint_base.h"

#include <algorithm>
#include <filesystem>

#include "compiler/base/text.h"
#include "compiler/model/module.h"
#include "driver/git.h"
#include "driver/imports.h"
#include "driver/in_folder.h"
#include "driver/lint_anchors.h"
#include "driver/rules_input.h"
#include "lint/proposed.h"
#include "lint/waive.h"
#include "rules/digest.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

bool same(const model::Waiver& a, const model::Waiver& b) { return a.span == b.span && a.code == b.code; }

bool is_in_repository(const std::string& path) {
  std::string why;
  auto top = ask_git({"rev-parse", "--show-toplevel"}, why);
  if (!top) return false;
  while (top->ends_with('\n')) top->pop_back();
  const fs::path relative = real_path(path).lexically_relative(real_path(*top));
  return !relative.empty() && *relative.begin() != "..";
}

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

std::vector<model::Waiver> waivers_beyond(const std::vector<model::Waiver>& others,
                                          const std::vector<model::Waiver>& waivers) {
  std::vector<model::Waiver> out;
  for (const model::Waiver& waiver : waivers) {
    const auto covers = [&](const model::Waiver& other) {
      return other.code == waiver.code && other.subject == waiver.subject && other.expires >= waiver.expires;
    };
    if (std::none_of(others.begin(), others.end(), covers)) out.push_back(waiver);
  }
  return out;
}

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

std::optional<LintSettings> policy_options(const LintSettings& options, const Tree& tree, const PolicyFrom& from,
                                           Diagnostics& diagnostics) {
  LintSettings out = options;
  const auto there = [&](const std::string& path, auto exists) -> std::string {
    if (path.empty()) return {};
    if (const auto name = from.name_of(path)) return exists(from.folder() / *name) ? *name : std::string();
    if (!tree.commit().empty() && is_in_repository(path))
      diagnostics.add(Code::cannot_read, {},
                      "`" + path + "` is in the repository, but not below the current folder, where `--policy-from` " +
                          "looks for it: run muster at the root of the repository");
    return real_path(path).string();
  };
  out.site_file = there(options.site_file, [](const fs::path& file) { return fs::is_regular_file(file); });
  out.policy_folder = there(options.policy_folder, [](const fs::path& folder) {
    std::error_code error;
    return !policy_files(folder.string(), error).empty();
  });
  if (diagnostics.has_errors()) return std::nullopt;
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
                                   "`: " + (error ? error.message() : "the folder does not contain a `*.muster` file"));
    return false;
  }
  if (!session_.parse()) return false;
  if (from_ != nullptr) read_marks();
  if (!session_.check()) return false;
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

// Before the trees are taken apart. A file outside of the tree is not part of the change.
void LintBase::read_marks() {
  for (const ast::File& file : session_.files()) {
    if (!from_->name_of(session_.sources().name(file.file))) continue;
    auto marked = from_->marked(file, session_.sources(), session_.inputs().as_of);
    marks_.insert(marks_.end(), marked.begin(), marked.end());
  }
  added_ = lint::added_by(marks_, session_.sources());
}

void LintBase::judge_by(const LintBase& other) {
  own_policy_ = std::exchange(setting_->policy, other.setting_->policy);
  own_waivers_ = std::exchange(waivers_, other.waivers_);
  proposed_waivers_ = waivers_beyond(waivers_, own_waivers_);
  policy_ = other.policy_;
  lint::add_waivers(proposed_waivers_, session_.sources(), added_);
}

std::optional<OwnSetting> LintBase::setting_of(Session& session, const std::string& path) {
  auto setting = make_setting(session);
  if (!setting) return std::nullopt;
  OwnSetting out{std::move(*setting)};
  if (from_ == nullptr) return out;
  if (!last_policy_ || last_policy_->first != path) last_policy_ = {path, policy_there(path)};
  const std::vector<model::Waiver> own = std::move(out.setting.policy.waivers);
  out.setting.policy = last_policy_->second ? *last_policy_->second : setting_->policy;
  out.proposed = waivers_beyond(out.setting.policy.waivers, own);
  return out;
}

// nullopt: the tree has no such file, or it declares no site that can be used.
std::optional<model::Policy> LintBase::policy_there(const std::string& path) {
  const auto name = from_->name_of(path);
  std::error_code error;
  if (path == "-" || !name || !fs::is_regular_file(from_->folder() / *name, error)) return std::nullopt;
  const InFolder there(from_->folder());
  Inputs inputs;
  inputs.files = {*name};
  inputs.as_of = session_.inputs().as_of;
  Session session(inputs, session_);
  if (!session.load() || !session.has_site()) return std::nullopt;
  auto setting = make_setting(session);
  if (!setting || session.diagnostics().has_errors()) return std::nullopt;
  return std::move(setting->policy);
}

// A site that names no rules is decided by those of --policy. False: reported.
bool LintBase::choose_rules(const LintSettings& options) {
  const auto& policies = session_.module().policies;
  for (const model::Policy& policy : policies) check_expiry(policy, options.as_of, session_.diagnostics());
  const bool named = setting_->site->rules.has_value();
  const auto top = named || options.policy_folder.empty() ? std::vector<const model::Policy*>{} : tops(policies);
  if (top.size() > 1) {
    session_.diagnostics()
        .add(Code::ambiguous_choice, top[1]->span, "the policy has two `rules` blocks that do not extend each other")
        .labels.push_back({top[0]->span, "the other block"});
    session_.diagnostics().since(session_.diagnostics().size() - 1)[0].notes.push_back(
        "let one extend the other, or select one with `rules` of the site");
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
  mark_as(marks_, accepted_);
  return read.findings.empty();
}

// What a spec lacks may be found where the site says something of it.
void LintBase::read_site_comments() {
  const Sources& sources = session_.sources();
  for (std::uint32_t file = 1; file <= files_; ++file)
    for (lint::Suppression& s : lint::read_comments(sources, file, lint::Input::muster).items) {
      s.elsewhere = true;
      accepted_.push_back(std::move(s));
    }
}

}  // namespace muster::driver
