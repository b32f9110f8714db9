#include "driver/lint_specs.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "compiler/base/text.h"
#include "compiler/model/module.h"
#include "compiler/sema/expand/expand.h"
#include "compiler/syntax/ast.h"
#include "compiler/twin/twin.h"
#include "driver/choose.h"
#include "driver/lint_allows.h"
#include "driver/lint_anchors.h"
#include "driver/lint_rule_files.h"
#include "driver/other_machines.h"
#include "lint/diagnosed.h"
#include "lint/proposed.h"
#include "lint/rules/site/site.h"
#include "lint/rules/spec/spec.h"
#include "lint/target_block/reduced.h"
#include "lint/target_block/target_block.h"
#include "lint/waive.h"

namespace muster::driver {
namespace {

using lint::Finding;

// Each template is made with all of its file around it: without a bound the square of a hostile file.
constexpr std::size_t max_templates = 256;

// A template, or the file itself, before its parameters are filled in.
struct Offer {
  std::string name;  // "": the file
  Span span;
  std::vector<std::string_view> lacking;  // parameters without a default
};

Offer offer_of(std::string name, Span span, const std::vector<ast::Signature>& parameters) {
  Offer out{std::move(name), span, {}};
  for (const ast::Signature& p : parameters)
    if (!p.fallback) out.lacking.push_back(p.name.text);
  return out;
}

class SpecFile {
 public:
  SpecFile(const Inputs& options, LintBase& base, bool own_policy)
      : options_(options), base_(base), session_(options, base.session()) {
    out_.file = static_cast<std::uint32_t>(base.session().sources().count()) + 1;
    session_.lay_under(base.session().site_block());
    if (!own_policy) session_.without_own_policy();
  }

  LintedSpec run() {
    if (session_.parse()) {
      read_placed();
      check();
    }
    take("");
    read_comments();
    return std::move(out_);
  }

 private:
  // What the file and those that it imports allow at its place; what is wrong with an imported one is reported where
  // that is linted.
  void read_placed() {
    const ast::File& own = session_.files().front();
    lint::Suppressions& out = out_.suppressions;
    read_placed_allows(own, false, out);
    out_.offered = offered_templates(own);
    read_marks();
    for (const ast::Template& t : own.templates) out_.templates.push_back(t.span);
    for (const ast::File& file : session_.files()) {
      if (file.file == out_.file) continue;
      out_.imported.push_back(file.file);
      lint::Suppressions theirs = lint::read_comments(session_.sources(), file.file, lint::Input::muster);
      read_placed_allows(file, true, theirs);
      for (lint::Suppression& s : theirs.items) s.elsewhere = true, out.items.push_back(std::move(s));
    }
  }

  // What of it does not count, since the tree of --policy-from does not have it.
  void read_marks() {
    const PolicyFrom* from = base_.policy_from();
    if (from == nullptr) return;
    for (const ast::File& file : session_.files()) {
      auto marked = from->marked(file, session_);
      marks_.insert(marks_.end(), marked.begin(), marked.end());
    }
    out_.added = lint::added_by(marks_, session_.sources());
  }

  void check() {
    const ast::File& file = session_.files().front();
    const Offer whole = offer_of("", file.parameters.empty() ? Span{} : file.parameters[0].span, file.parameters);
    std::vector<Offer> templates;
    for (const ast::Block& block : file.blocks)
      if (block.kind.text == "workload") blocks_[block.span.begin] = block.span.end;
    for (const ast::Template& t : file.templates) templates.push_back(offer_of(t.name.text, t.name.span, t.parameters));
    if (!whole.lacking.empty()) return unjudged(whole);
    if (!(templates.empty() ? session_.check() : session_.check_with({}, ""))) return;
    check_module();
    for (const Offer& t : std::span(templates).first(std::min(templates.size(), max_templates))) check_template(t);
    if (templates.size() <= max_templates || session_.diagnostics().has_errors()) return;
    unjudged(templates[max_templates], "it and what follows are judged where they are made: lint makes " +
                                           std::to_string(max_templates) + " templates of a file, which has " +
                                           std::to_string(templates.size()));
  }

