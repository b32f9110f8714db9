#include "cli/decide_report.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/model/plane_traits.h"
#include "driver/change.h"
#include "lint/fit_as_read.h"
#include "plan/decide/decide.h"
#include "plan/decide/facts.h"
#include "plan/steps/reliability.h"

namespace muster::cli {
namespace {

void add_choice(std::string& out, const plan::Choice& c) {
  out += "  " + padded(c.output, 17) + padded(c.value, 20) + padded(c.rule, 8) + c.reason + " [" + c.because + "]\n";
}

void add_facts(std::string& out, const plan::Facts& facts, const Sources& sources) {
  out += "  facts\n";
  for (const plan::Fact& f : facts.items) {
    const std::string place = sources.place(f.span);
    out += "    " + padded(f.name, 24) + padded(model::to_string(f.value), 12) +
           padded(std::string(plan::name(f.source)), 13) + f.reason + (place.empty() ? "" : " (" + place + ")") + "\n";
  }
}

// "the PodGroup's minMember is the whole gang; KubeRay 1.1 and later", "".
std::string conditions_of(const model::Addon& addon) {
  return addon.needs + (addon.needs.empty() || addon.versions.empty() ? "" : "; ") + addon.versions;
}

// What satisfies a requirement on one line; with `why` a line each, with what must hold besides.
void add_satisfiers(std::string& out, const plan::Choice& requirement, const model::Policy& policy, bool why) {
  const auto addons = addons_for(policy, requirement.value);
  if (addons.empty()) return;
  out += "    " + padded("satisfied by", 15);
  for (std::size_t i = 0; i < addons.size(); ++i) {
    const std::string conditions = conditions_of(*addons[i]);
    if (!why) out += (i == 0 ? "" : ", ") + addons[i]->name;
    else
      out += (i == 0 ? "" : std::string(20, ' ')) + addons[i]->name + (conditions.empty() ? "" : ": " + conditions) +
             " (" + addons[i]->source + ")" + (i + 1 < addons.size() ? "\n" : "");
  }
  out += "\n";
}

std::string heading(const std::string& title, const plan::Decision& d) {
  std::string out = title;
  if (!d.control_plane.empty()) out += ": " + d.control_plane;
  if (!d.plane.empty()) out += " (plane " + d.plane + ")";
  if (!d.runtime.empty()) out += ", runtime " + d.runtime + ", layout " + d.layout;
  if (!d.target.empty()) out += ", target " + d.target;
  return out + "   profile " + d.profile + " " + d.profile_version + "\n";
}

std::string satisfiers_markdown(const plan::Decision& d, const model::Policy& policy) {
  std::string rows;
  for (const plan::Choice& c : d.requires_)
    for (const model::Addon* addon : addons_for(policy, c.value))
      rows += "| " + c.value + " | " + addon->name + " | " + conditions_of(*addon) + " | " + addon->source + " |\n";
  if (rows.empty()) return {};
  return "| requires | satisfied by | where | source |\n|---|---|---|---|\n" + rows + "\n";
}

constexpr std::string_view not_checked = "the file and the fit, because only the rules were asked";

// Whether the row rests on a fact of the site that is not stated.
bool reads_site(const std::string& rule, const model::Policy& policy, const plan::Facts& facts) {
  const std::vector<std::string_view> of_site = plan::facts_of_site(facts);
  for (const model::Table& table : policy.tables)
    for (const model::Row& row : table.rows)
      if (row.id == rule)
        return std::any_of(row.when.begin(), row.when.end(), [&](const model::Term& term) {
          return std::find(of_site.begin(), of_site.end(), term.fact) != of_site.end();
        });
  return false;
}

// Whether the output tells something that the reader did not know.
bool is_telling(const plan::Choice& choice, const plan::Decision& d, const model::Policy& policy,
                const plan::Facts& facts) {
  if (choice.output == "requires") return true;
  constexpr std::string_view plain[][2] = {{"runtime", "native"}, {"layout", "single"}, {"coupled", "none"}};
  for (const auto& [output, value] : plain)
    if (choice.output == output) return choice.value != value;
  const plan::Fact* existing = facts.find("existing");
  const auto is = [&](const char* value) { return existing->value == model::FactValue(std::string(value)); };
  const bool new_site = existing == nullptr || is("unknown");
  // The author of a workload cannot change the site.
  if (choice.output == "advice") return new_site || !reads_site(choice.rule, policy, facts);
  if (choice.output == "greenfield-plane") return new_site;
  if (choice.output != "control-plane") return true;
  // A site of one plane leaves no choice, but it may not be the one that the rules prefer.
  return new_site || is("both") || model::in_rules(d.preferred) != model::in_rules(d.control_plane);
}

// The candidates that were passed over and why, without what the outlook says.
std::vector<std::string> passed_over(const Decided& decided) {
  std::vector<plan::Skipped> others;
  for (const plan::Skipped& s : decided.skipped)
    if (s.why != decided.outlook.why) others.push_back(s);
  return driver::reasons_of(others);
}

// The decision as far as `compile` follows it: what no target takes runs nowhere, and what does not fit is not written.
plan::Decision followed(const plan::Decision& decision, const Outlook& outlook) {
  plan::Decision out = decision;
  if (outlook.writes.value_or(true) || !outlook.written_for.empty()) return out;
  if (outlook.fits) out.control_plane = "none";
  out.plane.clear(), out.target.clear();
  return out;
}

FirstChoice first_choice(const Decided& decided) {
  const plan::Decision& d = decided.decision;
  if (d.plane.empty() || model::in_rules(d.preferred) == model::in_rules(d.control_plane)) return {};
  return {d.preferred, joined(driver::reasons_of(decided.skipped), "; ")};
}

std::string written_for_text(const Outlook& outlook) {
  return outlook.written_for.empty() ? "" : "  written for      " + outlook.written_for + "\n";
}

std::string outlook_text(const Outlook& outlook) {
  if (!outlook.written_for.empty() && outlook.fits) return written_for_text(outlook);
  if (!outlook.writes) return "  not checked      " + std::string(not_checked) + "\n";
  return written_for_text(outlook) +
         (*outlook.writes ? "" : (outlook.fits ? "  not written      " : "  does not fit     ") + outlook.why + "\n");
}

}  // namespace

Outlook outlook_of(const driver::Chosen& chosen) {
  if (chosen.written) return {true, true, {}};
  const plan::Plan& plan = *chosen.result.plan;
  for (const plan::Level* level : {&plan.fit.policy, &plan.fit.capacity})
    if (level->verdict == plan::Verdict::does_not_fit && level->certificate)
      return {false, false, level->certificate->text};
  for (const Diagnostic& d : chosen.reports.sorted())
    if (d.severity() == Severity::error) return {false, true, d.message};
  return {false, true, "the site has no plane that can run it"};
}

Asked ask(const plan::PlanRequest& request, bool rules_alone, Diagnostics& diagnostics, const targets::Target* only) {
  Asked out;
  if (rules_alone) {
    out.chosen.result = plan::make_plan(request, diagnostics);
    return out;
  }
  out.chosen = driver::choose(request, {}, only, diagnostics);
  if (!out.chosen.result.plan) return out;
  const plan::Plan& plan = *out.chosen.result.plan;
  out.outlook = outlook_of(out.chosen);
  out.outlook.change =
      out.chosen.written ? plan::change_for_failures(plan) : driver::change_for(request, nullptr, plan.fit, false);
  return out;
}

Asked ask_existing(const targets::AsRead& read, const plan::PlanRequest& request, Diagnostics& diagnostics) {
  Asked out;
  plan::PlanRequest fit = request;
  fit.policy = nullptr;
  plan::PlanResult here = lint::plan_as_read(read, fit);
  plan::Fit known = here.plan ? std::move(here.plan->fit) : lint::refused(*here.no_pool, read.workload);
  lint::limit_to_known(read, fit, known);
  Diagnostics reports;
  // Of a file for a system that the site lacks, it is not known what it asks for.
  if (!read.workload.roles.empty()) out.chosen.result = plan::make_plan(request, reports);
  if (!out.chosen.result.plan) out.chosen.result = lint::plan_as_read(read, request);
  if (!out.chosen.result.plan)
    diagnostics.add(Code::does_not_fit, read.workload.span,
                    "`" + read.workload.name + "` does not fit: " + out.chosen.result.no_pool->text);
  out.outlook.written_for = read.plane == nullptr
                                ? "no plane of this site"
                                : "plane " + read.plane->name + " (" + std::string(read.plane->traits().name) + ")";
  for (const plan::Level* level : {&known.policy, &known.capacity})
    if (level->verdict == plan::Verdict::does_not_fit && level->certificate)
      out.outlook = {false, false, level->certificate->text, out.outlook.written_for};
  out.outlook.change = driver::change_for(fit, &read, known, false);
  return out;
}

std::optional<FactsDecision> decide_facts(const std::vector<std::pair<std::string, std::string>>& stated,
                                          driver::Session& session, const driver::Setting& setting) {
  plan::FactRequest request;
  request.site = setting.site;
  request.site_given = session.site_given();
  request.fleet = setting.fleet;
  request.declared = setting.policy.facts;
  request.overrides = stated;
  FactsDecision out;
  out.facts = plan::derive_facts(request, session.diagnostics());
  if (session.diagnostics().has_errors()) return std::nullopt;
  auto decision = plan::decide(setting.policy, out.facts, setting.site, session.diagnostics());
  if (!decision) return std::nullopt;
  out.decision = std::move(*decision);
  return out;
}

std::string report_text(const std::string& title, const Decided& decided, const DecideAsk& ask,
                        Diagnostics& diagnostics) {
  const auto& [d, facts, policy, skipped, sources, outlook] = decided;
  std::string out = heading(title, followed(d, outlook)) + outlook_text(outlook);
  for (const plan::Choice& c : d.choices) {
    if (!ask.why && !is_telling(c, d, policy, facts)) continue;
    add_choice(out, c);
    if (c.output == "requires") add_satisfiers(out, c, policy, ask.why);
  }
  if (ask.why) add_facts(out, facts, sources);
  for (const std::string& reason : passed_over(decided)) out += "  passed over      " + reason + "\n";
  if (ask.more.asked()) out += why_text(policy, facts, first_choice(decided), ask.more, sources, diagnostics);
  if (!outlook.change.empty()) out += "  change           " + outlook.change + "\n";
  return out;
}

std::string report_markdown(const std::string& title, const Decided& decided, const DecideAsk& ask,
                            Diagnostics& diagnostics) {
  const auto& [d, facts, policy, skipped, sources, outlook] = decided;
  const plan::Decision shown = followed(d, outlook);
  std::string out = "### " + title + ": " + shown.control_plane +
                    (shown.target.empty() ? "" : ", target `" + shown.target + "`") + "\n\n";
  if (!outlook.written_for.empty()) out += "written for: " + outlook.written_for + "\n\n";
  if (!outlook.writes && outlook.written_for.empty()) out += "not checked: " + std::string(not_checked) + "\n\n";
  else if (!outlook.writes.value_or(true))
    out += (outlook.fits ? "not written: " : "does not fit: ") + outlook.why + "\n\n";
  out += "| output | value | rule | why |\n|---|---|---|---|\n";
  for (const plan::Choice& c : d.choices)
    out += "| " + c.output + " | " + c.value + " | " + c.rule + " | " + c.reason + " (" + c.because + ") |\n";
  out += "\n" + satisfiers_markdown(d, policy);
  const std::vector<std::string> others = passed_over(decided);
  for (const std::string& reason : others) out += "- passed over: " + reason + "\n";
  if (!others.empty()) out += "\n";
  if (ask.why) out += facts_markdown(facts, sources);
  if (ask.more.asked()) out += why_markdown(policy, facts, first_choice(decided), ask.more, sources, diagnostics);
  if (!outlook.change.empty()) out += "Change: " + outlook.change + "\n\n";
  return out;
}

Json report_json(const Decided& decided, const DecideAsk& ask, Diagnostics& diagnostics) {
  const auto& [d, facts, policy, skipped, sources, outlook] = decided;
  Json out = to_json(followed(d, outlook), policy);
  out["facts"] = to_json(facts, sources);
  out["writes"] = outlook.writes ? Json(*outlook.writes) : Json();
  out["why_not_written"] = outlook.why.empty() ? Json() : Json(outlook.why);
  if (!outlook.written_for.empty()) out["written_for"] = outlook.written_for;
  if (!outlook.change.empty()) out["change"] = outlook.change;
  for (const plan::Skipped& s : skipped)
    out["skipped"].push_back({{"plane", s.plane}, {"queue", s.queue}, {"target", s.target}, {"why", s.why}});
  if (ask.more.asked()) out.update(why_json(policy, facts, ask.more, sources, diagnostics));
  return out;
}

}  // namespace muster::cli
