// A policy as constant data, the form in which the build writes the built-in profiles: flat arrays
// of one kind each, and ranges into them. Names and texts are literals.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "compiler/model/policy.h"

namespace muster::rules::data {

// A part of one of the arrays below.
struct Range {
  std::uint16_t first = 0;
  std::uint16_t count = 0;
};

// text for a symbol, number for the other types (0 and 1 for a boolean).
struct Value {
  model::FactType type;
  std::int64_t number;
  std::string_view text;
};

struct Bound {
  bool set;
  std::int64_t value;
};

struct Fact {
  std::string_view name;
  model::FactType type;
  Range words;
  Bound min, max;
  Range fallback;  // none or one value
  std::string_view default_from;
  std::string_view unread;
};

struct Threshold {
  std::string_view name;
  Value value;
  Range words;
  Bound min, max;
  std::string_view source;
};

struct Term {
  std::string_view fact;
  model::Compare compare;
  Range values;
  std::string_view text;
  Range thresholds;  // words beside the values
};

struct Assignment {
  std::string_view output;
  Value value;
  bool prepend;
  std::string_view threshold;
};

struct Row {
  std::string_view id, reason, cite;
  Range when, sets;
  bool locked;
};

struct Table {
  std::string_view name;
  model::Hit hit;
  Range rows;
};

struct Invariant {
  std::string_view id;
  bool locked;
  Range when;
  Term then;
  std::string_view text;
};

struct Addon {
  std::string_view name;
  Range satisfies;  // words
  std::string_view needs, versions, source;
};

struct Policy {
  std::string_view name, version, digest;
  bool locked;
  std::span<const std::string_view> words;
  std::span<const Value> values;
  std::span<const Term> terms;
  std::span<const Assignment> assignments;
  std::span<const Row> rows;
  std::span<const Fact> facts;
  std::span<const Threshold> thresholds;
  std::span<const Table> tables;
  std::span<const Invariant> invariants;
  std::span<const Addon> addons;
};

// The policy with its own strings. Its spans are nowhere: no file is needed beside the binary.
model::Policy build(const Policy& data);

}  // namespace muster::rules::data
