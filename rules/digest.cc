#include "rules/digest.h"

namespace muster::rules {
namespace {

// A text on a line of its own: quotes and line ends cannot be confused with ours.
std::string text_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out + "\"";
}

std::string value_text(const model::FactValue& value) {
  const auto* word = std::get_if<std::string>(&value);
  return word != nullptr ? text_literal(*word) : model::to_string(value);
}

std::string bounds(const std::optional<std::int64_t>& min, const std::optional<std::int64_t>& max) {
  return (min ? " min " + std::to_string(*min) : "") + (max ? " max " + std::to_string(*max) : "");
}

std::string list(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += " " + text_literal(word);
  return out;
}

std::string terms(const std::vector<model::Term>& when) {
  std::string out;
  for (const model::Term& term : when) {
    out += " | " + term.fact + " " + std::to_string(static_cast<int>(term.compare));
    for (const model::FactValue& value : term.values) out += " " + value_text(value);
  }
  return out;
}

std::string row_text(const model::Row& row) {
  std::string out = "row " + text_literal(row.id) + (row.locked ? " locked" : "") + " " + text_literal(row.reason) +
                    " " + text_literal(row.cite) + terms(row.when) + " =>";
  for (const model::Assignment& set : row.sets)
    out += " " + set.output + (set.prepend ? " + " : " = ") + value_text(set.value);
  return out + "\n";
}

}  // namespace

std::string canonical_text(const model::Policy& policy) {
  std::string out = "rules " + text_literal(policy.name) + " " + text_literal(policy.version) +
                    (policy.locked ? " locked" : "") + "\n";
  for (const model::FactDeclaration& fact : policy.facts)
    out += "fact " + text_literal(fact.name) + " " + std::to_string(static_cast<int>(fact.type)) + list(fact.values) +
           bounds(fact.min, fact.max) + (fact.fallback ? " default " + value_text(*fact.fallback) : "") +
           (fact.default_from.empty() ? "" : " from " + text_literal(fact.default_from)) + " " +
           text_literal(fact.unread) + "\n";
  for (const model::Threshold& t : policy.thresholds)
    out += "threshold " + text_literal(t.name) + " " + value_text(t.value) + list(t.values) + bounds(t.min, t.max) +
           " " + text_literal(t.source) + "\n";
  for (const model::Table& table : policy.tables) {
    out += "table " + text_literal(table.name) + " " + std::to_string(static_cast<int>(table.hit)) + "\n";
    for (const model::Row& row : table.rows) out += row_text(row);
  }
  for (const model::Invariant& i : policy.invariants)
    out += "invariant " + text_literal(i.id) + (i.locked ? " locked" : "") + terms(i.when) + " =>" + terms({i.then}) +
           " " + text_literal(i.text) + "\n";
  for (const model::Addon& a : policy.addons)
    out += "addon " + text_literal(a.name) + list(a.satisfies) + " | " + text_literal(a.needs) + " " +
           text_literal(a.versions) + " " + text_literal(a.source) + "\n";
  for (const model::Disabled& d : policy.disabled)
    out += "disable" + list({d.id, d.reason, d.owner, d.expires, d.layer}) + "\n";
  for (const model::Waiver& w : policy.waivers)
    out += "waive" + list({w.code, w.subject, w.reason, w.owner, w.expires, w.layer}) + "\n";
  return out;
}

std::string digest(const model::Policy& policy) {
  return policy.known_digest.empty() ? sha256(canonical_text(policy)) : policy.known_digest;
}

}  // namespace muster::rules
