// SARIF 2.1.0 (OASIS, errata 01), within what GitHub's code scanning takes.
#include <algorithm>
#include <map>

#include "compiler/base/text.h"
#include "lint/report/common.h"

namespace muster::lint {
namespace {

constexpr std::size_t most_results = 25'000;
constexpr std::size_t longest_text = 5'000;

// A relative or absolute path as a URI reference: everything but unreserved characters and `/` escaped.
std::string uri(std::string_view path) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = is_alnum(c) || std::string_view("/-._~").find(c) != std::string_view::npos;
    if (plain) out += c;
    else out += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return out;
}

// `[here](https://…)` in a message is a link (section 3.11.6): what looks like one, in a name of somebody, is none.
std::string without_links(std::string_view words) {
  if (words.find("](") == std::string_view::npos) return std::string(words);
  std::string out;
  for (const char c : words) {
    if (c == '[' || c == ']') out += '\\';
    out += c;
  }
  return out;
}

Json text(std::string_view words) { return {{"text", clipped(without_links(words), longest_text)}}; }

Json region(Span span, const Sources& sources) {
  const Position from = sources.position(span.file, span.begin), to = sources.position(span.file, span.end);
  return {{"startLine", from.line}, {"startColumn", from.column}, {"endLine", to.line}, {"endColumn", to.column}};
}

Json location(Span span, const Sources& sources) {
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", uri(sources.name(span.file))}}}, {"region", region(span, sources)}}}};
}

std::string_view level(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

Json rule_json(const Named& rule) {
  Json out = {{"id", rule.id}, {"name", rule.name}};
  out["shortDescription"] = text(rule.summary);
  out["fullDescription"] = text(rule.explanation);
  out["help"] = {{"text", clipped(rule.explanation, longest_text)},
                 {"markdown", clipped(rule.explanation, longest_text)}};
  out["defaultConfiguration"] = {{"level", level(rule.severity)}};
  out["properties"] = {{"tags", {std::string(rule.id.substr(0, 3))}}};
  return out;
}

Json fix_object(const Fix& fix, const Sources& sources) {
  Json replacements = Json::array();
  for (const Edit& edit : fix.edits)
    replacements.push_back(
        {{"deletedRegion", region(edit.where, sources)}, {"insertedContent", {{"text", edit.text}}}});
  const std::string file = uri(sources.name(fix.edits.front().where.file));
  Json change = {{"artifactLocation", {{"uri", file}}}, {"replacements", replacements}};
  Json changes = Json::array();
  changes.push_back(std::move(change));
  return {{"description", text(fix.title)}, {"artifactChanges", changes}};
}

Json result_json(const Result& result, std::size_t rule_index, const Sources& sources) {
  const Finding& f = result.finding;
  const bool unclear = f.verdict == Verdict::unclear;
  Json out = {{"ruleId", about(f).id}, {"ruleIndex", rule_index}};
  out["kind"] = unclear ? "open" : "fail";  // open: what is needed to decide it is not there
  out["level"] = unclear ? "none" : level(f.severity);
  out["message"] = text(full_text(f));
  out["locations"] = Json::array({location(f.primary, sources)});
  Json related = Json::array();
  for (const Label& label : f.labels) {
    if (!label.span.known()) continue;
    related.push_back(location(label.span, sources));
    related.back()["message"] = text(label.text);
  }
  if (!related.empty()) out["relatedLocations"] = related;
  out["partialFingerprints"] = {{"musterKey/v1", fingerprint(result.key)}};
  if (result.state == State::suppressed)
    out["suppressions"] =
        Json::array({{{"kind", "inSource"}, {"justification", clipped(result.reason, longest_text)}}});
  if (result.state == State::known)
    out["suppressions"] = Json::array({{{"kind", "external"}, {"justification", "it stands in the baseline"}}});
  if (f.fix && !f.fix->edits.empty()) out["fixes"] = Json::array({fix_object(*f.fix, sources)});
  return out;
}

// The worst first, so that the limit cuts what matters least.
std::vector<const Result*> ordered(const Outcome& outcome) {
  std::vector<const Result*> out;
  for (const Result& r : outcome.results)
    if (r.finding.primary.known()) out.push_back(&r);
  const auto rank = [](const Result* r) {
    return (r->state != State::open ? 8 : 0) + (r->finding.verdict == Verdict::unclear ? 4 : 0) +
           static_cast<int>(r->finding.severity);
  };
  std::stable_sort(out.begin(), out.end(), [&](const Result* a, const Result* b) { return rank(a) < rank(b); });
  if (out.size() > most_results) out.resize(most_results);
  return out;
}

}  // namespace

std::string write_sarif(const View& view) {
  const auto results = ordered(view.outcome);
  std::map<std::string_view, std::pair<Named, std::size_t>> index;  // by id
  for (const Result* r : results) {
    const Named named = about(r->finding);
    index.emplace(named.id, std::pair(named, 0));
  }
  Json rules = Json::array();
  for (auto& [id, rule] : index) rule.second = rules.size(), rules.push_back(rule_json(rule.first));
  Json driver = {{"name", "muster"}, {"version", view.version}, {"rules", rules}};
  Json run = {{"tool", {{"driver", driver}}}, {"columnKind", "unicodeCodePoints"}, {"results", Json::array()}};
  for (const Result* r : results)
    run["results"].push_back(result_json(*r, index[about(r->finding).id].second, view.sources));
  run["properties"] = {
      {"profile", view.policy.name}, {"profile_version", view.policy.version}, {"policy_sha256", view.policy.sha256}};
  return dump(
      {{"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
       {"version", "2.1.0"},
       {"runs", Json::array({run})}});
}

}  // namespace muster::lint
