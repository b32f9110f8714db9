// Rule files: facts, thresholds, tables and invariants as plain data. The conditions of a row are
// boxes (a conjunction of single-fact terms), so that every analysis of a table is exact.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
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
  std::string unread = {};  // why no row reads it; "" if one does
};

// The only numbers and words that a site may change freely, within its bounds.
struct Threshold {
  std::string name;
  FactValue value;
  std::vector<std::string> values;
  std::optional<std::int64_t> min, max;
  std::string source;
  Span span;
  std::string layer = {};  // who gave the value
};

struct Assignment {
  std::string output;
  FactValue value;
  // `out = concat("TEXT", out)`: put the value in front of what the output holds (hit first only).
  bool prepend = false;
  std::string threshold = {};  // `out = $NAME`: whose value it is
};

struct Row {
  std::string id;
  std::string reason;
  std::string cite;
  std::vector<Term> when;  // all must hold; empty: always
  std::vector<Assignment> sets;
  Span span;
  bool locked = false;     // no layer may touch it
  std::string layer = {};  // the rules that gave it
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
  std::string layer = {};
};

// What fulfils a requirement, and under which condition.
struct Addon {
  std::string name;
  std::vector<std::string> satisfies;  // values of `requires`
  std::string needs;                   // what must hold besides; "" if nothing
  std::string versions;
  std::string source;
  Span span;
};

// A row or an invariant that a layer takes out of force.
struct Disabled {
  std::string id, reason, owner, expires;  // YYYY-MM-DD
  std::string layer;
  Span span;
};

// A lint finding that a team accepts for some workloads.
struct Waiver {
  std::string code, subject, reason, owner, expires;
  std::string layer;
  Span span;
};

// A named case: facts, and what must come of them.
struct Case {
  std::string name;
  std::vector<std::pair<std::string, FactValue>> facts;
  std::vector<std::pair<std::string, std::vector<std::string>>> expect;  // outputs, each with all its values, sorted
  std::vector<std::string> rows;                                         // that must hold
  Span span;
};

// A policy in force: its layers are merged and its thresholds have their values.
struct Policy {
  std::string name;
  std::string version;
  bool locked = false;              // no layer may extend it
  std::vector<std::string> layers;  // names, from the base to this one
  std::vector<FactDeclaration> facts;
  std::vector<Threshold> thresholds;
  std::vector<Table> tables;
  std::vector<Invariant> invariants;
  std::vector<Addon> addons;
  std::vector<Disabled> disabled;
  std::vector<Waiver> waivers;
  Span span;
  std::string known_digest;  // of a built-in profile, from the build; whoever changes the policy clears it

  const FactDeclaration* fact(std::string_view name) const {
    for (const auto& f : facts)
      if (f.name == name) return &f;
    return nullptr;
  }
};

}  // namespace muster::model
