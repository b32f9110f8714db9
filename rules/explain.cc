#include "rules/explain.h"

#include <algorithm>
#include <limits>
#include <set>

#include "compiler/base/text.h"
#include "rules/evidence.h"

namespace muster::rules {
namespace {

using model::FactType;
using model::FactValue;

constexpr std::size_t most_tried = 300'000;

TermReading read(const model::Term& term, const Outcome& outcome) {
  TermReading out{term.text, reading(term.fact, outcome), holds(term, outcome), {}};
  for (const Fired& fired : outcome.fired)
    for (const model::Assignment& set : fired.row->sets)
      if (set.output == term.fact) out.by = fired.row->id;
  return out;
}

// "slurm", "control-plane=slurm" or a row's id.
bool is_wanted(const model::Row& row, const model::Assignment& set, std::string_view wanted) {
  const std::string value = model::to_string(set.value);
  const std::size_t equals = wanted.find('=');
  if (equals == std::string_view::npos) return row.id == wanted || value == wanted;
  return dashed(wanted.substr(0, equals)) == set.output && value == wanted.substr(equals + 1);
}

// A fact's classes as values near its own.
std::vector<FactValue> others(const Dimension& d, const model::FactDeclaration& fact, std::uint32_t own) {
  std::vector<FactValue> out;
  for (std::uint32_t i = 0; i < d.classes.size(); ++i) {
    if (i == own) continue;
    const bool below = fact.type == FactType::integer && i < own;
    if (below) out.push_back(std::get<std::int64_t>(d.classes[i + 1]) - 1);  // its greatest
    else out.push_back(d.classes[i]);
  }
  return out;
}

class FlipSearch {
 public:
  FlipSearch(const model::Policy& policy, const std::vector<NamedValue>& given, std::string_view output,
             std::span<const std::string_view> fixed, std::string_view ignored)
      : policy_(policy), space_(policy), compiled_(policy, space_) {
    for (const std::string& name : answer_outputs(policy))
      for (std::size_t o = 0; o < compiled_.outputs().size(); ++o)
        if (compiled_.outputs()[o].name == name && (output.empty() ? ignored != name : output == name))
          asked_.push_back(o);
    given_.resize(policy.facts.size());
    for (std::size_t i = 0; i < policy.facts.size(); ++i)
      for (const NamedValue& fact : given)
        if (fact.name == policy.facts[i].name) given_[i] = fact.value;
    completed_ = complete(given_);
    base_ = compiled_.start();
    good_ = answered(completed_, base_);
    for (std::size_t i = 0; i < policy.facts.size(); ++i) {
      const Dimension& d = space_.dimensions()[i];
      const bool changes = std::find(fixed.begin(), fixed.end(), policy.facts[i].name) == fixed.end();
      others_.push_back(changes ? others(d, policy.facts[i], space_.class_of(d, completed_[i]))
                                : std::vector<FactValue>{});
    }
  }

  Flips run() {
    Flips out;
    if (!good_) return out;
    for (std::size_t size = 1; size <= 3; ++size) extend({}, 0, size, out);
    return out;
  }

 private:
  using Step = std::pair<std::size_t, std::size_t>;  // a fact and which of its other values
  using Steps = std::vector<Step>;
  using Values = std::vector<std::optional<FactValue>>;

  // Defaults filled in; facts that follow another one move with it.
  std::vector<FactValue> complete(const Values& given) const {
    std::vector<FactValue> out;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const model::FactDeclaration& fact = policy_.facts[i];
      std::optional<FactValue> value = given[i];
      for (std::size_t j = 0; j < i && !value; ++j)
        if (policy_.facts[j].name == fact.default_from) value = out[j];
      out.push_back(value ? *value : fact.fallback.value_or(space_.dimensions()[i].classes[0]));
    }
    return out;
  }

  bool answered(const std::vector<FactValue>& values, State& state) {
    Cell cell;
    for (std::size_t i = 0; i < values.size(); ++i) cell.push_back(space_.class_of(space_.dimensions()[i], values[i]));
    return answer(compiled_, cell, state);
  }

  void extend(const Steps& steps, std::size_t from, std::size_t size, Flips& out) {
    for (std::size_t fact = from; fact < others_.size(); ++fact)
      for (std::size_t n = 0; n < others_[fact].size(); ++n) {
        Steps longer = steps;
        longer.emplace_back(fact, n);
        if (known_.count(longer) != 0 || contains_known(longer)) continue;
        if (longer.size() < size) extend(longer, fact + 1, size, out);
        else if (++tried_ <= most_tried) test(longer, out);
        else out.complete = false;
        if (!out.complete) return;
      }
  }

