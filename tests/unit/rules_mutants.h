// Policies with one small fault each: what a slip of the hand makes of a rule file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/model/policy.h"

namespace muster {

struct Mutant {
  std::string what;  // "CO-020 without `nodes > 1`"
  model::Policy policy;
};

class MutantMaker {
 public:
  explicit MutantMaker(const model::Policy& policy) : policy_(policy) {}

  std::vector<Mutant> all() {
    for (std::size_t t = 0; t < policy_.tables.size(); ++t)
      for (std::size_t r = 0; r < policy_.tables[t].rows.size(); ++r) {
        add(policy_.tables[t].rows[r].id + " deleted", t,
            [&](std::vector<model::Row>& rows) { rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(r)); });
        for (std::size_t i = 0; i < policy_.tables[t].rows[r].when.size(); ++i) add_term(t, r, i);
      }
    for (std::size_t i = 0; i < policy_.thresholds.size(); ++i) add_threshold(i);
    return std::move(mutants_);
  }

 private:
  template <class Change>
  void add(std::string what, std::size_t table, Change change) {
    Mutant& mutant = mutants_.emplace_back(Mutant{std::move(what), policy_});
    change(mutant.policy.tables[table].rows);
  }

  void add_term(std::size_t t, std::size_t r, std::size_t i) {
    const model::Row& row = policy_.tables[t].rows[r];
    const model::Term& term = row.when[i];
    add(row.id + " without `" + term.text + "`", t, [&](std::vector<model::Row>& rows) {
      rows[r].when.erase(rows[r].when.begin() + static_cast<std::ptrdiff_t>(i));
    });
    for (const model::Term& wider : widened(term))
      add(row.id + " with `" + term.text + "` widened by " + model::to_string(wider.values.back()), t,
          [&](std::vector<model::Row>& rows) { rows[r].when[i] = wider; });
  }

  // The next number, or one word more.
  std::vector<model::Term> widened(const model::Term& term) const {
    using model::Compare;
    std::vector<model::Term> out;
    model::Term wider = term;
    if (auto* n = std::get_if<std::int64_t>(&wider.values[0])) {
      *n += term.compare == Compare::greater || term.compare == Compare::at_least ? -1 : 1;
      return {wider};
    }
    if (term.compare == Compare::not_in && term.values.size() > 1)
      for (std::size_t i = 0; i < term.values.size(); ++i) {
        out.push_back(term);
        std::swap(out.back().values[i], out.back().values.back());
        out.back().values.pop_back();
      }
    if (term.compare != Compare::equal && term.compare != Compare::in) return out;
    for (const std::string& word : words_of(term.fact)) {
      const model::FactValue value(word);
      if (std::find(term.values.begin(), term.values.end(), value) != term.values.end()) continue;
      out.push_back(term);
      out.back().compare = Compare::in;
      out.back().values.push_back(value);
    }
    return out;
  }

  std::vector<std::string> words_of(const std::string& name) const {
    if (const model::FactDeclaration* fact = policy_.fact(name)) return fact->values;
    std::vector<std::string> out;
    for (const model::Table& table : policy_.tables)
      for (const model::Row& row : table.rows)
        for (const model::Assignment& set : row.sets)
          if (set.output == name && std::find(out.begin(), out.end(), model::to_string(set.value)) == out.end())
            out.push_back(model::to_string(set.value));
    return out;
  }

  void add_threshold(std::size_t i) {
    const model::Threshold& threshold = policy_.thresholds[i];
    std::vector<model::FactValue> values;
    if (const auto* n = std::get_if<std::int64_t>(&threshold.value)) values = {*n - 1, *n + 1};
    for (const std::string& word : threshold.values)
      if (model::FactValue(word) != threshold.value) values.push_back(word);
    for (const model::FactValue& value : values) {
      Mutant& mutant = mutants_.emplace_back(Mutant{"$" + threshold.name + " = " + model::to_string(value), policy_});
      mutant.policy.thresholds[i].value = value;
      for (model::Table& table : mutant.policy.tables)
        for (model::Row& row : table.rows) {
          for (model::Term& term : row.when)
            for (std::size_t k = 0; k < term.thresholds.size(); ++k)
              if (term.thresholds[k] == threshold.name) term.values[k] = value;
          for (model::Assignment& set : row.sets)
            if (set.threshold == threshold.name) set.value = value;
        }
    }
  }

  const model::Policy& policy_;
  std::vector<Mutant> mutants_;
};

}  // namespace muster
