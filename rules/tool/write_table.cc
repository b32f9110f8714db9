#include "rules/tool/write_table.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "rules/digest.h"

namespace muster::rules::tool {
namespace {

using model::FactValue;

// A C++ literal. Bytes beyond ASCII are octal escapes, which end after three digits.
std::string literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte >= 0x20 && byte < 0x7F) {
      out += c;
    } else {
      out += {'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + (byte >> 3 & 7)),
              static_cast<char>('0' + (byte & 7))};
    }
  }
  return out + "\"";
}

std::string enumerator(std::string_view type, unsigned value) {
  return "model::" + std::string(type) + "(" + std::to_string(value) + ")";
}

template <class Enum>
std::string enumerator(std::string_view type, Enum value) {
  return enumerator(type, static_cast<unsigned>(value));
}

std::string value_text(const FactValue& value) {
  const auto item = [](model::FactType type, std::int64_t number, std::string_view text) {
    return "{" + enumerator("FactType", type) + ", " + std::to_string(number) + ", " + literal(text) + "}";
  };
  if (const bool* flag = std::get_if<bool>(&value)) return item(model::FactType::boolean, *flag ? 1 : 0, "");
  if (const auto* number = std::get_if<std::int64_t>(&value)) return item(model::FactType::integer, *number, "");
  return item(model::FactType::symbol, 0, std::get<std::string>(value));
}

std::string bound(const std::optional<std::int64_t>& value) {
  return value ? "{true, " + std::to_string(*value) + "}" : "{false, 0}";
}

// One array in the making. Parts that are already in it are used again.
class Array {
 public:
  Array(std::string_view type, std::string_view name) : type_(type), name_(name) {}

  std::string add(const std::vector<std::string>& part) {
    auto at = std::search(items_.begin(), items_.end(), part.begin(), part.end());
    if (at == items_.end()) {
      at = items_.insert(items_.end(), part.begin(), part.end());
    }
    const auto first = part.empty() ? 0 : at - items_.begin();
    return "{" + std::to_string(first) + ", " + std::to_string(part.size()) + "}";
  }

  // An empty array is not an array in C++: it is left out and so is its use.
  std::string definition() const {
    if (items_.empty()) return {};
    std::string out = "constexpr " + std::string(type_) + " " + std::string(name_) + "[] = {\n";
    for (const std::string& item : items_) out += "    " + item + ",\n";
    return out + "};\n";
  }
  std::string use() const { return items_.empty() ? "{}" : std::string(name_); }

 private:
  std::string_view type_, name_;
  std::vector<std::string> items_;
};

class PolicyWriter {
 public:
  explicit PolicyWriter(const model::Policy& policy) : policy_(policy) {}

  // A namespace with the arrays and `policy`, which points to them.
  std::string write(const std::string& space) {
    facts_.add(each(policy_.facts, [this](const auto& fact) { return fact_text(fact); }));
    thresholds_.add(each(policy_.thresholds, [this](const auto& t) { return threshold_text(t); }));
    tables_.add(each(policy_.tables, [this](const auto& table) { return table_text(table); }));
    invariants_.add(each(policy_.invariants, [this](const auto& i) { return invariant_text(i); }));
    addons_.add(each(policy_.addons, [this](const auto& addon) { return addon_text(addon); }));
    std::string out = "namespace " + space + " {\n";
    std::string uses;
    for (const Array* array :
         {&words_, &values_, &terms_, &assignments_, &rows_, &facts_, &thresholds_, &tables_, &invariants_, &addons_}) {
      out += array->definition();
      uses += ", " + array->use();
    }
    out += "constexpr data::Policy policy{" + literal(policy_.name) + ", " + literal(policy_.version) + ", " +
           literal(digest(policy_)) + ", " + (policy_.locked ? "true" : "false") + uses + "};\n";
    return out + "}  // namespace " + space + "\n\n";
  }

 private:
  template <class Item, class Write>
  static std::vector<std::string> each(const std::vector<Item>& items, Write write) {
    std::vector<std::string> out;
    for (const Item& item : items) out.push_back(write(item));
    return out;
  }

  std::string words(const std::vector<std::string>& words) { return words_.add(each(words, literal)); }

