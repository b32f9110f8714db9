#include "plan/decide/decide.h"

#include <algorithm>
#include <variant>

#include "compiler/base/text.h"
#include "compiler/model/pods_target.h"

namespace muster::plan {
namespace {

using model::Plane;
using rules::EvaluationError;
using rules::NamedValue;
using rules::Outcome;

Code code_of(EvaluationError::Kind kind) {
  switch (kind) {
    case EvaluationError::Kind::unknown_fact: return Code::unknown_fact;
    case EvaluationError::Kind::bad_value:
    case EvaluationError::Kind::missing_fact: return Code::bad_fact;
    case EvaluationError::Kind::gap:
    case EvaluationError::Kind::overlap: break;
  }
  return Code::policy_broken;
}

void report(const EvaluationError& error, const model::Policy& policy, const Facts& facts, Diagnostics& diagnostics) {
  const Fact* fact = facts.find(error.subject);
  Diagnostic& diagnostic = diagnostics.add(code_of(error.kind), fact != nullptr ? fact->span : Span{}, error.text);
  if (fact != nullptr && !fact->reason.empty()) diagnostic.notes.push_back("source of the value: " + fact->reason);
  if (error.kind == EvaluationError::Kind::gap || error.kind == EvaluationError::Kind::overlap) {
    for (const model::Table& table : policy.tables) {
      if (table.name == error.subject && table.span.known()) diagnostic.labels.push_back({table.span, "the table"});
    }
  }
}

// False if a locked invariant is broken. One that is not locked is for the proof of the rule file.
bool keeps_locked(const model::Policy& policy, const Outcome& outcome, Diagnostics& diagnostics) {
  bool kept = true;
  for (const model::Invariant* invariant : rules::broken_invariants(policy, outcome)) {
    if (!invariant->locked) continue;
    kept = false;
    diagnostics.add(
        Code::policy_broken, invariant->span,
        "invariant `" + invariant->id + "` of profile `" + policy.name + "` is violated: " + invariant->text);
  }
  return kept;
}

std::string because(const model::Row& row, const Outcome& outcome) {
  std::vector<std::string_view> seen;
  std::string text;
  for (const model::Term& term : row.when) {
    if (std::find(seen.begin(), seen.end(), term.fact) != seen.end()) continue;
    seen.push_back(term.fact);
    text += (text.empty() ? "" : ", ") + rules::reading(term.fact, outcome);
  }
  return text.empty() ? "always" : text;
}

void add_choices(const rules::Fired& fired, const Outcome& outcome, Decision& decision) {
  const model::Row& row = *fired.row;
  for (const model::Assignment& set : row.sets) {
    Choice choice{set.output, model::to_string(set.value), row.id, row.reason, row.cite, because(row, outcome)};
    // Of a text put in front, the whole is the value.
    if (set.prepend) choice.value = model::to_string(*outcome.output(set.output));
    if (set.output == "requires") decision.requires_.push_back(choice);
    if (set.output == "advice") decision.advice.push_back(choice);
    decision.choices.push_back(std::move(choice));
  }
}

// Several rows may ask for the same thing: sorted by value, the first row's reason is kept.
void sort_by_value(std::vector<Choice>& choices) {
  const auto less = [](const Choice& a, const Choice& b) { return a.value < b.value; };
  const auto same = [](const Choice& a, const Choice& b) { return a.value == b.value; };
  std::stable_sort(choices.begin(), choices.end(), less);
  choices.erase(std::unique(choices.begin(), choices.end(), same), choices.end());
}

std::string output_text(const Outcome& outcome, std::string_view name) {
  const model::FactValue* value = outcome.output(name);
  return value != nullptr ? model::to_string(*value) : std::string();
}

// The first plane of the very kind, else the first of its family.
const Plane* plane_for(std::string_view control_plane, const model::Site& site) {
  const Plane* relative = nullptr;
  for (const Plane& plane : site.planes) {
    if (plane.traits().name == control_plane) return &plane;
    const bool related = plane.traits().in_rules == model::in_rules(control_plane);
    if (related && relative == nullptr) relative = &plane;
  }
  return relative;
}

// Without a named site the built-in one is used; its kinds say nothing.
bool is_unknown_site(const Facts& facts) {
  const Fact* existing = facts.find("existing");
  return existing != nullptr && existing->value == model::FactValue(std::string("unknown"));
}

// The answer bears the kind of the site's plane: k3s where the rules say kubernetes, or the reverse.
void name_kind(const Plane& plane, Decision& decision) {
  decision.control_plane = plane.traits().name;
  for (Choice& choice : decision.choices) {
    if (choice.output != "control-plane") continue;
    choice.value = decision.control_plane;
    // To the rules every batch system is what Slurm is.
    if (plane.batch() != nullptr && choice.reason.starts_with("Slurm "))
      choice.reason.replace(0, std::string_view("Slurm").size(), plane.traits().title);
  }
}

// What the rules require of Slurm itself is not for another batch system.
void drop_of_slurm(const Plane& plane, Decision& decision) {
  const model::PlaneTraits& kind = plane.traits();
  if (kind.family != model::PlaneFamily::batch || kind.name == kind.in_rules) return;
  const auto is_of_slurm = [](const Choice& choice) {
    return choice.output == "requires" && choice.value.find("slurm") != std::string::npos;
  };
  std::erase_if(decision.requires_, is_of_slurm);
  std::erase_if(decision.choices, is_of_slurm);
}

std::string_view chosen(const Decision& decision, std::string_view output) {
  for (const Choice& choice : decision.choices) {
    if (choice.output == output) return choice.value;
  }
  return {};
}

// Work of several pods that must start together. Policies without an output `coupled` are judged
// by the count of nodes.
bool is_coupled(const Decision& decision, const model::Workload& workload) {
  const std::string_view coupled = chosen(decision, "coupled");
  return coupled.empty() ? workload.main().nodes() > 1 : coupled != "none";
}

}  // namespace

std::vector<NamedValue> declared_facts(const model::Policy& policy, const Facts& facts) {
  std::vector<NamedValue> declared;
  for (const Fact& fact : facts.items) {
    if (policy.fact(fact.name) != nullptr) declared.push_back({fact.name, fact.value});
  }
  return declared;
}

std::optional<Outcome> evaluate(const model::Policy& policy, const Facts& facts, Diagnostics& diagnostics) {
  auto result = rules::evaluate(policy, declared_facts(policy, facts));
  if (const auto* error = std::get_if<EvaluationError>(&result)) {
    report(*error, policy, facts, diagnostics);
    return std::nullopt;
  }
  Outcome& outcome = std::get<Outcome>(result);
  if (!keeps_locked(policy, outcome, diagnostics)) return std::nullopt;
  return std::move(outcome);
}

std::optional<Decision> decide(const model::Policy& policy, const Facts& facts, const model::Site* site,
                               Diagnostics& diagnostics) {
  const std::optional<Outcome> outcome = evaluate(policy, facts, diagnostics);
  if (!outcome) return std::nullopt;
  Decision decision;
  decision.profile = policy.name;
  decision.profile_version = policy.version;
  decision.control_plane = decision.preferred = output_text(*outcome, "control-plane");
  decision.runtime = output_text(*outcome, "runtime");
  decision.layout = output_text(*outcome, "layout");
  for (const rules::Fired& fired : outcome->fired) add_choices(fired, *outcome, decision);
  sort_by_value(decision.requires_);
  sort_by_value(decision.advice);
  const Plane* plane = site != nullptr ? plane_for(decision.control_plane, *site) : nullptr;
  if (plane != nullptr) {
    decision.plane = plane->name;
    if (!is_unknown_site(facts)) name_kind(*plane, decision);
    drop_of_slurm(*plane, decision);
  }
  return decision;
}

std::vector<std::string> targets_of(const Decision& decision, const model::Workload& workload, const Plane* plane) {
  const model::PlaneTraits* kind = plane != nullptr ? &plane->traits() : model::find_plane_kind(decision.control_plane);
  if (kind == nullptr) return {};
  const bool ray = decision.runtime == "ray";
  if (kind->family != model::PlaneFamily::pods) {
    std::vector<std::string> out = {std::string(ray ? kind->ray_target : kind->target)};
    const bool runs_ray = model::pods_shape(workload).ray;
    if (runs_ray != ray) out.emplace_back(runs_ray ? kind->ray_target : kind->target);
    std::erase(out, std::string());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }
  model::PodsShape shape = model::pods_shape(workload);
  shape.ray = ray;
  shape.coupled = shape.trains && is_coupled(decision, workload);
  return model::pods_targets(shape, plane != nullptr && plane->pods() != nullptr ? *plane->pods() : model::PodPlane{});
}

}  // namespace muster::plan