  void read_comments() {
    lint::Suppressions comments = lint::read_comments(session_.sources(), out_.file, lint::Input::muster);
    lint::Suppressions& out = out_.suppressions;
    std::move(comments.items.begin(), comments.items.end(), std::back_inserter(out.items));
    std::move(comments.findings.begin(), comments.findings.end(), std::back_inserter(out.findings));
    mark_as(marks_, out.items);
    const auto used = lint::added_by(out.items, session_.sources());
    out_.added.insert(out_.added.end(), used.begin(), used.end());
  }

  void check_template(const Offer& offer) {
    if (session_.diagnostics().has_errors()) return;
    const auto makes = [&](const ast::Block& block) {
      return block.from && !block.from->module && block.from->base.text == offer.name;  // not another library's
    };
    const auto& blocks = session_.files().front().blocks;
    if (!offer.lacking.empty()) return std::any_of(blocks.begin(), blocks.end(), makes) ? void() : unjudged(offer);
    take("");
    if (session_.check_template(offer.name)) check_workloads();
  }

  void unjudged(const Offer& offer) {
    const std::string what = offer.name.empty() ? "the file" : "template `" + offer.name + "`";
    unjudged(offer,
             what + " says nothing of " + quoted_list(offer.lacking) + ": what it makes is judged where it is made");
  }

  void unjudged(const Offer& offer, std::string why) {
    out_.findings.push_back(lint::unclear(lint::RuleId::template_unjudged, offer.span, std::move(why)));
    out_.findings.back().subject = "template/" + offer.name;
  }

  // Sites, fleets and rules; then the workloads.
  void check_module() {
    const model::Module& module = session_.module();
    for (const model::Policy& policy : module.policies) {
      if (policy.span.file != out_.file) continue;
      if (!lint::know_waived_rules(policy.waivers, session_.diagnostics())) return;
      for (Finding& f : check_rule_file(policy, options_.files[0], session_)) out_.findings.push_back(std::move(f));
      if (base_.before() == nullptr) continue;
      if (auto f = check_step(policy, options_.files[0], *base_.before(), session_)) out_.findings.push_back(*f);
    }
    for (const model::Site& site : module.sites) {
      if (site.span.file != out_.file) continue;
      read_allows(site.allows, "site/" + site.name, "", true, out_.suppressions);
      check_site(site);
    }
    for (const model::Fleet& fleet : module.fleets) {
      if (fleet.span.file != out_.file) continue;
      read_allows(fleet.allows, "fleet/" + fleet.name, "", true, out_.suppressions);
      for (const model::Pool& pool : fleet.pools)
        read_allows(pool.allows, "pool/" + pool.name, "", true, out_.suppressions);
      for (Finding& f : lint::check_fleet(fleet)) out_.findings.push_back(std::move(f));
    }
    check_workloads();
  }

  // Under the policy that the site puts in force.
  void check_site(const model::Site& site) {
    if (session_.diagnostics().has_errors()) return;
    const auto own = base_.setting_of(session_, options_.files[0]);
    if (!own) return;
    const auto& fleets = session_.module().fleets;
    const auto fleet = std::find_if(fleets.begin(), fleets.end(),
                                    [&](const model::Fleet& f) { return site.fleet && f.name == site.fleet->value; });
    for (Finding& f :
         lint::check_site(session_.sources(), site, fleet == fleets.end() ? nullptr : &*fleet, own->setting.policy))
      out_.findings.push_back(std::move(f));
  }

  void check_workloads() {
    if (session_.module().workloads.empty() || session_.diagnostics().has_errors()) return;
    take("");
    std::optional<OwnSetting> own;
    if (session_.has_site() && !(own = base_.setting_of(session_, options_.files[0]))) return;
    const Setting& setting = own ? own->setting : base_.setting();
    if (own) take_over(*own);
    const bool given = own || base_.site() != nullptr;
    lint::Context context{session_.sources(), given ? setting.site : nullptr, given ? setting.fleet : nullptr,
                          own ? 0 : base_.files()};
    if (given) context.state = setting.state.get();
    for (const model::Workload& workload : session_.module().workloads) {
      plan::PlanRequest request = request_for(&workload, session_, setting);
      request.site_given = given;
      check_workload(request, context, setting.policy);
    }
  }

