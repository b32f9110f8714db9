#include "driver/review_tree.h"

#include <algorithm>

#include "compiler/model/module.h"
#include "compiler/sema/check/to_syntax.h"
#include "compiler/syntax/ast.h"
#include "compiler/syntax/format.h"
#include "driver/choose.h"
#include "driver/lint_allows.h"
#include "driver/lint_specs.h"
#include "driver/overlay_files.h"
#include "driver/port_existing.h"
#include "lint/check.h"
#include "lint/target_block/reduced.h"
#include "lint/waive.h"
#include "plan/decide/decide.h"
#include "review/describe.h"
#include "review/documents.h"
#include "review/moves.h"
#include "review/target_block_amounts.h"
#include "targets/target.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

// A workload that no file is written for is compared as it was read: what it says must not change unseen.
void add_as_read(const model::Workload& workload, review::Workload& out) {
  Diagnostics ignored;
  std::vector<ast::Block> blocks;
  blocks.push_back(sema::to_syntax(workload, ignored));
  out.objects = review::objects_of(workload.name, syntax::format(std::move(blocks)));
  for (review::Object& object : out.objects) object.kind = "unwritten workload";
}

// Plans a workload and writes its documents, as compile does; what the target refuses is a finding.
Evaluated planned_and_written(const model::Workload& workload, const plan::PlanRequest& request,
                              const Sources& sources) {
  Diagnostics planned;
  targets::LowerOptions options;
  options.names = targets::Names::fixed;
  options.one_reason = true;
  const Chosen chosen = choose(request, options, nullptr, planned);
  const plan::PlanResult& result = chosen.result;
  Evaluated out{review::describe(workload, result, sources), {}};
  if (!result.plan) return out;
  const plan::Plan& plan = *result.plan;
  out.facts = plan::declared_facts(*request.policy, plan.facts);
  const targets::Target* target = chosen.target;
  if (target == nullptr) return out;
  const bool refused = chosen.reports.has_errors();
  if (!refused) review::count_target_block(plan, *target, chosen.lowered, out.workload);
  else review::leave_open(plan, *target, out.workload);
  if (may_start(plan, planned) && !refused) review::add_documents(chosen.lowered, out.workload);
  for (const Diagnostic& d : chosen.reports.sorted())
    out.workload.findings.push_back(review::finding_of(d, workload.id, sources));
  return out;
}

Evaluated evaluated(const model::Workload& workload, const plan::PlanRequest& request, const Sources& sources) {
  Evaluated out = planned_and_written(workload, request, sources);
  if (out.workload.objects.empty()) add_as_read(workload, out.workload);
  return out;
}

// A site and a policy of different folders: one is where the site's names mean something, and reads the policy by
// its whole path.
Inputs options_for(const JudgePlace& place, LintSettings& options, Judge& judge) {
  const bool whole = !place.policy.empty() && !place.site.empty() && place.policy_folder != place.site_folder;
  if (whole) {
    options.policy_folder = (place.policy_folder / place.policy).lexically_normal().string();
    judge.prefix = (place.policy_folder / "").string();
  }
  Inputs out = base_inputs(options);
  if (whole && options.policy_folder.starts_with(judge.prefix)) out.root = place.policy_folder.string();
  return out;
}

fs::path folder_of(const JudgePlace& place) {
  return place.site.empty() && !place.policy.empty() ? place.policy_folder : place.site_folder;
}

LintSettings settings_for(const JudgePlace& place, const ReviewSettings& settings) {
  LintSettings out;
  out.site_file = place.site;
  out.policy_folder = place.policy;
  out.as_of = settings.as_of;
  return out;
}

// Puts the rules and waivers of a place in force. False: reported.
bool judge_by(const JudgePlace& place, const ReviewSettings& settings, Judge& judge) {
  LintSettings options = settings_for(place, settings);
  options.from = judge.session->inputs().from.at(folder_of(place));
  Judge names;
  Session session(options_for(place, options, names), *judge.session);
  LintBase base(session);
  const bool good = base.load(options);
  for (const Diagnostic& d : session.diagnostics().sorted()) judge.session->diagnostics().add(d);
  if (good) judge.base->judge_by(base);
  return good;
}

