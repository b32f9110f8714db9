// Evaluates a policy's tables on facts. Tables run in file order and later ones read earlier outputs.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/model/policy.h"

namespace muster::rules {

struct NamedValue {
  std::string name;
  model::FactValue value;
};

struct Fired {
  const model::Table* table;
  const model::Row* row;
};

// What the tables say of one set of facts. Borrows the rows of the policy, which must outlive it.
struct Outcome {
  std::vector<NamedValue> facts;                                            // all declared, with defaults filled in
  std::vector<NamedValue> outputs;                                          // of unique and first tables, in order
  std::vector<std::pair<std::string, std::vector<std::string>>> collected;  // sorted, each once
  std::vector<Fired> fired;                                                 // in table order

  const model::FactValue* output(std::string_view name) const;
  const std::vector<std::string>* collection(std::string_view name) const;
};

// Facts or a policy that cannot be evaluated: an unknown fact, a wrong type or range, a required
// fact that is missing, no or two rows of a `unique` table.
struct EvaluationError {
  enum class Kind { unknown_fact, bad_value, missing_fact, gap, overlap } kind;
  std::string subject;  // fact or table
  std::string text;
};

std::variant<Outcome, EvaluationError> evaluate(const model::Policy& policy, const std::vector<NamedValue>& facts);

// Whether a term holds of what was found so far. Of a collected output, == and `in` say "has one of these".
bool holds(const model::Term& term, const Outcome& outcome);

// "coupled=multi-node", "requires=[gpu-stack]": what a term reads.
std::string reading(std::string_view name, const Outcome& outcome);

// The invariants that an outcome breaks; empty for a sound policy.
std::vector<const model::Invariant*> broken_invariants(const model::Policy& policy, const Outcome& outcome);

}  // namespace muster::rules
