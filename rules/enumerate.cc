#include <algorithm>
#include <vector>

#include "rules/evidence.h"

namespace muster::rules {
namespace {

// Runs all tables on one cell and says what happened to `Watch`.
template <class Watch>
bool run(Compiled& compiled, const Cell& cell, State& state, std::vector<std::size_t>& holding, Watch&& watch) {
  for (std::size_t t = 0; t < compiled.tables().size(); ++t) {
    const CompiledTable& table = compiled.tables()[t];
    const model::Hit hit = table.table->hit;
    holding.clear();
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const Condition& when = table.rows[r].when;
      if (!compiled.in_box(when, cell) || !compiled.holds(when, state)) continue;
      holding.push_back(r);
      if (hit == model::Hit::first) break;
    }
    watch(t, holding);
    if (hit != model::Hit::collect && holding.empty()) return false;
    if (hit == model::Hit::unique && holding.size() > 1) return false;
    for (const std::size_t r : holding) compiled.fire(table.rows[r], state);
  }
  return true;
}

// The next cell in order; false after the last.
bool next(const Space& space, Cell& cell) {
  for (std::size_t i = cell.size(); i-- > 0;) {
    if (++cell[i] < space.dimensions()[i].classes.size()) return true;
    cell[i] = 0;
  }
  return false;
}

class Enumerator {
 public:
  Enumerator(const model::Policy& policy, const Space& space) : space_(space), compiled_(policy, space) {
    for (const CompiledTable& table : compiled_.tables()) reached_.emplace_back(table.rows.size());
    asked_.resize(compiled_.invariants().size());
    broken_.resize(compiled_.invariants().size());
    outputs_ = compiled_.outputs().size();
  }

  Evidence run_all() {
    Cell cell(space_.dimensions().size(), 0);
    std::vector<std::size_t> holding;
    const State start = compiled_.start();
    State state = start;
    do {
      state = start;
      ++evidence_.cells;
      const bool good =
          run(compiled_, cell, state, holding, [&](std::size_t table, const auto& rows) { count(table, rows, cell); });
      if (good) judge(cell, state);
      remember(good, state);
    } while (next(space_, cell));
    find_reactions();
    collect();
    return std::move(evidence_);
  }

 private:
  void count(std::size_t table, const std::vector<std::size_t>& rows, const Cell& cell) {
    const model::Hit hit = compiled_.tables()[table].table->hit;
    if (rows.empty() && hit != model::Hit::collect) evidence_.gaps[table].add(1, cell);
    for (const std::size_t row : rows) reached_[table][row].add_next(cell);
    if (hit != model::Hit::unique) return;
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = i + 1; j < rows.size(); ++j)
        evidence_.overlaps[{{table, rows[i]}, {table, rows[j]}}].add(1, cell);
  }

  void judge(const Cell& cell, const State& state) {
    for (std::size_t i = 0; i < compiled_.invariants().size(); ++i) {
      const CompiledInvariant& invariant = compiled_.invariants()[i];
      if (!compiled_.in_box(invariant.when, cell) || !compiled_.holds(invariant.when, state)) continue;
      asked_[i].add_next(cell);
      if (!compiled_.in_box(invariant.then, cell) || !compiled_.holds(invariant.then, state)) broken_[i].add(1, cell);
    }
  }

  // The answers of a cell, each as a number; -2 where there is none.
  void remember(bool good, const State& state) {
    for (std::size_t o = 0; o < outputs_; ++o) {
      const Output& output = compiled_.outputs()[o];
      std::int32_t number = -2;
      if (good && !output.collected) number = state.values[o];
      else if (good) number = number_of(output, state);
      answers_.push_back(number);
    }
  }

  // A set of values as a number: its bits where these are few.
  std::int32_t number_of(const Output& output, const State& state) {
    if (output.values.size() <= 30) return static_cast<std::int32_t>(state.sets[output.first]);
    const auto begin = state.sets.begin() + static_cast<std::ptrdiff_t>(output.first);
    key_.assign(begin, begin + static_cast<std::ptrdiff_t>(output.words));
    return sets_.try_emplace(key_, static_cast<std::int32_t>(sets_.size())).first->second;
  }

  // An output reacts to a fact if two cells that differ in nothing else have two answers.
  void find_reactions() {
    const auto cells = static_cast<std::size_t>(evidence_.cells);
    const bool whole = evidence_.gaps.empty() && evidence_.overlaps.empty();
    std::size_t stride = cells;
    for (const Dimension& d : space_.dimensions()) {
      const std::size_t block = stride, n = d.classes.size();
      stride /= n;
      const std::vector<char> differ = whole ? neighbours_differ(block, stride) : std::vector<char>();
      for (std::size_t o = 0; o < outputs_; ++o)
        if (whole ? differ[o] != 0 : reacts(cells, block, stride, o))
          evidence_.reactions.emplace(compiled_.outputs()[o].name, d.fact);
    }
  }

  // Where every cell has an answer: the outputs in which some cell and its neighbour along one fact differ.
  std::vector<char> neighbours_differ(std::size_t block, std::size_t stride) const {
    std::vector<char> out(outputs_, 0);
    const std::size_t size = answers_.size(), step = stride * outputs_;
    for (std::size_t base = 0; base < size; base += block * outputs_)
      for (std::size_t i = base + step; i < base + block * outputs_; i += outputs_)
        for (std::size_t o = 0; o < outputs_; ++o) out[o] |= answers_[i + o] != answers_[i + o - step] ? 1 : 0;
    return out;
  }

  bool reacts(std::size_t cells, std::size_t block, std::size_t stride, std::size_t output) const {
    for (std::size_t base = 0; base < cells; base += block)
      for (std::size_t line = base; line < base + stride; ++line) {
        std::int32_t seen = -2;
        for (std::size_t cell = line; cell < base + block; cell += stride) {
          const std::int32_t here = answers_[cell * outputs_ + output];
          if (here == -2) continue;
          if (seen != -2 && here != seen) return true;
          seen = here;
        }
      }
    return false;
  }

  void collect() {
    for (std::size_t t = 0; t < reached_.size(); ++t)
      for (std::size_t r = 0; r < reached_[t].size(); ++r)
        if (reached_[t][r].cells > 0) evidence_.reached[{t, r}] = reached_[t][r];
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      if (asked_[i].cells > 0) evidence_.asked[i] = asked_[i];
      if (broken_[i].cells > 0) evidence_.broken[i] = broken_[i];
    }
  }

  const Space& space_;
  Compiled compiled_;
  Evidence evidence_;
  std::vector<std::vector<Tally>> reached_;
  std::vector<Tally> asked_, broken_;
  std::size_t outputs_ = 0;
  std::vector<std::int32_t> answers_;  // cell after cell, all outputs of each
  std::map<std::vector<std::uint64_t>, std::int32_t> sets_;
  std::vector<std::uint64_t> key_;
};

}  // namespace

bool answer(Compiled& compiled, const Cell& cell, State& state) {
  std::vector<std::size_t> holding;
  return run(compiled, cell, state, holding, [](std::size_t, const auto&) {});
}

Evidence by_enumeration(const model::Policy& policy, const Space& space) { return Enumerator(policy, space).run_all(); }

}  // namespace muster::rules