// What another judge accepts, without its places: they are in texts of its own.
void accept_as_well(const std::vector<lint::Suppression>& accepted, const std::string& as_of,
                    std::vector<lint::Suppression>& out) {
  for (lint::Suppression one : accepted) {
    if (!one.until.empty() && one.until < as_of) continue;
    one.where = one.scope = one.comment = {};
    out.push_back(std::move(one));
  }
}

// What an import made has no lines of the file that people see.
void leave_imported_lines(const std::string& path, review::Workload& workload) {
  const auto is_made = [made = imported_name(path)](const review::Place& place) { return place.file == made; };
  for (review::Fact& fact : workload.facts)
    if (is_made(fact.place)) fact.place = {};
  for (review::Finding& f : workload.findings) {
    if (!is_made(f.place)) continue;
    f.key = review::renamed_key(f.key, f.place.file, path);
    f.place = {path, 1};
  }
}

// Names without the judge's prefix, in facts, findings and their keys.
void take_prefix_off(const std::string& prefix, review::Workload& workload) {
  if (prefix.empty()) return;
  for (review::Fact& fact : workload.facts)
    if (fact.place.file.starts_with(prefix)) fact.place.file.erase(0, prefix.size());
  for (review::Finding& f : workload.findings) {
    if (!f.place.file.starts_with(prefix)) continue;
    const std::string name = f.place.file.substr(prefix.size());
    f.key = review::renamed_key(f.key, f.place.file, name);
    f.place.file = name;
  }
}

}  // namespace

Judge make_judge(const JudgePlace& place, const ReviewSettings& settings, const Files& files,
                 std::shared_ptr<const Gate> gate) {
  LintSettings options = settings_for(place, settings);
  options.from = files.at(folder_of(place));
  Judge out;
  out.session = std::make_unique<Session>(options_for(place, options, out));
  out.base = std::make_unique<LintBase>(*out.session);
  if (gate) out.base->take_suppressions_of(gate->from);
  out.gate = std::move(gate);
  out.usable = out.base->load(options);
  if (!out.usable) return out;
  const lint::PolicyName policy = out.base->policy();
  out.policy = {out.base->setting().site->name, policy.name, policy.version, policy.sha256, 0};
  if (out.gate) out.usable = judge_by(out.gate->place, settings, out);
  return out;
}

bool same_texts(const Judge& a, const Judge& b) {
  const Sources &one = a.session->sources(), &other = b.session->sources();
  if (one.count() != other.count()) return false;
  for (std::uint32_t file = 1; file <= one.count(); ++file)
    if (one.text(file) != other.text(file)) return false;
  return true;
}

lint::CheckSettings Evaluator::check_settings(const Judge& judge) const {
  LintBase& base = *judge.base;
  return {
      {base.session().sources(), base.site(), base.fleet()}, settings_.selection, settings_.as_of, 0, base.accepted()};
}

EvaluatedFile Evaluator::evaluate(const std::string& path) const {
  const auto found = side_.files.find(path);
  if (found == side_.files.end()) return {std::vector<Evaluated>()};
  const SideFile& file = found->second;
  EvaluatedFile out = file.kind == FileKind::other ? EvaluatedFile{std::vector<Evaluated>()}
                      : !file.why.empty()          ? EvaluatedFile{std::nullopt, file.why, true}
                                                   : evaluate(path, file.kind, nullptr);
  if (out.unusable) out.account = lint::Account{path, lint::Fate::not_read, out.why};
  else if (!out.account && file.kind == FileKind::other) out.account = file.account;
  else if (!out.account) out.account = lint::Account{path};
  return out;
}

