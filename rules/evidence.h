// What a proof finds, by either of two ways that must agree: every cell in turn, or boxes of cells.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "rules/box.h"
#include "rules/compiled.h"

namespace muster::rules {

// Tables, rows, invariants, facts and outputs by their number in the policy; rows as table and row.
using RowNumber = std::pair<std::size_t, std::size_t>;

// A cell in which a table has a gap or an overlap has no answer: what comes after that table does not see it.
struct Evidence {
  std::uint64_t cells = 0;
  std::map<std::size_t, Tally> gaps;                          // of tables `unique` and `first`
  std::map<std::pair<RowNumber, RowNumber>, Tally> overlaps;  // of tables `unique`
  std::map<RowNumber, Tally> reached;                         // where the row holds, or is the first to
  std::map<std::size_t, Tally> asked, broken;                 // invariants
  std::set<std::pair<std::string, std::string>> reactions;    // output and a fact that it depends on

  friend bool operator==(const Evidence&, const Evidence&) = default;
};

constexpr std::uint64_t most_enumerated = std::uint64_t{1} << 20;  // cells
constexpr std::size_t most_boxes = 5'000, most_classes = 4'096;

Evidence by_enumeration(const model::Policy& policy, const Space& space);
// nullopt: more than most_boxes.
std::optional<Evidence> by_boxes(const model::Policy& policy, const Space& space);

// Runs the tables on one cell. False: a gap or an overlap.
bool answer(Compiled& compiled, const Cell& cell, State& state);

// Parts of the space in which an output has one value (of a collected one: has it or not), without overlap.
struct Part {
  Box box;
  std::string value;
};
// Every output by name. nullopt: more than most_boxes.
std::optional<std::map<std::string, std::vector<Part>>> parts_by_output(const model::Policy& policy,
                                                                        const Space& space);

}  // namespace muster::rules
