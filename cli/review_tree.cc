#include "cli/review_tree.h"

#include <algorithm>

#include "lint/check.h"
#include "lint/waive.h"
#include "plan/decide.h"
#include "review/describe.h"
#include "rules/digest.h"
#include "rules/profiles.h"
#include "targets/target.h"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

// Below the present folder files are called as they stand there: the place of a tree is no part of a report.
std::string name_here(const std::string& file) {
  const std::string relative = fs::path(file).lexically_relative(fs::current_path()).string();
  return file.empty() || relative.starts_with("..") ? file : relative;
}

// A site outside of the tree is called as it is from where the command was given.
std::string shown_name(const std::string& file, const fs::path& root) {
  return fs::path(file).is_absolute() ? fs::path(file).lexically_relative(root).string() : file;
}

CommonOptions options_for(const Judge& judge, const ReviewSettings& settings) {
  CommonOptions out;
  out.site_file = name_here(judge.file);
  out.import_root = judge.root.string();
  out.as_of = settings.as_of;
  out.diagnostics = settings.diagnostics;
  return out;
}

// Whether each role has what a target needs to know of its machines.
bool placed(const plan::Plan& plan) {
  const auto has_pool = [&](const plan::RolePlan& role) { return plan.fleet == nullptr || role.pool != nullptr; };
  return plan.plane != nullptr && std::all_of(plan.roles.begin(), plan.roles.end(), has_pool);
}

// What the decision and the placement say by themselves stands in them.
bool is_answer(Code code) { return code == Code::no_plane || code == Code::does_not_fit || code == Code::fit_unknown; }

}  // namespace

std::optional<Judge> make_judge(const std::string& file, const Side& side, const fs::path& root,
                                const ReviewSettings& settings) {
  const InFolder here(side.root);
  Judge out;
  out.file = file;
  out.root = root.empty() ? side.root : root;
  out.session = std::make_unique<Session>(options_for(out, settings));
  std::optional<Setting> setting;
  if (out.session->load()) setting = make_setting(*out.session);
  if (!setting || !lint::know_waived_rules(setting->policy.waivers, out.session->diagnostics())) {
    out.session->finish();
    return std::nullopt;
  }
  out.setting = std::move(*setting);
  const model::Policy& policy = out.setting.policy;
  out.policy = {out.setting.site->name, policy.name, policy.version, rules::digest(policy), 0};
  return out;
}

std::optional<std::vector<Evaluated>> Evaluator::evaluate(const std::string& path, std::string& why) const {
  const auto found = side_.files.find(path);
  if (found == side_.files.end() || found->second.kind == FileKind::other) return std::vector<Evaluated>();
  if (found->second.too_large) {
    why = "it is over 4 MiB";
    code_ = std::max(code_, 2);
    return std::nullopt;
  }
  const InFolder here(side_.root);
  return found->second.kind == FileKind::spec ? specs(path, why) : raw(path, found->second, why);
}

// Reports what is wrong, and of which side.
std::nullopt_t Evaluator::left_out(Session& session, const std::string& path, std::string& why) const {
  for (Diagnostic& d : session.diagnostics().since(0)) {
    if (d.severity() != Severity::error) continue;
    if (why.empty()) why = std::string(info(d.code).id) + " " + d.message;
    d.notes.push_back("`" + path + "` of " + side_.name + " is left out of the review");
  }
  code_ = std::max({code_, silent_ ? 0 : session.finish(), 2});
  return std::nullopt;
}

std::optional<std::vector<Evaluated>> Evaluator::specs(const std::string& path, std::string& why) const {
  CommonOptions options = options_for(judge_, settings_);
  options.files = {path};
  options.quiet = true;
  // Of a file of rules or of a fleet only what stands in it is looked at.
  const bool own = declares_site(path, side_.files.at(path)) || count_workloads(path, side_.files.at(path)) == 0;
  if (own) options.site_file.clear();
  Session session(options);
  if (!session.load()) return left_out(session, path, why);
  std::vector<Evaluated> out;
  if (session.module().workloads.empty()) return out;
  Setting setting;
  if (own) {
    auto of_file = make_setting(session);
    if (!of_file) return left_out(session, path, why);
    setting = std::move(*of_file);
  } else {
    setting.site = session.site();
    setting.fleet = setting.site == nullptr ? nullptr : session.fleet(*setting.site);
    setting.policy = judge_.setting.policy;  // the same rules, which are proven
  }
  if (session.diagnostics().has_errors()) return left_out(session, path, why);
  for (const model::Workload& workload : session.module().workloads) {
    out.push_back(spec(workload, session, setting));
    out.back().workload.file = path;
    out.back().workload.site = judge_.label;
    for (review::Finding& f : out.back().workload.findings) f.place.file = shown_name(f.place.file, judge_.root);
    if (own) out.back().facts.clear();  // other rules than the judge's
  }
  return out;
}

Evaluated Evaluator::spec(const model::Workload& workload, const Session& session, const Setting& setting) const {
  Diagnostics found;
  const auto result = plan::make_plan(request_for(&workload, session, setting), found);
  Evaluated out{review::describe(workload, result, session.sources()), {}};
  if (result.plan) {
    const plan::Plan& plan = *result.plan;
    out.facts = plan::declared_facts(setting.policy, plan.facts);
    const bool starts = may_start(plan, found);
    if (const targets::Target* target = targets::find_target(plan.decision.target); target != nullptr && placed(plan)) {
      targets::LowerOptions options;
      options.names = targets::Names::fixed;
      const targets::Lowered lowered = targets::lower(*target, plan, options, found);  // what it refuses is a finding
      if (starts && !found.has_errors()) review::add_documents(lowered, out.workload);
    }
  }
  for (const Diagnostic& d : found.sorted())
    if (!is_answer(d.code)) out.workload.findings.push_back(review::finding_of(d, workload.id, session.sources()));
  return out;
}

std::optional<std::vector<Evaluated>> Evaluator::raw(const std::string& path, const SideFile& file,
                                                     std::string& why) const {
  CommonOptions options;
  options.diagnostics = settings_.diagnostics;
  Session session(options);
  const std::uint32_t number = session.sources().add(path, file.text);
  const bool given = !judge_.file.empty();
  const model::Site* site = given ? judge_.setting.site : nullptr;
  const model::Fleet* fleet = given ? judge_.setting.fleet : nullptr;
  std::vector<review::Workload> workloads;
  if (file.kind == FileKind::script) workloads.push_back(review::read_script(session.sources(), number, site, fleet));
  else workloads = review::read_manifests(session.sources(), number, session.diagnostics());
  if (session.diagnostics().has_errors()) return left_out(session, path, why);
  const auto kind = file.kind == FileKind::script ? lint::Input::script : lint::Input::manifest;
  const lint::CheckSettings check{{session.sources(), site, fleet}, settings_.selection, settings_.as_of, 0};
  auto results = lint::check_file(number, kind, check, session.diagnostics());
  lint::apply_waivers(judge_.setting.policy.waivers, session.sources(), results);
  review::add_findings(results, session.sources(), workloads);
  std::vector<Evaluated> out;
  for (review::Workload& w : workloads) {
    w.site = judge_.label;
    out.push_back({std::move(w), {}});
  }
  return out;
}

}  // namespace muster::cli
