// The proof of a policy: no gap, no overlap, nothing dead, every invariant kept, over all facts there can be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/model/policy.h"
#include "rules/evidence.h"

namespace muster::rules {

struct Finding {
  enum class Kind : std::uint8_t {
    gap,               // facts for which a table has no row
    overlap,           // two rows of a `unique` table hold
    unreachable,       // a row that never holds, or never first
    unknown_value,     // a condition asks for a value that no row gives
    dead_fact,         // no output depends on it
    read_fact,         // said to be unread, and an output depends on it
    broken_invariant,  //
    idle_invariant,    // its condition is met nowhere
    no_reason,         // a row without one
    no_case,           // a row that no named case shows
    too_large          // more boxes than the proof takes
  } kind = Kind::gap;
  std::string subject;                             // table, row, fact or invariant
  std::vector<std::string> rows;                   // that it is about
  std::uint64_t cells = 0;                         // for which it is so
  std::optional<std::vector<NamedValue>> witness;  // the first of them
  std::string text;                                // in words, without the witness
  Span span;
};

// "gap", "dead-fact", …
std::string_view name(Finding::Kind kind);

struct Verification {
  std::uint64_t cells = 0;
  bool enumerated = false;  // cell by cell, else by boxes
  std::size_t tables = 0, rows = 0, invariants = 0;
  std::vector<Finding> findings;
  // Of each output the facts that it depends on, in the order of the policy.
  std::vector<std::pair<std::string, std::vector<std::string>>> depends;
};

// Cell by cell up to most_enumerated of them, by boxes above. What is asked of the rows themselves is here; that each
// has a named case is rules/cases.h.
Verification verify(const model::Policy& policy);

// "nodes=1, tightly-coupled=true": a witness, without the facts that have their default.
std::string describe(const model::Policy& policy, const std::vector<NamedValue>& facts);

}  // namespace muster::rules
