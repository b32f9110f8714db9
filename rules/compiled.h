// A policy laid out on its cells, for proofs that visit all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/model/policy.h"
#include "rules/box.h"

namespace muster::rules {

struct Output {
  std::string name;
  bool collected = false;
  std::vector<model::FactValue> values;  // a value's number is its place
  std::size_t first = 0, words = 0;      // of a collected one: its part of State::sets
};

// What the tables have set so far: of each output the number of its value, of collected ones a bit a value.
struct State {
  static constexpr std::int32_t unset = -1;
  std::vector<std::int32_t> values;
  std::vector<std::uint64_t> sets;
};

struct Condition {
  struct OutputTerm {
    const model::Term* term = nullptr;
    std::size_t output = 0;
    std::vector<std::int32_t> wanted = {};  // of a collected output: values, by number
    bool negated = false;                   // has none of them
    std::vector<bool> known = {};           // of another output: for which of the values it holds
  };
  Box box;                            // the terms on facts
  std::vector<std::uint32_t> narrow;  // the facts that the box does not leave whole
  std::vector<OutputTerm> outputs;
};

struct CompiledRow {
  struct Set {
    std::size_t output = 0;
    std::int32_t value = State::unset;  // unset: a text to put in front of what is there
  };
  const model::Row* row = nullptr;
  Condition when;
  std::vector<Set> sets;  // beside those of the row
};

struct CompiledTable {
  const model::Table* table = nullptr;
  std::vector<CompiledRow> rows;
};

struct CompiledInvariant {
  const model::Invariant* invariant = nullptr;
  Condition when, then;
};

class Compiled {
 public:
  // Borrows both.
  Compiled(const model::Policy& policy, const Space& space);

  const Space& space() const { return space_; }
  const model::Policy& policy() const { return policy_; }
  std::span<const CompiledTable> tables() const { return tables_; }
  std::span<const CompiledInvariant> invariants() const { return invariants_; }
  std::span<const Output> outputs() const { return outputs_; }

  State start() const;
  bool in_box(const Condition& condition, const Cell& cell) const;
  // Whether the terms on outputs hold; of collected ones too.
  bool holds(const Condition& condition, const State& state) const {  // inline: asked for every row of every cell
    for (const Condition::OutputTerm& term : condition.outputs)
      if (!holds(term, state)) return false;
    return true;
  }
  bool holds(const Condition::OutputTerm& term, const State& state) const;
  // Sets what a row sets; a text put in front of another makes a new value.
  void fire(const CompiledRow& row, State& state);

 private:
  std::size_t output_named(const std::string& name, bool collected);
  std::int32_t number_of(Output& output, const model::FactValue& value);
  Condition condition(const std::vector<model::Term>& terms);

  const model::Policy& policy_;
  const Space& space_;
  std::vector<Output> outputs_;
  std::vector<CompiledTable> tables_;
  std::vector<CompiledInvariant> invariants_;
  std::size_t set_words_ = 0;
};

}  // namespace muster::rules
