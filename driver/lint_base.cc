#include "driver/lint_base.h"

#include <algorithm>
#include <filesystem>

#include "compiler/base/text.h"
#include "compiler/model/module.h"
#include "driver/git.h"
#include "driver/lint_anchors.h"
#include "driver/rules_input.h"
#include "lint/proposed.h"
#include "lint/waive.h"
#include "rules/digest.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

bool same(const model::Waiver& a, const model::Waiver& b) { return a.span == b.span && a.code == b.code; }

bool is_in_repository(const std::string& path, const Files& files) {
  std::string why;
  auto top = ask_git({"rev-parse", "--show-toplevel"}, why);
  if (!top) return false;
  while (top->ends_with('\n')) top->pop_back();
  const fs::path relative = files.real(path).lexically_relative(files.real(*top));
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

std::vector<std::string> policy_files(const std::string& folder, const Files& from, std::error_code& error) {
  std::vector<std::string> out;
  for (const Entry& entry : from.list(folder, error)) {
    const std::string& name = entry.name;
    const bool ours = name.ends_with(".muster") && !name.ends_with(".tests.muster") && !name.starts_with('.');
    if (ours && entry.type == fs::file_type::regular)
      out.push_back((fs::path(folder) / name).lexically_normal().string());
  }
  return out;
}

std::optional<LintSettings> policy_options(const LintSettings& options, const PolicyFrom& from,
                                           Diagnostics& diagnostics) {
  LintSettings out = options;
  out.from = from.tree().files();
  const auto there = [&](const std::string& path, auto exists) -> std::string {
    if (path.empty()) return {};
    if (const auto name = from.name_of(path, options.from)) return exists(*name) ? *name : std::string();
    if (!from.tree().commit().empty() && is_in_repository(path, options.from))
      diagnostics.add(Code::cannot_read, {}, "`" + path + "` is in the repository, but not below the current folder")
          .notes.push_back("run muster at the root of the repository: `--policy-from` looks below the current folder");
    return options.from.real(path).string();
  };
  out.site_file = there(options.site_file, [&](const std::string& file) { return out.from.is_file(file); });
  out.policy_folder = there(options.policy_folder, [&](const std::string& folder) {
    std::error_code error;
    return !policy_files(folder, out.from, error).empty();
  });
  if (diagnostics.has_errors()) return std::nullopt;
  return out;
}

Inputs base_inputs(const LintSettings& options) {
  Inputs out;
  std::error_code ignored;  // load() asks again
  out.from = options.from;
  if (!options.policy_folder.empty()) out.files = policy_files(options.policy_folder, options.from, ignored);
  out.site_file = options.site_file;
  out.as_of = options.as_of;
  return out;
}

bool LintBase::load(const LintSettings& options) {
  std::error_code error;
  if (!options.policy_folder.empty() && policy_files(options.policy_folder, options.from, error).empty()) {
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
    if (!from_->name_of(session_.sources().name(file.file), session_.inputs().from)) continue;
    auto marked = from_->marked(file, session_);
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

void LintBase::take_site_of(const LintBase& other) {
  if (other.site() == nullptr) return;
  setting_->site = other.site();
  setting_->use(other.fleet());
}

std::optional<OwnSetting> LintBase::setting_of(Session& session, const std::string& path) {
  auto setting = make_setting(session);
  if (!setting) return std::nullopt;
  OwnSetting out{std::move(*setting)};
  if (from_ == nullptr) return out;
  if (!last_policy_ || last_policy_->first != path) last_policy_ = {path, policy_there(path, session.inputs().from)};
  const std::vector<model::Waiver> own = std::move(out.setting.policy.waivers);
  out.setting.policy = last_policy_->second ? *last_policy_->second : setting_->policy;
  out.proposed = waivers_beyond(out.setting.policy.waivers, own);
  return out;
}

// The places of such a policy are in texts that are given back.
void LintBase::drop_texts_after(std::size_t count) {
  last_policy_.reset();
  session_.sources().drop_texts_after(count);
}

// nullopt: the tree has no such file, or it declares no site that can be used.
std::optional<model::Policy> LintBase::policy_there(const std::string& path, const Files& files) {
  const auto name = from_->name_of(path, files);
  Inputs inputs;
  inputs.from = from_->tree().files();
  if (path == "-" || !name || !inputs.from.is_file(*name)) return std::nullopt;
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
