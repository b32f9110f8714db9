#include "lint/outcome.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "compiler/base/text.h"

namespace muster::lint {
std::string key_part(std::string_view part) {
  static constexpr char digits[] = "0123456789abcdef";
  const auto plain = [](char c) { return c >= 0x20 && c < 0x7F && c != '|' && c != '\\'; };
  if (std::all_of(part.begin(), part.end(), plain)) return std::string(part);
  const bool utf8 = !first_invalid_utf8(part);
  std::string out;
  for (const char c : part) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '|' || c == '\\') out += '\\', out += c;
    else if (byte < 0x20 || byte == 0x7F || (byte > 0x7F && !utf8))
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    else out += c;
  }
  return out;
}

std::string_view name(AddedKind kind) {
  constexpr std::string_view names[] = {"suppression", "waiver", "baseline"};
  return names[static_cast<std::size_t>(kind)];
}

void propose(Result& result, std::string reason) {
  if (result.state != State::open || !result.proposed.empty()) return;
  result.finding.notes.push_back("only the change accepts this, so it still counts: " + reason);
  result.proposed = std::move(reason);
}

void add(const Result& result, Counts& counts) {
  if (result.state == State::suppressed) ++counts.suppressed;
  else if (result.state == State::known) ++counts.known;
  else if (result.finding.verdict == Verdict::unclear) ++counts.unclear;
  else if (result.finding.severity == Severity::error) ++counts.errors;
  else if (result.finding.severity == Severity::warning) ++counts.warnings;
  else ++counts.infos;
}

Counts count(const Outcome& outcome) {
  Counts out;
  for (const Result& r : outcome.results) add(r, out);
  return out;
}

namespace {

// Of the same finding by several the one counts that counts most: what one workload accepts, others may not, and what
// a site is warned of breaks one of them.
std::pair<State, Severity> weight(const Result& r) { return {r.state, r.finding.severity}; }

}  // namespace

void sort_results(std::vector<Result>& results) {
  const auto order = [](const Result& r) {
    return std::tie(r.finding.primary.file, r.finding.primary.begin, r.finding.rule, r.finding.code, r.finding.message);
  };
  std::stable_sort(results.begin(), results.end(), [&](const Result& a, const Result& b) {
    if (order(a) != order(b)) return order(a) < order(b);
    return weight(a) < weight(b);
  });
  results.erase(std::unique(results.begin(), results.end(),
                            [&](const Result& a, const Result& b) { return order(a) == order(b); }),
                results.end());
}

void drop_repeats(std::vector<Result>& results, const Sources& sources) {
  const auto same = [&](const Result& r) {
    const Finding& f = r.finding;
    return std::tuple{std::string_view(sources.name(f.primary.file)), f.primary.begin, f.rule, f.code,
                      std::string_view(f.message)};
  };
  std::map<decltype(same(results.front())), const Result*> first;  // of those that count most
  for (const Result& r : results) {
    if (!r.finding.primary.known()) continue;
    const auto [known, fresh] = first.try_emplace(same(r), &r);
    if (!fresh && weight(r) < weight(*known->second)) known->second = &r;
  }
  std::vector<bool> dropped;
  for (const Result& r : results) dropped.push_back(r.finding.primary.known() && first.at(same(r)) != &r);
  first.clear();  // it refers to texts of the results, which move now
  std::size_t at = 0;
  std::erase_if(results, [&](const Result&) { return dropped[at++]; });
}

void set_keys(std::vector<Result>& results, const Sources& sources) {
  std::map<std::string, std::size_t> seen;
  for (Result& r : results) {
    const std::string file = r.finding.primary.known() ? sources.name(r.finding.primary.file) : "";
    std::string key = std::string(about(r.finding).id) + "|" + key_part(file) + "|" + key_part(r.finding.subject) +
                      "|" + key_part(r.finding.path) + "|";
    r.key = key + std::to_string(seen[key]++);
  }
}

void distinguish(std::vector<Result>& results) {
  std::map<std::string, std::size_t> next;  // by the key without its number
  for (Result& r : results) {
    const std::size_t bar = r.key.rfind('|');
    if (bar == std::string::npos) continue;
    const std::string stem = r.key.substr(0, bar + 1), number = std::to_string(next[stem]++);
    if (r.key.compare(bar + 1, std::string::npos, number) == 0) continue;
    r.key = stem + number;
    if (r.state == State::known) r.state = State::open;
  }
}

std::string fingerprint(std::string_view key) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[(hash >> shift) & 15];
  return out;
}

bool counts_at(const Result& result, Severity level) {
  return result.state == State::open && result.finding.verdict == Verdict::wrong && result.finding.severity <= level;
}

}  // namespace muster::lint
