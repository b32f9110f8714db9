#include "lint/waive.h"

#include <algorithm>
#include <map>

#include "compiler/base/text.h"

namespace muster::lint {
namespace {

bool covers(const model::Waiver& waiver, const Finding& finding, const Sources& sources) {
  return waiver.subject.empty() || matches(waiver.subject, sources.name(finding.primary.file)) ||
         matches(waiver.subject, finding.subject);
}

// Calls `accept` with each open result that a waiver covers and the reason of the first that does.
template <class Accept>
void each_waived(std::span<const model::Waiver> waivers, const Sources& sources, std::vector<Result>& results,
                 Accept accept) {
  std::map<RuleId, std::vector<const model::Waiver*>> by_rule;
  for (const model::Waiver& waiver : waivers)
    if (const Rule* rule = find_rule(waiver.code))
      by_rule[static_cast<RuleId>(rule - all_rules().data())].push_back(&waiver);
  for (Result& result : results) {
    const model::Waiver* first = nullptr;  // as they are written
    for (const auto& [rule, all] : by_rule) {
      if (result.state != State::open || !is_of(result.finding, rule)) continue;
      const auto covering = std::find_if(all.begin(), all.end(), [&](const model::Waiver* waiver) {
        return covers(*waiver, result.finding, sources);
      });
      if (covering != all.end() && (first == nullptr || *covering < first)) first = *covering;
    }
    if (first == nullptr) continue;
    accept(result,
           first->reason + " (waived by " + first->layer + ": " + first->owner + ", until " + first->expires + ")");
  }
}

}  // namespace

bool know_waived_rules(std::span<const model::Waiver> waivers, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  for (const model::Waiver& waiver : waivers) {
    if (find_rule(waiver.code) != nullptr) continue;
    Diagnostic& d =
        diagnostics.add(Code::unknown_name, waiver.span, "unknown lint rule `" + printable(waiver.code) + "`");
    const std::string near = nearest_rule(waiver.code);
    if (!near.empty()) d.fixes.push_back({waiver.span, near, "did you mean `" + near + "`?", false});
  }
  return diagnostics.size() == before;
}

bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = pattern.npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;  // it takes nothing, and one byte more each time that the rest fails
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

void apply_waivers(std::span<const model::Waiver> waivers, const Sources& sources, std::vector<Result>& results) {
  each_waived(waivers, sources, results, [](Result& result, std::string reason) {
    result.state = State::suppressed;
    result.reason = std::move(reason);
  });
}

void propose_waivers(std::span<const model::Waiver> waivers, const Sources& sources, std::vector<Result>& results) {
  each_waived(waivers, sources, results, propose);
}

}  // namespace muster::lint