  // Whether a part of it alters the answer already: pairs inside a triple, single steps inside both.
  bool contains_known(const Steps& steps) const {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (known_.count({steps[i]}) != 0) return true;
      for (std::size_t j = i + 1; j < steps.size(); ++j)
        if (known_.count({steps[i], steps[j]}) != 0) return true;
    }
    return false;
  }

  void test(const Steps& steps, Flips& out) {
    Values given = given_;
    for (const auto& [fact, n] : steps) given[fact] = others_[fact][n];
    State state = compiled_.start();
    if (!answered(complete(given), state)) return;
    Flip flip;
    for (const std::size_t o : asked_) compare(o, state, flip);
    if (flip.outputs.empty()) return;
    known_.insert(steps);
    for (const auto& [fact, n] : steps)
      flip.changes.push_back({policy_.facts[fact].name, completed_[fact], others_[fact][n]});
    out.items.push_back(std::move(flip));
  }

  void compare(std::size_t number, const State& state, Flip& flip) const {
    const Output& output = compiled_.outputs()[number];
    OutputChange change{output.name, {}, {}};
    if (!output.collected) {
      if (base_.values[number] == state.values[number]) return;
      change.from = text(output, base_.values[number]);
      change.to = text(output, state.values[number]);
    } else {
      for (std::size_t i = 0; i < output.values.size(); ++i) {
        const bool before = in(base_, output, i), after = in(state, output, i);
        if (before == after) continue;
        std::string& list = before ? change.from : change.to;
        list += (list.empty() ? "" : ", ") + model::to_string(output.values[i]);
      }
      if (change.from.empty() && change.to.empty()) return;
    }
    flip.outputs.push_back(std::move(change));
  }

  static bool in(const State& state, const Output& output, std::size_t value) {
    return (state.sets[output.first + value / 64] >> (value % 64) & 1) != 0;
  }

  static std::string text(const Output& output, std::int32_t value) {
    return value == State::unset ? "nothing" : model::to_string(output.values[static_cast<std::size_t>(value)]);
  }

  const model::Policy& policy_;
  Space space_;
  Compiled compiled_;
  std::vector<std::size_t> asked_;
  Values given_;
  std::vector<FactValue> completed_;
  std::vector<std::vector<FactValue>> others_;
  State base_;
  bool good_ = false;
  std::set<Steps> known_;  // steps that alter the answer
  std::size_t tried_ = 0;
};

}  // namespace

std::vector<Candidate> why_not(const model::Policy& policy, const Outcome& outcome, std::string_view wanted) {
  std::vector<Candidate> out;
  for (const model::Table& table : policy.tables)
    for (const model::Row& row : table.rows)
      for (const model::Assignment& set : row.sets) {
        if (!is_wanted(row, set, wanted)) continue;
        Candidate candidate{&row, set.output, model::to_string(set.value), {}, 0, false};
        for (const model::Term& term : row.when) {
          candidate.terms.push_back(read(term, outcome));
          candidate.failing += candidate.terms.back().holds ? 0 : 1;
        }
        for (const Fired& fired : outcome.fired) candidate.holds = candidate.holds || fired.row == &row;
        out.push_back(std::move(candidate));
      }
  std::stable_sort(out.begin(), out.end(),
                   [](const Candidate& a, const Candidate& b) { return a.failing < b.failing; });
  return out;
}

std::vector<std::string> answer_outputs(const model::Policy& policy) {
  std::vector<std::string> all;
  for (const model::Table& table : policy.tables)
    for (const model::Row& row : table.rows)
      for (const model::Assignment& set : row.sets)
        if (std::find(all.begin(), all.end(), set.output) == all.end()) all.push_back(set.output);
  if (std::find(all.begin(), all.end(), "control-plane") == all.end()) return all;
  std::vector<std::string> out;
  for (const char* name : {"control-plane", "runtime", "layout", "requires", "advice"})
    if (std::find(all.begin(), all.end(), name) != all.end()) out.push_back(name);
  return out;
}

Flips flips(const model::Policy& policy, const std::vector<NamedValue>& given, std::string_view output,
            std::span<const std::string_view> fixed, std::string_view ignored) {
  return FlipSearch(policy, given, output, fixed, ignored).run();
}

}  // namespace muster::rules
