#include "driver/choose.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/base/text.h"
#include "targets/kubernetes/kinds.h"

namespace muster::driver {
namespace {

// Whether the plane declares operators, but not that of the target.
bool lacks_operator(const model::Plane& plane, std::string_view target) {
  const targets::kubernetes::Kind* kind = targets::kubernetes::kind_of_target(target);
  if (kind == nullptr || kind->operator_name.empty() || plane.pods() == nullptr) return false;
  return !plane.pods()->operators.empty() && !plane.pods()->has_operator(kind->operator_name);
}

// Those of a plan, in the order in which they are tried: the preferred one, and others that the plane has.
std::vector<std::string> targets_of(const plan::Plan& plan, const targets::Target* only) {
  if (only != nullptr) return {std::string(only->name)};
  std::vector<std::string> out = plan.decision.targets;
  for (std::size_t i = out.size(); i-- > 1;)
    if (lacks_operator(*plan.plane, out[i])) out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
  return out;
}

std::string first_error(const Diagnostics& reports) {
  for (const Diagnostic& d : reports.sorted())
    if (d.severity() == Severity::error) return d.message;
  return {};
}

// What is required is that of the target: an operator that it does not use is not.
void name_target(const targets::Target& target, plan::Decision& decision) {
  decision.target = target.name;
  const auto of_another = [&](const plan::Choice& c) {
    return c.output == "requires" && c.value != target.name && targets::find_target(c.value) != nullptr;
  };
  std::erase_if(decision.requires_, of_another);
  std::erase_if(decision.choices, of_another);
}

// Lowers a plan for the first target that takes it; where it does not fit, for the first target alone. False: nothing
// can be written; `refusals` says which targets of a plan that fits refused.
bool lower_plan(Chosen& chosen, const targets::LowerOptions& options, const targets::Target* only,
                std::vector<plan::Refusal>& refusals) {
  plan::Plan& plan = *chosen.result.plan;
  const bool fits = plan::startable(plan.fit) != plan::Verdict::does_not_fit;
  for (const std::string& name : targets_of(plan, only)) {
    const targets::Target* target = targets::find_target(name);
    if (target == nullptr) {
      if (fits) refusals.push_back({plan.workload, plan.plane, name, "this version of muster does not write it"});
      continue;
    }
    Diagnostics reports;
    targets::LowerOptions of_this = options;
    // Of the first, whose file it would be, all reasons are kept.
    of_this.one_reason &= options.asks == targets::LowerOptions::Asks::whether || chosen.target != nullptr;
    targets::Lowered lowered = targets::lower(*target, plan, of_this, reports);
    const bool taken = !reports.has_errors();
    if (!taken && fits) refusals.push_back({plan.workload, plan.plane, name, first_error(reports)});
    if (!taken && chosen.target != nullptr) continue;
    chosen.target = target, chosen.lowered = std::move(lowered), chosen.reports = std::move(reports);
    if (!fits) return false;
    if (!taken) continue;
    if (only == nullptr) name_target(*target, plan.decision);
    for (const plan::Refusal& refusal : refusals)
      if (refusal.workload == plan.workload && refusal.plane == plan.plane)
        chosen.result.skipped.push_back({plan.plane->name, "", refusal.target, refusal.why});
    return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> reasons_of(std::span<const plan::Skipped> candidates) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const plan::Skipped& s : candidates) {
    const auto same = std::find_if(by_reason.begin(), by_reason.end(), [&](const auto& r) { return r.first == s.why; });
    if (same != by_reason.end()) same->second.push_back(s.candidate());
    else by_reason.push_back({s.why, {s.candidate()}});
  }
  std::vector<std::string> out;
  for (const auto& [why, who] : by_reason) {
    const std::string more = who.size() > 1 ? " and " + counted(static_cast<long long>(who.size() - 1), "other") : "";
    out.push_back(who.front() + more + ": " + why);
  }
  return out;
}

Chosen choose(const plan::PlanRequest& asked, const targets::LowerOptions& options, const targets::Target* only,
              Diagnostics& diagnostics) {
  plan::PlanRequest request = asked;
  if (only != nullptr) request.plane_kind = only->capabilities.plane;
  std::optional<Chosen> first;
  while (true) {
    Chosen chosen;
    Diagnostics reports;
    chosen.result = plan::make_plan(request, reports);
    const bool placed = chosen.result.plan && plan::is_placed(*chosen.result.plan);
    const std::size_t before = request.refusals.size();
    chosen.written = placed && lower_plan(chosen, options, only, request.refusals);
    if (first && !chosen.written) first->result.skipped = chosen.result.skipped;  // all that were asked so far
    if (!first || chosen.written) {
      for (Diagnostic& d : reports.sorted()) diagnostics.add(std::move(d));
      first = std::move(chosen);
    }
    // A plane that cannot be written for is not asked again, so this ends.
    if (first->written || request.refusals.size() == before) break;
  }
  return std::move(*first);
}

}  // namespace muster::driver
