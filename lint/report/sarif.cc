// SARIF 2.1.0 (OASIS, errata 01), within what GitHub's code scanning takes.
#include <algorithm>
#include <map>

#include "compiler/base/text.h"
#include "lint/report/common.h"
#include "lint/report/json_writer.h"

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
std::string without_links(std::string_view text_in) {
  if (text_in.find("](") == std::string_view::npos) return std::string(text_in);
  std::string out;
  for (const char c : text_in) {
    if (c == '[' || c == ']') out += '\\';
    out += c;
  }
  return out;
}

// An object with a text.
void write_message(JsonWriter& out, std::string_view name, std::string_view words) {
  out.open_object(name);
  out.text("text", clipped(without_links(words), longest_text));
  out.close();
}

void write_region(JsonWriter& out, std::string_view name, Span span, const Sources& sources) {
  const Position from = sources.position(span.file, span.begin), to = sources.position(span.file, span.end);
  out.open_object(name);
  out.number("startLine", from.line);
  out.number("startColumn", from.column);
  out.number("endLine", to.line);
  out.number("endColumn", to.column);
  out.close();
}

void write_file(JsonWriter& out, Span span, const Sources& sources) {
  out.open_object("artifactLocation");
  out.text("uri", uri(sources.name(span.file)));
  out.close();
}

void write_location(JsonWriter& out, Span span, const Sources& sources, const std::string* message = nullptr) {
  out.open_object();
  out.open_object("physicalLocation");
  write_file(out, span, sources);
  write_region(out, "region", span, sources);
  out.close();
  if (message != nullptr) write_message(out, "message", *message);
  out.close();
}

std::string_view level(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

void write_rule(JsonWriter& out, const Named& rule) {
  const std::string help = clipped(rule.explanation, longest_text);
  out.open_object();
  out.text("id", rule.id);
  out.text("name", rule.name);
  write_message(out, "shortDescription", rule.summary);
  write_message(out, "fullDescription", rule.explanation);
  out.open_object("help");
  out.text("text", help);
  out.text("markdown", help);
  out.close();
  out.open_object("defaultConfiguration");
  out.text("level", level(rule.severity));
  out.close();
  out.open_object("properties");
  out.open_list("tags");
  out.text(rule.id.substr(0, 3));
  out.close();
  out.close();
  out.close();
}

void write_sarif_fix(JsonWriter& out, const Fix& fix, const Sources& sources) {
  out.open_list("fixes");
  out.open_object();
  write_message(out, "description", fix.title);
  out.open_list("artifactChanges");
  out.open_object();
  write_file(out, fix.edits.front().where, sources);
  out.open_list("replacements");
  for (const Edit& edit : fix.edits) {
    out.open_object();
    write_region(out, "deletedRegion", edit.where, sources);
    out.open_object("insertedContent");
    out.text("text", edit.text);
    out.close();
    out.close();
  }
  for (int open = 0; open < 5; ++open) out.close();
}

void write_related(JsonWriter& out, const std::vector<Label>& labels, const Sources& sources) {
  const auto known = [](const Label& label) { return label.span.known(); };
  if (std::none_of(labels.begin(), labels.end(), known)) return;
  out.open_list("relatedLocations");
  for (const Label& label : labels)
    if (known(label)) write_location(out, label.span, sources, &label.text);
  out.close();
}

// `status`: one that is under review suppresses nothing (section 3.35.4).
void write_suppression(JsonWriter& out, std::string_view kind, std::string_view why, std::string_view status = {}) {
  out.open_list("suppressions");
  out.open_object();
  out.text("kind", kind);
  if (!status.empty()) out.text("status", status);
  out.text("justification", why);
  out.close();
  out.close();
}

void write_sarif_result(JsonWriter& out, const Result& result, std::size_t rule_index, const Sources& sources) {
  const Finding& f = result.finding;
  const bool unclear = f.verdict == Verdict::unclear;
  out.open_object();
  out.text("ruleId", about(f).id);
  out.number("ruleIndex", rule_index);
  out.text("kind", unclear ? "open" : "fail");  // open: what is needed to decide it is not there
  out.text("level", unclear ? "none" : level(f.severity));
  write_message(out, "message", full_text(f));
  out.open_list("locations");
  write_location(out, f.primary, sources);
  out.close();
  write_related(out, f.labels, sources);
  out.open_object("partialFingerprints");
  out.text("musterKey/v1", fingerprint(result.key));
  out.close();
  if (result.state == State::suppressed) write_suppression(out, "inSource", clipped(result.reason, longest_text));
  if (result.state == State::known) write_suppression(out, "external", "the finding is in the baseline");
  if (!result.proposed.empty())
    write_suppression(out, "inSource", clipped(result.proposed, longest_text), "underReview");
  if (f.fix && !f.fix->edits.empty()) write_sarif_fix(out, *f.fix, sources);
  out.close();
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

void write_sarif(const View& view, const Write& write) {
  const auto results = ordered(view.outcome);
  std::map<std::string_view, std::pair<Named, std::size_t>> index;  // by id
  for (const Result* r : results) {
    const Named named = about(r->finding);
    index.emplace(named.id, std::pair(named, 0));
  }
  JsonWriter out(write);
  out.open_object();
  out.text("$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json");
  out.text("version", "2.1.0");
  out.open_list("runs");
  out.open_object();
  out.open_object("tool");
  out.open_object("driver");
  out.text("name", "muster");
  out.text("version", view.version);
  out.open_list("rules");
  std::size_t next = 0;
  for (auto& [id, rule] : index) rule.second = next++, write_rule(out, rule.first);
  for (int open = 0; open < 3; ++open) out.close();
  out.text("columnKind", "unicodeCodePoints");
  out.open_list("results");
  for (const Result* r : results) write_sarif_result(out, *r, index[about(r->finding).id].second, view.sources);
  out.close();
  out.open_object("properties");
  out.text("profile", view.policy.name);
  out.text("profile_version", view.policy.version);
  out.text("policy_sha256", view.policy.sha256);
  for (int open = 0; open < 4; ++open) out.close();
  out.finish();
}

}  // namespace muster::lint