  std::string fact_text(const model::FactDeclaration& fact) {
    const auto fallback = fact.fallback ? std::vector{value_text(*fact.fallback)} : std::vector<std::string>{};
    return "{" + literal(fact.name) + ", " + enumerator("FactType", fact.type) + ", " + words(fact.values) + ", " +
           bound(fact.min) + ", " + bound(fact.max) + ", " + values_.add(fallback) + ", " + literal(fact.default_from) +
           ", " + literal(fact.unread) + "}";
  }

  std::string threshold_text(const model::Threshold& threshold) {
    return "{" + literal(threshold.name) + ", " + value_text(threshold.value) + ", " + words(threshold.values) + ", " +
           bound(threshold.min) + ", " + bound(threshold.max) + ", " + literal(threshold.source) + "}";
  }

  std::string term_text(const model::Term& term) {
    return "{" + literal(term.fact) + ", " + enumerator("Compare", term.compare) + ", " +
           values_.add(each(term.values, value_text)) + ", " + literal(term.text) + ", " + words(term.thresholds) + "}";
  }

  std::string terms(const std::vector<model::Term>& terms) {
    return terms_.add(each(terms, [this](const auto& term) { return term_text(term); }));
  }

  std::string row_text(const model::Row& row) {
    const auto assignment = [](const model::Assignment& set) {
      return "{" + literal(set.output) + ", " + value_text(set.value) + ", " + (set.prepend ? "true" : "false") + ", " +
             literal(set.threshold) + "}";
    };
    return "{" + literal(row.id) + ", " + literal(row.reason) + ", " + literal(row.cite) + ", " + terms(row.when) +
           ", " + assignments_.add(each(row.sets, assignment)) + ", " + (row.locked ? "true" : "false") + "}";
  }

  std::string table_text(const model::Table& table) {
    const std::string rows = rows_.add(each(table.rows, [this](const auto& row) { return row_text(row); }));
    return "{" + literal(table.name) + ", " + enumerator("Hit", table.hit) + ", " + rows + "}";
  }

  std::string invariant_text(const model::Invariant& invariant) {
    return "{" + literal(invariant.id) + ", " + (invariant.locked ? "true" : "false") + ", " + terms(invariant.when) +
           ", " + term_text(invariant.then) + ", " + literal(invariant.text) + "}";
  }

  std::string addon_text(const model::Addon& addon) {
    return "{" + literal(addon.name) + ", " + words(addon.satisfies) + ", " + literal(addon.needs) + ", " +
           literal(addon.versions) + ", " + literal(addon.source) + "}";
  }

  const model::Policy& policy_;
  Array words_{"std::string_view", "words"};
  Array values_{"data::Value", "values"};
  Array terms_{"data::Term", "terms"};
  Array assignments_{"data::Assignment", "assignments"};
  Array rows_{"data::Row", "rows"};
  Array facts_{"data::Fact", "facts"};
  Array thresholds_{"data::Threshold", "thresholds"};
  Array tables_{"data::Table", "tables"};
  Array invariants_{"data::Invariant", "invariants"};
  Array addons_{"data::Addon", "addons"};
};

}  // namespace

std::string write_table(const model::Policy& addons, std::span<const Profile> profiles) {
  std::string out =
      "// Written by rules/tool from rules/profiles/*.muster. Do not edit.\n"
      "#include \"rules/profile_data.h\"\n#include \"rules/profiles.h\"\n\n"
      "namespace muster::rules {\nnamespace {\n\n";
  std::string names, choices, cases;
  for (const Profile& profile : profiles) {
    const std::string space = "profile" + std::to_string(&profile - profiles.data());
    const std::string asked = "  if (name == " + literal(profile.policy.name) + ") return ";
    out += PolicyWriter(profile.policy).write(space);
    names += (names.empty() ? "" : ", ") + literal(profile.policy.name);
    choices += asked + "data::build(" + space + "::policy);\n";
    cases += asked + literal(profile.cases) + ";\n";
  }
  out += PolicyWriter(addons).write("addons_data");
  out += "constexpr std::string_view names[] = {" + names + "};\n\n}  // namespace\n\n";
  out += "std::span<const std::string_view> profile_names() { return names; }\n\n";
  out += "model::Policy profile(std::string_view name) {\n" + choices + "  return {};\n}\n\n";
  out += "model::Policy addons() { return data::build(addons_data::policy); }\n\n";
  out += "std::string_view profile_cases(std::string_view name) {\n" + cases + "  return {};\n}\n\n";
  return out + "}  // namespace muster::rules\n";
}

}  // namespace muster::rules::tool
