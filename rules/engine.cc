#include "rules/engine.h"

#include <algorithm>
#include <optional>

#include "compiler/base/text.h"

namespace muster::rules {
namespace {

using model::Assignment;
using model::Compare;
using model::FactDeclaration;
using model::FactType;
using model::FactValue;
using model::Hit;
using model::Row;
using model::Table;
using model::Term;
using Error = EvaluationError;

// "one of `a`, `b` or `c`", "a number of at least 1", "true or false".
std::string wanted(const FactDeclaration& fact) {
  switch (fact.type) {
    case FactType::boolean: return "true or false";
    case FactType::symbol: {
      const std::vector<std::string_view> words(fact.values.begin(), fact.values.end());
      return words.size() == 1 ? quoted(words[0]) : "one of " + quoted_list(words, "or");
    }
    case FactType::integer: break;
  }
  if (fact.min && fact.max) {
    return "a whole number from " + std::to_string(*fact.min) + " to " + std::to_string(*fact.max);
  }
  if (fact.min) return "a whole number of at least " + std::to_string(*fact.min);
  if (fact.max) return "a whole number of at most " + std::to_string(*fact.max);
  return "a whole number";
}

bool allowed(const FactDeclaration& fact, const FactValue& value) {
  switch (fact.type) {
    case FactType::boolean: return std::holds_alternative<bool>(value);
    case FactType::symbol: {
      const auto* word = std::get_if<std::string>(&value);
      return word != nullptr && std::find(fact.values.begin(), fact.values.end(), *word) != fact.values.end();
    }
    case FactType::integer: break;
  }
  const auto* number = std::get_if<std::int64_t>(&value);
  return number != nullptr && (!fact.min || *number >= *fact.min) && (!fact.max || *number <= *fact.max);
}

template <class Named>
auto* find_named(Named& values, std::string_view name) {
  for (auto& value : values) {
    if (value.name == name) return &value;
  }
  return static_cast<decltype(&values.front())>(nullptr);
}

Error unknown_fact(const model::Policy& policy, std::string_view name) {
  std::vector<std::string_view> known;
  for (const FactDeclaration& fact : policy.facts) known.push_back(fact.name);
  const std::string nearest = closest(name, known);
  std::string text = "profile " + quoted(policy.name) + " has no fact " + quoted(name);
  text += nearest.empty() ? "; facts are " + quoted_list(known) : "; did you mean " + quoted(nearest) + "?";
  return {Error::Kind::unknown_fact, std::string(name), std::move(text)};
}

// The value a fact has when nobody gives one; nullptr if it must be given. A fact may take the
// value of one declared above it only, which the checker of rule files sees to.
const FactValue* default_of(const FactDeclaration& fact, const std::vector<NamedValue>& above) {
  if (!fact.default_from.empty()) {
    const NamedValue* source = find_named(above, fact.default_from);
    if (source != nullptr) return &source->value;
  }
  return fact.fallback ? &*fact.fallback : nullptr;
}

// All declared facts in the order of their declaration.
std::variant<std::vector<NamedValue>, Error> complete(const model::Policy& policy,
                                                      const std::vector<NamedValue>& given) {
  for (const NamedValue& fact : given) {
    if (policy.fact(fact.name) == nullptr) return unknown_fact(policy, fact.name);
  }
  std::vector<NamedValue> facts;
  facts.reserve(policy.facts.size());
  for (const FactDeclaration& fact : policy.facts) {
    const NamedValue* stated = find_named(given, fact.name);
    const FactValue* value = stated != nullptr ? &stated->value : default_of(fact, facts);
    if (value == nullptr) {
      return Error{Error::Kind::missing_fact, fact.name,
                   "fact " + quoted(fact.name) + " is not stated and has no default; expected " + wanted(fact)};
    }
    if (!allowed(fact, *value)) {
      return Error{
          Error::Kind::bad_value, fact.name,
          "fact " + quoted(fact.name) + " must be " + wanted(fact) + ", found " + quoted(model::to_string(*value))};
    }
    facts.push_back({fact.name, *value});
  }
  return facts;
}

// Of a collected output, == and `in` say "has one of these", != and `not in` "has none of these".
bool holds_of_set(const Term& term, const std::vector<std::string>& set) {
  const bool has = std::any_of(term.values.begin(), term.values.end(), [&](const FactValue& value) {
    return std::binary_search(set.begin(), set.end(), model::to_string(value));
  });
  switch (term.compare) {
    case Compare::equal:
    case Compare::in: return has;
    case Compare::not_equal:
    case Compare::not_in: return !has;
    default: return false;
  }
}

bool all_hold(const std::vector<Term>& terms, const Outcome& outcome) {
  for (const Term& term : terms) {
    if (!holds(term, outcome)) return false;
  }
  return true;
}

// "coupled=none, bare-metal=true": every value that the rows of a table read.
std::string values_read(const Table& table, const Outcome& outcome) {
  std::vector<std::string_view> seen;
  std::string text;
  for (const Row& row : table.rows) {
    for (const Term& term : row.when) {
      if (std::find(seen.begin(), seen.end(), term.fact) != seen.end()) continue;
      seen.push_back(term.fact);
      const NamedValue* fact = find_named(outcome.facts, term.fact);
      const FactValue* value = fact != nullptr ? &fact->value : outcome.output(term.fact);
      if (value == nullptr) continue;
      text += (text.empty() ? "" : ", ") + std::string(term.fact) + "=" + model::to_string(*value);
    }
  }
  return text;
}

void set_output(const Assignment& set, Outcome& outcome) {
  NamedValue* present = find_named(outcome.outputs, set.output);
  if (present == nullptr) {
    outcome.outputs.push_back({set.output, set.value});
  } else if (set.prepend) {
    present->value = model::to_string(set.value) + model::to_string(present->value);
  } else {
    present->value = set.value;
  }
}

void fire(const Table& table, const Row& row, Outcome& outcome) {
  outcome.fired.push_back({&table, &row});
  for (const Assignment& set : row.sets) set_output(set, outcome);
}

std::vector<std::string>& collection_of(const std::string& name, Outcome& outcome) {
  for (auto& [output, values] : outcome.collected) {
    if (output == name) return values;
  }
  return outcome.collected.emplace_back(name, std::vector<std::string>{}).second;
}

void collect(const Table& table, Outcome& outcome) {
  // All conditions are read before any row adds, so that the order of rows has no effect.
  std::vector<const Row*> holding;
  for (const Row& row : table.rows) {
    if (all_hold(row.when, outcome)) holding.push_back(&row);
  }
  for (const Row& row : table.rows) {
    for (const Assignment& set : row.sets) collection_of(set.output, outcome);
  }
  for (const Row* row : holding) {
    outcome.fired.push_back({&table, row});
    for (const Assignment& set : row->sets) {
      std::vector<std::string>& values = collection_of(set.output, outcome);
      std::string value = model::to_string(set.value);
      const auto place = std::lower_bound(values.begin(), values.end(), value);
      if (place == values.end() || *place != value) values.insert(place, std::move(value));
    }
  }
}

std::optional<Error> apply_first(const Table& table, Outcome& outcome) {
  for (const Row& row : table.rows) {
    if (!all_hold(row.when, outcome)) continue;
    fire(table, row, outcome);
    return std::nullopt;
  }
  return Error{Error::Kind::gap, table.name,
               "table " + quoted(table.name) + ": no row applies for " + values_read(table, outcome)};
}

std::optional<Error> apply_unique(const Table& table, Outcome& outcome) {
  std::vector<std::string_view> ids;
  const Row* chosen = nullptr;
  for (const Row& row : table.rows) {
    if (!all_hold(row.when, outcome)) continue;
    ids.push_back(row.id);
    chosen = &row;
  }
  if (ids.size() == 1) {
    fire(table, *chosen, outcome);
    return std::nullopt;
  }
  const std::string values = values_read(table, outcome);
  if (ids.empty()) {
    return Error{Error::Kind::gap, table.name, "table " + quoted(table.name) + ": no row applies for " + values};
  }
  return Error{Error::Kind::overlap, table.name,
               "table " + quoted(table.name) + ": rows " + quoted_list(ids) + " all apply for " + values};
}

}  // namespace

const FactValue* Outcome::output(std::string_view name) const {
  const NamedValue* found = find_named(outputs, name);
  return found != nullptr ? &found->value : nullptr;
}

const std::vector<std::string>* Outcome::collection(std::string_view name) const {
  for (const auto& [output, values] : collected) {
    if (output == name) return &values;
  }
  return nullptr;
}

std::variant<Outcome, EvaluationError> evaluate(const model::Policy& policy, const std::vector<NamedValue>& given) {
  auto facts = complete(policy, given);
  if (auto* error = std::get_if<Error>(&facts)) return std::move(*error);
  Outcome outcome;
  outcome.facts = std::move(std::get<std::vector<NamedValue>>(facts));
  for (const Table& table : policy.tables) {
    std::optional<Error> error;
    switch (table.hit) {
      case Hit::unique: error = apply_unique(table, outcome); break;
      case Hit::first: error = apply_first(table, outcome); break;
      case Hit::collect: collect(table, outcome); break;
    }
    if (error) return std::move(*error);
  }
  return outcome;
}

bool holds(const Term& term, const Outcome& outcome) {
  if (const FactValue* value = outcome.output(term.fact)) return model::holds(term, *value);
  if (const NamedValue* fact = find_named(outcome.facts, term.fact)) return model::holds(term, fact->value);
  // An output that no row has set yet is like an empty set: it has nothing.
  const std::vector<std::string>* set = outcome.collection(term.fact);
  return holds_of_set(term, set != nullptr ? *set : std::vector<std::string>{});
}

std::string reading(std::string_view name, const Outcome& outcome) {
  std::string text = std::string(name) + "=";
  if (const FactValue* value = outcome.output(name)) return text + model::to_string(*value);
  if (const NamedValue* fact = find_named(outcome.facts, name)) return text + model::to_string(fact->value);
  text += "[";
  if (const std::vector<std::string>* values = outcome.collection(name))
    for (const std::string& value : *values) text += (&value == &values->front() ? "" : ", ") + value;
  return text + "]";
}

std::vector<const model::Invariant*> broken_invariants(const model::Policy& policy, const Outcome& outcome) {
  std::vector<const model::Invariant*> broken;
  for (const model::Invariant& invariant : policy.invariants) {
    if (all_hold(invariant.when, outcome) && !holds(invariant.then, outcome)) broken.push_back(&invariant);
  }
  return broken;
}

}  // namespace muster::rules
