#include "lint/proposed.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace muster::lint {
namespace {

bool ends_later(std::string_view until, std::string_view than) {
  return !than.empty() && (until.empty() || until > than);
}

}  // namespace

void mark_proposed(const std::vector<Suppression>& before, std::vector<Suppression>& now, std::string_view as_of) {
  std::multimap<std::pair<RuleId, std::string_view>, const Suppression*> left;
  for (const Suppression& s : before) left.emplace(std::pair(s.rule, std::string_view(s.anchor)), &s);
  for (Suppression& s : now) {
    const auto found = s.anchor.empty() ? left.end() : left.find({s.rule, s.anchor});
    s.proposed = found == left.end();
    if (s.proposed) continue;
    const std::string& until = found->second->until;
    left.erase(found);
    if (!ends_later(s.until, until)) continue;
    if (!as_of.empty() && until < as_of) s.proposed = true;
    else s.until = until;
  }
}

std::vector<Added> added_by(const std::vector<Suppression>& suppressions, const Sources& sources) {
  std::vector<Added> out;
  for (const Suppression& s : suppressions) {
    if (!s.proposed || !s.where.known() || s.rule == every_rule) continue;
    const std::uint32_t line = sources.position(s.where.file, s.where.begin).line;
    out.push_back({AddedKind::suppression, std::string(info(s.rule).id), sources.name(s.where.file), line, s.reason});
  }
  sort_added(out);
  return out;
}

void add_waivers(const std::vector<model::Waiver>& waivers, const Sources& sources, std::vector<Added>& out) {
  for (const model::Waiver& w : waivers) {
    const bool known = w.span.known();
    out.push_back({AddedKind::waiver, w.code, known ? sources.name(w.span.file) : "",
                   known ? sources.position(w.span.file, w.span.begin).line : 0, w.reason, w.subject});
  }
}

std::string count_added(const std::vector<Added>& added) {
  static constexpr const char* what[] = {"suppression", "waiver", "baseline entry"};
  static constexpr const char* several[] = {"suppressions", "waivers", "baseline entries"};
  std::string out;
  for (std::size_t kind = 0; kind < std::size(what); ++kind) {
    const auto n = std::count_if(added.begin(), added.end(),
                                 [&](const Added& a) { return static_cast<std::size_t>(a.kind) == kind; });
    if (n > 0) out += (out.empty() ? "" : ", ") + std::to_string(n) + " " + (n == 1 ? what[kind] : several[kind]);
  }
  return out;
}

std::string text_of(const Added& added) {
  const std::string place = added.file + (added.line == 0 ? "" : ":" + std::to_string(added.line)) + ": ";
  const std::string reason = added.reason.empty() ? "" : ": " + added.reason;
  if (added.kind == AddedKind::baseline) return place + "baseline entry `" + added.subject + "`";
  if (added.kind == AddedKind::suppression) return place + added.rule + reason;
  return place + "waiver of " + added.rule + (added.subject.empty() ? "" : " for `" + added.subject + "`") + reason;
}

void sort_added(std::vector<Added>& added) {
  const auto order = [](const Added& a) { return std::tie(a.file, a.line, a.kind, a.rule, a.subject, a.reason); };
  const auto place = [](const Added& a) { return std::tie(a.file, a.line, a.kind, a.rule, a.subject); };
  std::sort(added.begin(), added.end(), [&](const Added& a, const Added& b) { return order(a) < order(b); });
  const auto same = [&](const Added& a, const Added& b) { return place(a) == place(b); };
  added.erase(std::unique(added.begin(), added.end(), same), added.end());
}

}  // namespace muster::lint
