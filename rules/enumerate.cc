#include <algorithm>
#include <vector>

#include "rules/evidence.h"

namespace muster::rules {
namespace {

// Runs all tables on one cell and says what happened to `watch`. `meets(table, row)`: whether the row's terms on facts
// hold there.
template <class Meets, class Watch>
bool run(Compiled& compiled, State& state, std::vector<std::size_t>& holding, Meets&& meets, Watch&& watch) {
  for (std::size_t t = 0; t < compiled.tables().size(); ++t) {
    const CompiledTable& table = compiled.tables()[t];
    const model::Hit hit = table.table->hit;
    holding.clear();
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      if (!meets(t, r) || !compiled.holds(table.rows[r].when, state)) continue;
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

// Of every row, whether its terms on facts hold in the cell at hand: a bit a row. Neighbouring cells share their first
// facts, and what these say is kept.
class MetRows {
 public:
  explicit MetRows(const Compiled& compiled) : dimensions_(compiled.space().dimensions()) {
    std::vector<const Condition*> conditions;
    for (const CompiledTable& table : compiled.tables()) {
      first_.push_back(conditions.size());
      for (const CompiledRow& row : table.rows) conditions.push_back(&row.when);
    }
    words_ = (conditions.size() + 63) / 64;
    so_far_.assign((dimensions_.size() + 1) * words_, ~std::uint64_t{0});
    for (const Dimension& d : dimensions_) {
      begin_.push_back(admits_.size());
      for (std::uint32_t value = 0; value < d.classes.size(); ++value) {
        admits_.resize(admits_.size() + words_, 0);
        for (std::size_t n = 0; n < conditions.size(); ++n)
          if (has(conditions[n]->box, d, value))
            admits_[admits_.size() - words_ + n / 64] |= std::uint64_t{1} << n % 64;
      }
    }
  }

  // `from`: the first fact in which the cell differs from the last one.
  void go_to(const Cell& cell, std::size_t from) {
    for (std::size_t d = from; d < dimensions_.size(); ++d)
      for (std::size_t w = 0; w < words_; ++w)
        so_far_[(d + 1) * words_ + w] = so_far_[d * words_ + w] & admits_[begin_[d] + cell[d] * words_ + w];
  }

  bool operator()(std::size_t table, std::size_t row) const {
    const std::size_t n = first_[table] + row;
    return (so_far_[dimensions_.size() * words_ + n / 64] >> n % 64 & 1) != 0;
  }

 private:
  std::span<const Dimension> dimensions_;
  std::vector<std::size_t> first_;  // row of each table
  std::vector<std::size_t> begin_;  // of each fact's part of admits_
  std::size_t words_ = 0;
  std::vector<std::uint64_t> admits_;  // by fact and class of its values: the rows
  std::vector<std::uint64_t> so_far_;  // the rows that the first facts leave, for 0, 1, … of them
};

// The next cell in order, and the first fact that changed; after the last cell their number.
std::size_t next(const Space& space, Cell& cell) {
  for (std::size_t i = cell.size(); i-- > 0;) {
    if (++cell[i] < space.dimensions()[i].classes.size()) return i;
    cell[i] = 0;
  }
  return cell.size();
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
    MetRows met(compiled_);
    const auto watch = [&](std::size_t table, const auto& rows) { count(table, rows, cell); };
    std::size_t changed = 0;
    do {
      state = start;
      ++evidence_.cells;
      met.go_to(cell, changed);
      const bool good = run(compiled_, state, holding, met, watch);
      if (good) judge(cell, state);
      remember(good, state);
      changed = next(space_, cell);
    } while (changed < cell.size());
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
  const auto meets = [&](std::size_t t, std::size_t r) {
    return compiled.in_box(compiled.tables()[t].rows[r].when, cell);
  };
  return run(compiled, state, holding, meets, [](std::size_t, const auto&) {});
}

Evidence by_enumeration(const model::Policy& policy, const Space& space) { return Enumerator(policy, space).run_all(); }

}  // namespace muster::rules