  // What a site of the file's own accepts.
  void take_over(const OwnSetting& own) {
    const Setting& setting = own.setting;
    read_allows(setting.site->allows, "", "", true, out_.suppressions);
    if (setting.fleet != nullptr) read_allows(setting.fleet->allows, "", "", true, out_.suppressions);
    if (!lint::know_waived_rules(setting.policy.waivers, session_.diagnostics())) return;
    out_.waivers = setting.policy.waivers;
    out_.proposed_waivers = own.proposed;
    lint::add_waivers(out_.proposed_waivers, session_.sources(), out_.added);
  }

  void check_workload(const plan::PlanRequest& request, const lint::Context& context, const model::Policy& policy) {
    const model::Workload& workload = *request.workload;
    Diagnostics& diagnostics = session_.diagnostics();
    const std::size_t before = diagnostics.size();
    const Chosen chosen = chosen_for(request, context, diagnostics);
    const plan::PlanResult& result = chosen.result;
    if (result.plan && may_start(*result.plan, diagnostics)) report_refusal(chosen, diagnostics);
    session_.label_origin(workload, before);
    take(workload.id);
    allow(workload, result);
    if (!workload.options.empty() && !result.plan) out_.unjudged.push_back({workload.id, ""});
    if (workload.options.empty()) check_rules({context, workload, request, result, policy, out_.findings}, true);
    const auto is_taken = [&](const model::Workload& option) {
      return result.plan && result.plan->workload == &option;
    };
    for (const bool taken : {true, false})  // what two of them have in common counts as that of the taken one
      for (const model::Workload& option : workload.options)
        if (is_taken(option) == taken) check_option(request, option, taken, context, policy);
  }

  // The plane is the one that `muster compile` would take. What the built-in site refuses is not reported: it says too
  // little.
  static Chosen chosen_for(const plan::PlanRequest& request, const lint::Context& context, Diagnostics& diagnostics) {
    targets::LowerOptions options;
    options.asks = targets::LowerOptions::Asks::whether;
    options.one_reason = context.site == nullptr;
    Chosen out = choose(request, options, nullptr, diagnostics);
    if (context.site == nullptr) out.reports = {};
    return out;
  }

  // What `muster compile` refuses: a field that no target can carry.
  static void report_refusal(const Chosen& chosen, Diagnostics& diagnostics) {
    for (Diagnostic& d : chosen.reports.sorted())
      if (d.severity() == Severity::error) diagnostics.add(std::move(d));
  }

  // DEC007: a workload that is decided and placed for other machines than its own words ask for.
  static void check_machines(const lint::SpecScene& scene) {
    const std::string why = other_machines(scene.workload, scene.result, scene.context.sources);
    if (why.empty()) return;
    const auto& blocks = scene.workload.targets;
    const targets::Target* target = targets::find_target(scene.result.plan->decision.target);
    const auto block =
        std::find_if(blocks.begin(), blocks.end(), [&](const auto& b) { return lint::carries(*target, b); });
    Finding& f =
        scene.wrong_at(lint::RuleId::contradictory_facts, block->span, {model::Field::target, block->target}, why);
    f.notes.push_back("say it by the keys of the workload: `nodes`, `gpus`, `replicas`");
  }

  void check_rules(const lint::SpecScene& scene, bool taken) {
    lint::read_target_block_allows(scene, out_.suppressions);
    if (taken) check_machines(scene);
    for (std::string& path : lint::check_workload(scene))
      if (taken) out_.unjudged.push_back({scene.workload.id, std::move(path)});
  }

  // Of `any-of` each option is looked at as if it were the only one; one that is passed over breaks nothing.
  void check_option(plan::PlanRequest request, const model::Workload& option, bool taken, const lint::Context& context,
                    const model::Policy& policy) {
    request.workload = &option;
    Diagnostics ignored;  // of the option that is taken it was reported before
    const plan::PlanResult result = chosen_for(request, context, ignored).result;
    const std::size_t before = out_.findings.size();
    check_rules({context, option, request, result, policy, out_.findings}, taken);
    allow(option, result);
    if (taken) return;
    for (Finding& f : std::span(out_.findings).subspan(before)) {
      f.severity = std::max(f.severity, Severity::warning);
      f.notes.push_back("option `" + option.option + "` is not the one that is taken");
    }
  }

