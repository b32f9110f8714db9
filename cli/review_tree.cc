#include "cli/review_tree.h"

#include <algorithm>
#include <cstdio>

#include "cli/lint_specs.h"
#include "cli/render.h"
#include "compiler/sema/check/to_syntax.h"
#include "compiler/syntax/format.h"
#include "lint/check.h"
#include "lint/waive.h"
#include "plan/decide.h"
#include "review/describe.h"
#include "review/documents.h"
#include "targets/target.h"

namespace muster::cli {
namespace {

// Whether each role has what a target needs to know of its machines.
bool placed(const plan::Plan& plan) {
  const auto has_pool = [&](const plan::RolePlan& role) { return plan.fleet == nullptr || role.pool != nullptr; };
  return plan.plane != nullptr && std::all_of(plan.roles.begin(), plan.roles.end(), has_pool);
}

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
  Diagnostics planned, lowered;
  const auto result = plan::make_plan(request, planned);
  Evaluated out{review::describe(workload, result, sources), {}};
  if (!result.plan) return out;
  const plan::Plan& plan = *result.plan;
  out.facts = plan::declared_facts(*request.policy, plan.facts);
  const targets::Target* target = targets::find_target(plan.decision.target);
  if (target == nullptr || !placed(plan)) return out;
  targets::LowerOptions options;
  options.names = targets::Names::fixed;
  const targets::Lowered written = targets::lower(*target, plan, options, lowered);
  if (may_start(plan, planned) && !lowered.has_errors()) review::add_documents(written, out.workload);
  for (const Diagnostic& d : lowered.sorted())
    out.workload.findings.push_back(review::finding_of(d, workload.id, sources));
  return out;
}

Evaluated evaluated(const model::Workload& workload, const plan::PlanRequest& request, const Sources& sources) {
  Evaluated out = planned_and_written(workload, request, sources);
  if (out.workload.objects.empty()) add_as_read(workload, out.workload);
  return out;
}

void say(const Diagnostic& d, const Sources& sources, const std::string& how) {
  std::fputs((how == "json"    ? render_json(d, sources)
              : how == "short" ? render_short(d, sources)
                               : render_human(d, sources, colour_wanted(stderr)))
                 .c_str(),
             stderr);
}

}  // namespace

std::optional<Judge> make_judge(const std::string& file, const std::filesystem::path& folder,
                                const ReviewSettings& settings) {
  const InFolder here(folder);
  LintOptions options;
  options.site_file = file;
  options.as_of = settings.as_of;
  options.diagnostics = settings.diagnostics;
  Judge out;
  out.session = std::make_unique<Session>(base_options(options));
  out.base = std::make_unique<LintBase>(*out.session);
  if (!out.base->load(options)) {
    out.session->finish();
    return std::nullopt;
  }
  const lint::PolicyName& policy = out.base->policy();
  out.policy = {out.base->setting().site->name, policy.name, policy.version, policy.sha256, 0};
  return out;
}

lint::CheckSettings Evaluator::check_settings() const {
  LintBase& base = *judge_.base;
  return {
      {base.session().sources(), base.site(), base.fleet()}, settings_.selection, settings_.as_of, 0, base.accepted()};
}

EvaluatedFile Evaluator::evaluate(const std::string& path) const {
  const auto found = side_.files.find(path);
  if (found == side_.files.end() || found->second.kind == FileKind::other) return {std::vector<Evaluated>(), {}, 0};
  if (found->second.too_large) return {std::nullopt, "it is over 4 MiB", 2};
  const InFolder here(side_.root);
  EvaluatedFile out = found->second.kind == FileKind::spec ? specs(path, found->second) : raw(path, found->second);
  if (out.workloads)
    for (Evaluated& e : *out.workloads) {
      e.workload.file = path;
      e.workload.site = judge_.label;
    }
  return out;
}

// Reports what is wrong, and of which side.
EvaluatedFile Evaluator::left_out(const std::string& path, std::vector<Diagnostic> faults) const {
  EvaluatedFile out{std::nullopt, {}, 2};
  for (Diagnostic& d : faults) {
    if (d.severity() != Severity::error) continue;
    if (out.why.empty()) out.why = std::string(info(d.code).id) + " " + d.message;
    out.code = std::max(out.code, exit_code(d.code));
    d.notes.push_back("`" + path + "` of " + side_.name + " is left out of the review");
    if (!silent_) say(d, judge_.session->sources(), settings_.diagnostics);
  }
  return out;
}

EvaluatedFile Evaluator::specs(const std::string& path, const SideFile& file) const {
  LintedSpec linted = lint_spec(path, file.text, *judge_.base);
  if (!linted.faults.empty()) return left_out(path, std::move(linted.faults));
  CommonOptions options;
  options.files = {path};
  options.as_of = settings_.as_of;
  Session session(options, judge_.session->sources());
  session.lay_under(judge_.session->site_block());
  EvaluatedFile out{std::vector<Evaluated>(), {}, 0};
  if (!session.load()) return out;  // it only offers templates whose parameters somebody else gives
  out.workloads = plan(session);
  std::vector<review::Workload> workloads;
  for (Evaluated& e : *out.workloads) workloads.push_back(std::move(e.workload));
  auto results = lint::judge(std::move(linted.findings), std::move(linted.suppressions), check_settings());
  lint::apply_waivers(session.has_site() ? linted.waivers : judge_.base->waivers(), session.sources(), results);
  review::add_findings(results, session.sources(), workloads);
  for (std::size_t i = 0; i < workloads.size(); ++i) (*out.workloads)[i].workload = std::move(workloads[i]);
  return out;
}

std::vector<Evaluated> Evaluator::plan(Session& session) const {
  std::vector<Evaluated> out;
  std::optional<Setting> own;
  if (session.module().workloads.empty() || (session.has_site() && !(own = make_setting(session)))) return out;
  const Setting& setting = own ? *own : judge_.base->setting();
  for (const model::Workload& workload : session.module().workloads) {
    plan::PlanRequest request = request_for(&workload, session, setting);
    request.site_given = own || judge_.base->site() != nullptr;
    request.state = own ? nullptr : judge_.base->state();
    out.push_back(evaluated(workload, request, session.sources()));
    if (own) out.back().facts.clear();  // other rules than the judge's
  }
  return out;
}

EvaluatedFile Evaluator::raw(const std::string& path, const SideFile& file) const {
  Sources& sources = judge_.session->sources();
  const std::uint32_t number = sources.add(path, file.text);
  Diagnostics found;
  std::vector<review::Workload> workloads;
  if (file.kind == FileKind::script)
    workloads.push_back(review::read_script(sources, number, judge_.base->site(), judge_.base->fleet()));
  else workloads = review::read_manifests(sources, number, found);
  if (found.has_errors()) return left_out(path, found.sorted());
  const auto kind = file.kind == FileKind::script ? lint::Input::script : lint::Input::manifest;
  auto results = lint::check_file(number, kind, check_settings(), found);
  lint::apply_waivers(judge_.base->waivers(), sources, results);
  review::add_findings(results, sources, workloads);
  EvaluatedFile out{std::vector<Evaluated>(), {}, 0};
  for (review::Workload& w : workloads) out.workloads->push_back({std::move(w), {}});
  return out;
}

}  // namespace muster::cli