EvaluatedFile Evaluator::evaluate_for(const Judge& other, const std::string& path) const {
  const auto found = side_.files.find(path);
  if (found == side_.files.end() || found->second.kind != FileKind::spec || !found->second.why.empty())
    return {std::vector<Evaluated>()};
  return evaluate(path, FileKind::spec, &other);
}

// The texts that it has read are only kept to show what is wrong with them.
EvaluatedFile Evaluator::evaluate(const std::string& path, FileKind kind, const Judge* other) const {
  const Judge& judge = other != nullptr ? *other : judge_;
  const std::size_t before = judge.session->sources().count();
  std::string why;
  auto text = side_.from.read(path, largest_file, why);
  if (!text) return {std::nullopt, "it cannot be read: " + why, true};
  EvaluatedFile out = kind == FileKind::spec       ? specs(path, std::move(*text), other)
                      : kind == FileKind::imported ? imported(path, std::move(*text))
                                                   : raw(path, std::move(*text), kind);
  if (out.faults.empty()) judge.base->drop_texts_after(before);
  if (!out.workloads) return out;
  for (Evaluated& e : *out.workloads) {
    e.workload.file = path;
    e.workload.site = judge_.label;
    take_prefix_off(judge.prefix, e.workload);
  }
  return out;
}

// What is wrong with it, and on which side.
EvaluatedFile Evaluator::left_out(const std::string& path, std::vector<Diagnostic> faults) const {
  EvaluatedFile out{std::nullopt, {}, true};
  for (Diagnostic& d : faults) {
    if (d.severity() != Severity::error) continue;
    if (out.why.empty()) out.why = std::string(info(d.code).id) + " " + d.message;
    d.notes.push_back("`" + path + "` of " + side_.name + " is excluded from the review");
    out.faults.push_back(std::move(d));
  }
  return out;
}

EvaluatedFile Evaluator::specs(const std::string& path, std::string text, const Judge* other) const {
  const Judge& judge = other != nullptr ? *other : judge_;
  LintedSpec linted = other != nullptr ? lint_spec_for(path, text, side_.from, *judge.base)
                                       : lint_spec(path, text, side_.from, *judge.base);
  if (!linted.faults.empty()) return left_out(path, std::move(linted.faults));
  Inputs options;
  options.from = side_.from;
  options.files = {path};
  options.input = std::move(text);
  options.as_of = settings_.as_of;
  Session session(options, *judge.session);
  session.lay_under(judge.session->site_block());
  if (other != nullptr) session.without_own_policy();
  EvaluatedFile out{std::vector<Evaluated>()};
  if (!session.load()) return out;  // it only offers templates whose parameters come from other files
  out.workloads = plan(session, judge);
  std::vector<review::Workload> workloads;
  for (Evaluated& e : *out.workloads) workloads.push_back(std::move(e.workload));
  // What the site of the run accepts and waives holds for files with a site of their own too, as in lint.
  if (other != nullptr) accept_as_well(judge_.base->accepted(), settings_.as_of, linted.suppressions.items);
  auto results = lint::judge(std::move(linted.findings), linted.suppressions, check_settings(judge));
  NeededAllows needed;  // of this file: what only others can tell is not a change
  needed.add(linted, session.sources());
  needed.withdraw(results, session.sources());
  lint::apply_waivers(linted.waivers, session.sources(), results);
  lint::apply_waivers(judge.base->waivers(), session.sources(), results);
  if (other != nullptr) lint::apply_waivers(judge_.base->waivers(), session.sources(), results);
  lint::propose_waivers(linted.proposed_waivers, session.sources(), results);
  lint::propose_waivers(judge.base->proposed_waivers(), session.sources(), results);
  review::add_findings(results, session.sources(), workloads);
  for (review::Workload& w : workloads)
    for (const Unjudged& one : linted.unjudged)
      if (one.subject == w.id) w.unjudged.push_back(one.path);
  out.added = std::move(linted.added);
  for (std::size_t i = 0; i < workloads.size(); ++i) (*out.workloads)[i].workload = std::move(workloads[i]);
  return out;
}