  // What the workload, its roles and the pools that they are placed on accept.
  void allow(const model::Workload& workload, const plan::PlanResult& result) {
    const auto place = [](const model::Allow& a) { return std::pair(a.span.file, a.span.begin); };
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<const model::Role*>> roles_with;
    for (const model::Role& role : workload.roles)
      for (const model::Allow& a : role.allows) roles_with[place(a)].insert(&role);
    for (const model::Role& role : workload.roles)
      for (const model::Allow& a : role.allows) {
        const bool of_all = roles_with[place(a)].size() == workload.roles.size();
        const std::string path = of_all ? "" : "role." + role.name + ".";
        if (allowed_.insert({workload.id, path, a.span.file, a.span.begin}).second)
          read_allows(std::span(&a, 1), workload.id, path, a.span.file != out_.file, out_.suppressions);
      }
    if (!result.plan) return;
    for (const plan::RolePlan& role : result.plan->roles)
      if (role.pool != nullptr) read_allows(role.pool->allows, workload.id, "", true, out_.suppressions);
  }

  // The workloads of the file by where they are in it.
  std::map<std::uint32_t, std::string_view> workloads_by_place() const {
    std::map<std::uint32_t, std::string_view> out;
    for (const model::Workload& w : session_.module().workloads)
      if (w.span.file == out_.file) out.emplace(w.span.begin, w.id);
    return out;
  }

  // The id of the workload in whose block a place lies; "" if it lies in none.
  std::string workload_at(Span place, const std::map<std::uint32_t, std::string_view>& workloads) const {
    const auto after = blocks_.upper_bound(place.begin);
    if (place.file != out_.file || after == blocks_.begin()) return "";
    const auto [begin, end] = *std::prev(after);
    const auto inside = workloads.upper_bound(begin);
    const bool found = place.begin < end && inside != workloads.end() && inside->first < end;
    return found ? std::string(inside->second) : "";
  }

  // What was reported since the last time, as findings about `subject`; "": about the workload that they lie in.
  void take(const std::string& subject) {
    const auto fresh = session_.diagnostics().since(taken_);
    if (fresh.empty()) return;
    const auto workloads = subject.empty() ? workloads_by_place() : std::map<std::uint32_t, std::string_view>();
    for (const Diagnostic& d : fresh) {
      const bool fault = d.severity() == Severity::error && error_kind(d.code) != ErrorKind::answer;
      Finding f = lint::from_diagnostic(d, fault, subject.empty() ? workload_at(d.primary, workloads) : subject);
      if (!f.primary.known()) f.primary = {out_.file, 0, 0};
      out_.findings.push_back(std::move(f));
      if (fault) out_.faults.push_back(d);
    }
    taken_ = session_.diagnostics().size();
  }

  const Inputs& options_;
  LintBase& base_;
  std::vector<lint::Suppression> marks_;
  Session session_;
  LintedSpec out_;
  std::map<std::uint32_t, std::uint32_t> blocks_;  // of the workloads: from where to where
  // `allow` blocks that were read: for whom, of which paths, and where they stand.
  std::set<std::tuple<std::string, std::string, std::uint32_t, std::uint32_t>> allowed_;
  std::size_t taken_ = 0;
};

LintedSpec linted(const std::string& path, std::string text, const Files& from, LintBase& base, bool own_policy) {
  Inputs options = base.session().inputs();
  options.from = from;
  options.files = {path};
  options.input = std::move(text);
  options.site_file.clear();
  options.root.clear();  // of the policy: the file has its own
  LintedSpec out = SpecFile(options, base, own_policy).run();
  out.suppressions.items.insert(out.suppressions.items.end(), base.accepted().begin(), base.accepted().end());
  return out;
}

}  // namespace

bool is_spec(std::string_view path, std::string_view text) {
  return path.ends_with(".muster") || twin::form_of(path, text) != twin::Form::muster;
}

LintedSpec lint_spec(const std::string& path, std::string text, const Files& from, LintBase& base) {
  return linted(path, std::move(text), from, base, true);
}

LintedSpec lint_spec_for(const std::string& path, std::string text, const Files& from, LintBase& base) {
  return linted(path, std::move(text), from, base, false);
}

}  // namespace muster::driver
