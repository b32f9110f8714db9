// What every room shares about values of the model: where one was written, what a fact can be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/base/source.h"

namespace muster::model {

// A value and the place that gave it. The span is nowhere for a default.
template <class T>
struct Located {
  T value{};
  Span span{};
};

// A value that no place gave.
template <class T>
Located<T> unplaced(T value) {
  return {std::move(value), {}};
}

template <class T>
using Optional = std::optional<Located<T>>;

// A lint finding that is meant.
struct Allow {
  std::string code;
  Located<std::string> reason;
  Optional<std::string> until;  // "2026-01-31"
  Span span;
};

// Facts are booleans, integers (sizes in bytes, rates in bit/s) or symbols.
using FactValue = std::variant<bool, std::int64_t, std::string>;

inline std::string to_string(const FactValue& value) {
  if (const bool* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  if (const std::int64_t* i = std::get_if<std::int64_t>(&value)) return std::to_string(*i);
  return std::get<std::string>(value);
}

enum class Compare : std::uint8_t { equal, not_equal, less, at_most, greater, at_least, in, not_in };

// One fact against constants: `gpu.memory >= 80GB`, `network.fabric in [infiniband, roce]`.
// A bare boolean fact is `== true`, `not fact` is `== false`.
struct Term {
  std::string fact;
  Compare compare = Compare::equal;
  std::vector<FactValue> values;  // one, except for in and not_in
  std::string text;               // as the user wrote it, for messages
  Span span;
  std::vector<std::string> thresholds = {};  // beside the values: whose value one is, "" for a constant
};

// A condition over facts: a tree of `and`, `or`, `not` with terms at the leaves.
struct Predicate {
  enum class Kind : std::uint8_t { term, all, any, negation } kind = Kind::term;
  Term term;                        // kind term
  std::vector<Predicate> operands;  // the other kinds; one for negation
  Span span;
};

// Whether `value` satisfies a term. False where the types cannot be compared.
bool holds(const Term& term, const FactValue& value);

enum class Truth : std::uint8_t { no, yes, unknown };

// Three-valued: a fact for which `lookup` returns nullptr is unknown, and stays so unless the other
// operands decide.
template <class Lookup>
Truth evaluate(const Predicate& predicate, const Lookup& lookup) {
  switch (predicate.kind) {
    case Predicate::Kind::term: {
      const FactValue* value = lookup(predicate.term.fact);
      if (value == nullptr) return Truth::unknown;
      return holds(predicate.term, *value) ? Truth::yes : Truth::no;
    }
    case Predicate::Kind::negation: {
      const Truth inner = evaluate(predicate.operands[0], lookup);
      return inner == Truth::unknown ? inner : inner == Truth::yes ? Truth::no : Truth::yes;
    }
    case Predicate::Kind::all:
    case Predicate::Kind::any: break;
  }
  const Truth decisive = predicate.kind == Predicate::Kind::all ? Truth::no : Truth::yes;
  bool unknown = false;
  for (const Predicate& operand : predicate.operands) {
    const Truth t = evaluate(operand, lookup);
    if (t == decisive) return decisive;
    unknown |= t == Truth::unknown;
  }
  if (unknown) return Truth::unknown;
  return decisive == Truth::no ? Truth::yes : Truth::no;
}

}  // namespace muster::model