std::vector<Evaluated> Evaluator::plan(Session& session, const Judge& judge) {
  std::vector<Evaluated> out;
  std::optional<OwnSetting> own;
  const bool any = !session.module().workloads.empty();
  if (!any || (session.has_site() && !(own = judge.base->setting_of(session, session.inputs().files[0])))) return out;
  const Setting& setting = own ? own->setting : judge.base->setting();
  for (const model::Workload& workload : session.module().workloads) {
    plan::PlanRequest request = request_for(&workload, session, setting);
    request.site_given = own || judge.base->site() != nullptr;
    out.push_back(evaluated(workload, request, session.sources()));
    out.back().workload.own_site = own.has_value();
  }
  return out;
}

EvaluatedFile Evaluator::raw(const std::string& path, std::string text, FileKind of) const {
  Sources& sources = judge_.session->sources();
  const std::uint32_t number = sources.add(path, std::move(text));
  Diagnostics found;
  lint::Overlays overlays;
  if (of != FileKind::script) read_overlays({{path, true}}, side_.from, sources, overlays);
  std::optional<std::vector<review::Workload>> read;
  if (of == FileKind::script)
    read = {
        review::read_script(sources, number, judge_.base->site(), judge_.base->fleet(), judge_.base->fleet_state())};
  else
    read = review::read_manifests(sources, number, judge_.base->site(), judge_.base->fleet(), found, &overlays,
                                  judge_.base->fleet_state());
  if (!read) {
    const std::string why = "it is a template; review the rendered manifest instead";
    EvaluatedFile out{std::nullopt, why};
    out.account = lint::Account{path, lint::Fate::templated, why};
    return out;
  }
  std::vector<review::Workload>& workloads = *read;
  if (found.has_errors()) return left_out(path, found.sorted());
  EvaluatedFile out{std::vector<Evaluated>(workloads.size())};
  add_findings(path, number, of == FileKind::script ? lint::Input::script : lint::Input::manifest, overlays, found,
               std::move(workloads), out);
  return out;
}

EvaluatedFile Evaluator::imported(const std::string& path, std::string text) const {
  const std::uint32_t number = judge_.session->sources().add(path, text);
  Inputs options;
  options.from = side_.from;
  options.files = {path};
  options.input = std::move(text);
  options.as_of = settings_.as_of;
  options.existing = Existing::as_read;
  Session session(options, *judge_.session);
  session.lay_under(judge_.session->site_block());
  const Setting& setting = judge_.base->setting();
  if (session.load()) session.read_existing(*setting.site, setting.fleet);
  if (session.diagnostics().has_errors()) return left_out(path, session.diagnostics().sorted());
  EvaluatedFile out{plan(session, judge_)};
  std::vector<review::Workload> workloads;
  for (Evaluated& e : *out.workloads) {
    leave_imported_lines(path, e.workload);
    workloads.push_back(std::move(e.workload));
  }
  Diagnostics found;
  add_findings(path, number, lint::Input::script, {}, found, std::move(workloads), out);
  return out;
}

void Evaluator::add_findings(const std::string& path, std::uint32_t file, lint::Input kind,
                             const lint::Overlays& overlays, Diagnostics& found,
                             std::vector<review::Workload> workloads, EvaluatedFile& out) const {
  const Sources& sources = judge_.session->sources();
  lint::CheckSettings how = check_settings(judge_);
  how.context.overlays = &overlays;
  std::vector<lint::Suppression> before;
  if (judge_.gate) before = judge_.gate->from.suppressions(path, side_.from, kind), how.before = &before;
  auto results = lint::check_file(file, kind, how, found, judge_.gate ? &out.added : nullptr, &out.account.emplace());
  lint::apply_waivers(judge_.base->waivers(), sources, results);
  lint::propose_waivers(judge_.base->proposed_waivers(), sources, results);
  review::add_findings(results, sources, workloads);
  for (std::size_t i = 0; i < workloads.size(); ++i) (*out.workloads)[i].workload = std::move(workloads[i]);
}

}  // namespace muster::driver
