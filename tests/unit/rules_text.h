// A policy as the text of a rule file.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/model/policy.h"

namespace muster {

class RuleText {
 public:
  explicit RuleText(const model::Policy& policy) : policy_(policy) {}

  std::string all() {
    out_ = "rules " + policy_.name + " {\n  version = \"" + policy_.version + "\"\n";
    if (policy_.locked) out_ += "  locked = true\n";
    for (const model::FactDeclaration& fact : policy_.facts) add(fact);
    for (const model::Threshold& threshold : policy_.thresholds) add(threshold);
    for (const model::Table& table : policy_.tables) add(table);
    for (const model::Invariant& invariant : policy_.invariants)
      out_ += "  invariant " + invariant.id + " {\n    locked = " + (invariant.locked ? "true" : "false") +
              "\n    when " + condition(invariant.when) + " { assert " + condition({invariant.then}) + ", " +
              text(invariant.text) + " }\n  }\n";
    for (const model::Addon& addon : policy_.addons) add(addon);
    return out_ + "}\n";
  }

 private:
  static std::string text(const std::string& value) {
    std::string out = "\"";
    for (const char c : value) out += c == '"' || c == '\\' || c == '$' ? std::string("\\") + c : std::string(1, c);
    return out + "\"";
  }

  static std::string word(const model::FactValue& value) {
    const std::string plain = model::to_string(value);
    if (!std::holds_alternative<std::string>(value)) return plain;
    const auto in_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    return std::all_of(plain.begin(), plain.end(), in_word) ? plain : text(plain);
  }

  // A threshold by its name, unless the value here is another.
  std::string value(const model::FactValue& value, const std::string& name) const {
    for (const model::Threshold& threshold : policy_.thresholds)
      if (threshold.name == name && threshold.value == value) return "$" + name;
    return word(value);
  }

  static std::string list(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& w : words) out += (out.empty() ? "" : ", ") + word(w);
    return "[" + out + "]";
  }

  std::string term(const model::Term& t) const {
    using model::Compare;
    const auto at = [&](std::size_t i) { return value(t.values[i], i < t.thresholds.size() ? t.thresholds[i] : ""); };
    if (const bool* flag = std::get_if<bool>(&t.values[0]); flag != nullptr && t.values.size() == 1)
      return (*flag == (t.compare == Compare::equal || t.compare == Compare::in) ? "" : "not ") + t.fact;
    if (t.compare == Compare::in || t.compare == Compare::not_in) {
      std::string values;
      for (std::size_t i = 0; i < t.values.size(); ++i) values += (i == 0 ? "" : ", ") + at(i);
      return (t.compare == Compare::in ? "" : "not ") + t.fact + " in [" + values + "]";
    }
    constexpr const char* operators[] = {"==", "!=", "<", "<=", ">", ">="};
    return t.fact + " " + operators[static_cast<int>(t.compare)] + " " + at(0);
  }

  std::string condition(const std::vector<model::Term>& terms) const {
    std::string out;
    for (const model::Term& t : terms) out += (out.empty() ? "" : " and ") + term(t);
    return out.empty() ? "true" : out;
  }

  void add(const model::FactDeclaration& fact) {
    constexpr const char* types[] = {"bool", "int", "sym"};
    out_ += "  fact " + fact.name + " {\n    type = " + types[static_cast<int>(fact.type)] + "\n";
    if (!fact.values.empty()) out_ += "    values = " + list(fact.values) + "\n";
    if (fact.min) out_ += "    min = " + std::to_string(*fact.min) + "\n";
    if (fact.max) out_ += "    max = " + std::to_string(*fact.max) + "\n";
    if (fact.fallback) out_ += "    default = " + word(*fact.fallback) + "\n";
    if (!fact.default_from.empty()) out_ += "    default-from = " + fact.default_from + "\n";
    if (!fact.unread.empty()) out_ += "    unread = " + text(fact.unread) + "\n";
    out_ += "  }\n";
  }

  // Bounds give way to the value: who moves one moves the other, or the file does not load.
  void add(const model::Threshold& t) {
    out_ += "  threshold " + t.name + " {\n    value = " + word(t.value) + "\n";
    const auto* n = std::get_if<std::int64_t>(&t.value);
    if (!t.values.empty()) out_ += "    values = " + list(t.values) + "\n";
    if (t.min) out_ += "    min = " + std::to_string(n == nullptr ? *t.min : std::min(*t.min, *n)) + "\n";
    if (t.max) out_ += "    max = " + std::to_string(n == nullptr ? *t.max : std::max(*t.max, *n)) + "\n";
    out_ += "    source = " + text(t.source) + "\n  }\n";
  }

  void add(const model::Table& table) {
    constexpr const char* hits[] = {"unique", "collect", "first"};
    out_ += "  table " + table.name + " {\n    hit = " + hits[static_cast<int>(table.hit)] + "\n";
    for (const model::Row& row : table.rows) {
      out_ += "    row " + row.id + " {\n      reason = " + text(row.reason) + "\n";
      if (!row.cite.empty()) out_ += "      cite = " + text(row.cite) + "\n";
      if (row.locked) out_ += "      locked = true\n";
      out_ += "      when " + condition(row.when) + " {\n";
      for (const model::Assignment& set : row.sets)
        out_ += "        " + set.output + " = " +
                (set.prepend ? "concat(" + text(model::to_string(set.value)) + ", " + set.output + ")"
                             : value(set.value, set.threshold)) +
                "\n";
      out_ += "      }\n    }\n";
    }
    out_ += "  }\n";
  }

  void add(const model::Addon& addon) {
    out_ += "  addon " + addon.name + " {\n    satisfies = " + list(addon.satisfies) + "\n";
    if (!addon.needs.empty()) out_ += "    needs = " + text(addon.needs) + "\n";
    if (!addon.versions.empty()) out_ += "    versions = " + text(addon.versions) + "\n";
    out_ += "    source = " + text(addon.source) + "\n  }\n";
  }

  const model::Policy& policy_;
  std::string out_;
};

}  // namespace muster
