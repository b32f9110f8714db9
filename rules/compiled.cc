#include "rules/compiled.h"

#include <algorithm>

namespace muster::rules {

using model::Compare;

Compiled::Compiled(const model::Policy& policy, const Space& space) : policy_(policy), space_(space) {
  for (const model::Table& table : policy.tables)
    for (const model::Row& row : table.rows)
      for (const model::Assignment& set : row.sets) {
        Output& output = outputs_[output_named(set.output, table.hit == model::Hit::collect)];
        if (!set.prepend) number_of(output, set.value);
      }
  for (Output& output : outputs_) {
    if (!output.collected) continue;
    output.first = set_words_;
    output.words = (output.values.size() + 63) / 64;
    set_words_ += output.words;
  }
  for (const model::Table& table : policy.tables) {
    CompiledTable& compiled = tables_.emplace_back(CompiledTable{&table, {}});
    for (const model::Row& row : table.rows) {
      CompiledRow& made = compiled.rows.emplace_back(CompiledRow{&row, condition(row.when), {}});
      for (const model::Assignment& set : row.sets) {
        const std::size_t output = output_named(set.output, false);
        made.sets.push_back({output, set.prepend ? State::unset : number_of(outputs_[output], set.value)});
      }
    }
  }
  for (const model::Invariant& invariant : policy.invariants)
    invariants_.push_back({&invariant, condition(invariant.when), condition({invariant.then})});
}

std::size_t Compiled::output_named(const std::string& name, bool collected) {
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    if (outputs_[i].name == name) return i;
  outputs_.push_back({name, collected, {}});
  return outputs_.size() - 1;
}

std::int32_t Compiled::number_of(Output& output, const model::FactValue& value) {
  const auto at = std::find(output.values.begin(), output.values.end(), value) - output.values.begin();
  if (static_cast<std::size_t>(at) == output.values.size()) output.values.push_back(value);
  return static_cast<std::int32_t>(at);
}

Condition Compiled::condition(const std::vector<model::Term>& terms) {
  Condition out{space_.whole(), {}, {}};
  for (const model::Term& term : terms) {
    const auto output =
        std::find_if(outputs_.begin(), outputs_.end(), [&](const Output& o) { return o.name == term.fact; });
    if (output == outputs_.end() && space_.find(term.fact) != nullptr) {
      space_.restrict(out.box, term);
      continue;
    }
    // A name that nothing sets any more is like an empty set.
    Condition::OutputTerm compiled{&term, static_cast<std::size_t>(output - outputs_.begin())};
    compiled.negated = term.compare == Compare::not_equal || term.compare == Compare::not_in;
    if (output != outputs_.end() && output->collected)
      for (const model::FactValue& value : term.values) {
        const auto at = std::find(output->values.begin(), output->values.end(), value);
        if (at != output->values.end())
          compiled.wanted.push_back(static_cast<std::int32_t>(at - output->values.begin()));
      }
    if (output != outputs_.end() && !output->collected)
      for (const model::FactValue& value : output->values) compiled.known.push_back(model::holds(term, value));
    out.outputs.push_back(std::move(compiled));
  }
  const Box whole = space_.whole();
  for (std::uint32_t i = 0; i < space_.dimensions().size(); ++i) {
    const Dimension& d = space_.dimensions()[i];
    const auto begin = static_cast<std::ptrdiff_t>(d.first), end = static_cast<std::ptrdiff_t>(d.first + d.words);
    if (!std::equal(whole.begin() + begin, whole.begin() + end, out.box.begin() + begin)) out.narrow.push_back(i);
  }
  return out;
}

State Compiled::start() const {
  return {std::vector<std::int32_t>(outputs_.size(), State::unset), std::vector<std::uint64_t>(set_words_, 0)};
}

bool Compiled::in_box(const Condition& condition, const Cell& cell) const {
  for (const std::uint32_t i : condition.narrow)
    if (!has(condition.box, space_.dimensions()[i], cell[i])) return false;
  return true;
}

bool Compiled::holds(const Condition::OutputTerm& term, const State& state) const {
  if (term.output == outputs_.size()) return term.negated;
  const Output& output = outputs_[term.output];
  if (!output.collected) {
    const std::int32_t value = state.values[term.output];
    if (value == State::unset) return term.negated;
    const auto n = static_cast<std::size_t>(value);
    return n < term.known.size() ? term.known[n] : model::holds(*term.term, output.values[n]);
  }
  const bool any = std::any_of(term.wanted.begin(), term.wanted.end(), [&](std::int32_t value) {
    const auto n = static_cast<std::size_t>(value);
    return (state.sets[output.first + n / 64] >> (n % 64) & 1) != 0;
  });
  return any != term.negated;
}

void Compiled::fire(const CompiledRow& row, State& state) {
  for (std::size_t i = 0; i < row.sets.size(); ++i) {
    Output& output = outputs_[row.sets[i].output];
    std::int32_t& present = state.values[row.sets[i].output];
    std::int32_t value = row.sets[i].value;
    if (value == State::unset) {
      const std::string front = model::to_string(row.row->sets[i].value);
      value = number_of(output, present == State::unset
                                    ? front
                                    : front + model::to_string(output.values[static_cast<std::size_t>(present)]));
    }
    const auto n = static_cast<std::size_t>(value);
    if (!output.collected) present = value;
    else state.sets[output.first + n / 64] |= std::uint64_t{1} << (n % 64);
  }
}

}  // namespace muster::rules
