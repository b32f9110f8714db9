// Rule files: facts, thresholds, tables and invariants as plain data. The conditions of a row are
// boxes (a conjunction of single-fact terms), so that every analysis of a table is exact.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/model/value.h"

namespace muster::model {

enum class FactType : std::uint8_t { boolean, integer, symbol };

struct FactDeclaration {
  std::string name;
  FactType type = FactType::boolean;
  std::vector<std::string> values;       // symbols
  std::optional<std::int64_t> min, max;  // integers
  std::optional<FactValue> fallback;     // default
  std::string default_from;              // another fact's name, "" if none
  Span span;
};

// The only numbers and words that a site may change freely, within its bounds.
struct Threshold {
  std::string name;
  FactValue value;
  std::vector<std::string> values;
  std::optional<std::int64_t> min, max;
  std::string source;
  Span span;
};

struct Assignment {
  std::string output;
  FactValue value;
  // `out = concat("TEXT", out)`: put the value in front of what the output holds (hit first only).
  bool prepend = false;
};

struct Row {
  std::string id;
  std::string reason;
  std::string cite;
  std::vector<Term> when;  // all must hold; empty: always
  std::vector<Assignment> sets;
  Span span;
};

// unique: exactly one row holds. collect: the set union of all that hold. first: the first that holds.
enum class Hit : std::uint8_t { unique, collect, first };

struct Table {
  std::string name;
  Hit hit = Hit::unique;
  std::vector<Row> rows;
  Span span;
};

// In every cell where `when` holds, `then` holds. Of a collected output, == and `in` say "has".
struct Invariant {
  std::string id;
  bool locked = false;
  std::vector<Term> when;
  Term then;
  std::string text;
  Span span;
};

struct Policy {
  std::string name;
  std::string version;
  std::vector<FactDeclaration> facts;
  std::vector<Threshold> thresholds;
  std::vector<Table> tables;
  std::vector<Invariant> invariants;
  Span span;

  const FactDeclaration* fact(std::string_view name) const {
    for (const auto& f : facts)
      if (f.name == name) return &f;
    return nullptr;
  }
};

}  // namespace muster::model
