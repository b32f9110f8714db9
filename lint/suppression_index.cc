#include "lint/suppression_index.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace muster::lint {
namespace {

std::string_view common_beginning(std::string_view a, std::string_view b) {
  const auto ends = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return a.substr(0, static_cast<std::size_t>(ends.first - a.begin()));
}

// The first as they are written; they are of one list.
void keep_first(const Suppression* s, const Suppression*& first) {
  if (s != nullptr && (first == nullptr || s < first)) first = s;
}

}  // namespace

struct SuppressionIndex::Found {
  const Suppression* accepted = nullptr;
  const Suppression* proposed = nullptr;
};

SuppressionIndex::SuppressionIndex(Suppressions& suppressions, std::string_view as_of) {
  using Place = std::tuple<std::uint32_t, std::uint32_t, bool>;  // begin, from the end, placed
  std::map<std::pair<RuleId, std::uint32_t>, std::map<Place, Group>> scopes;
  for (Suppression& s : suppressions.items) {
    const bool expired = !s.until.empty() && !as_of.empty() && s.until < as_of;
    if (s.block) add(s, expired, blocks_[{s.rule, s.subject, s.subject.empty() ? "" : std::string_view(s.path)}]);
    else add(s, expired, scopes[{s.rule, s.scope.file}][{s.scope.begin, ~s.scope.end, s.placed}]);
  }
  for (auto& [where, groups] : scopes) {
    Scopes& sorted = scopes_[where];
    std::size_t outer = 0;
    for (auto& [place, group] : groups) {
      const auto [begin, from_end, placed] = place;
      while (outer > 0 && sorted[outer - 1].end <= begin) outer = sorted[outer - 1].outer;
      sorted.push_back({begin, ~from_end, placed, std::move(group), outer});
      outer = sorted.size();
    }
  }
}

void SuppressionIndex::add(Suppression& s, bool expired, Group& group) {
  group.items.push_back(&s);
  const Suppression*& first = s.proposed ? group.proposed : group.accepted;
  if (!expired && first == nullptr) first = &s;
}

const Suppression* SuppressionIndex::find(const Finding& finding) {
  if (!is_of(finding, finding.rule)) return nullptr;
  Found found;
  find_block(finding, found);
  find_scope(finding.rule, finding.primary, false, found);
  if (finding.shown_by.known()) find_scope(finding.rule, finding.shown_by, false, found);
  // What lies in a template, and so in no workload, points to the one that it was found for.
  if (finding.subject.empty())
    for (const Label& label : finding.labels) find_scope(finding.rule, label.span, true, found);
  return found.accepted != nullptr ? found.accepted : found.proposed;
}

// For everything, then for the subject by every beginning of the path.
void SuppressionIndex::find_block(const Finding& finding, Found& found) {
  if (const auto all = blocks_.find({finding.rule, "", ""}); all != blocks_.end()) take(all->second, found);
  if (finding.subject.empty()) return;
  std::string_view path = finding.path;
  for (auto next = blocks_.upper_bound({finding.rule, finding.subject, path}); next != blocks_.begin();) {
    const auto before = std::prev(next);
    const auto& [rule, subject, beginning] = before->first;
    if (rule != finding.rule || subject != finding.subject) return;
    if (path.starts_with(beginning)) {
      take(before->second, found);
      next = before;
    } else {
      path = common_beginning(path, beginning);
      next = blocks_.upper_bound({finding.rule, finding.subject, path});
    }
  }
}

// All that contain a place are the last that begins before it, or outside of that.
void SuppressionIndex::find_scope(RuleId rule, Span place, bool placed_only, Found& found) {
  const auto here = scopes_.find({rule, place.file});
  if (here == scopes_.end()) return;
  Scopes& scopes = here->second;
  const auto after = std::upper_bound(scopes.begin(), scopes.end(), place.begin,
                                      [](std::uint32_t at, const Scope& scope) { return at < scope.begin; });
  for (auto n = static_cast<std::size_t>(after - scopes.begin()); n > 0; n = scopes[n - 1].outer) {
    Scope& scope = scopes[n - 1];
    if (scope.end > place.begin && (scope.placed || !placed_only)) take(scope.group, found);
  }
}

void SuppressionIndex::take(Group& group, Found& found) {
  keep_first(group.accepted, found.accepted);
  keep_first(group.proposed, found.proposed);
  if (group.used) return;
  group.used = true;
  for (Suppression* s : group.items) s->used = true;
}

}  // namespace muster::lint
