#include "rules/box.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace muster::rules {
namespace {

using model::Compare;
using model::FactType;
using model::FactValue;

constexpr auto most = std::numeric_limits<std::uint64_t>::max();

std::uint64_t times(std::uint64_t a, std::uint64_t b) { return b != 0 && a > most / b ? most : a * b; }

void insert_sorted(std::vector<FactValue>& values, FactValue value) {
  const auto at = std::lower_bound(values.begin(), values.end(), value);
  if (at == values.end() || *at != value) values.insert(at, std::move(value));
}

}  // namespace

Box operator&(const Box& a, const Box& b) {
  Box out = a;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] &= b[i];
  return out;
}

bool has(const Box& box, const Dimension& dimension, std::uint32_t number) {
  return (box[dimension.first + number / 64] >> (number % 64) & 1) != 0;
}

void Tally::add(std::uint64_t count, const Cell& cell) {
  cells = count > most - cells ? most : cells + count;
  if (!least || cell < *least) least = cell;
}

Space::Space(const model::Policy& policy) : Space(std::vector<const model::Policy*>{&policy}) {}

Space::Space(std::span<const model::Policy* const> policies) {
  for (const model::Policy* policy : policies) add(*policy);
  for (const model::Policy* policy : policies) {
    for (const model::Table& table : policy->tables)
      for (const model::Row& row : table.rows)
        for (const model::Term& term : row.when) cut(*policy, term);
    for (const model::Invariant& invariant : policy->invariants) {
      for (const model::Term& term : invariant.when) cut(*policy, term);
      cut(*policy, invariant.then);
    }
  }
  for (Dimension& d : dimensions_) {
    d.first = words_;
    d.words = (d.classes.size() + 63) / 64;
    words_ += d.words;
  }
}

void Space::add(const model::Policy& policy) {
  for (const model::FactDeclaration& fact : policy.facts) {
    const auto same = [&](const Dimension& d) { return d.fact == fact.name && d.type == fact.type; };
    auto known = std::find_if(dimensions_.begin(), dimensions_.end(), same);
    if (known == dimensions_.end()) known = dimensions_.insert(known, {fact.name, fact.type, {}});
    switch (fact.type) {
      case FactType::boolean: known->classes = {false, true}; break;
      case FactType::integer:
        insert_sorted(known->classes, fact.min.value_or(std::numeric_limits<std::int64_t>::min()));
        break;
      case FactType::symbol:
        for (const std::string& word : fact.values)
          if (std::find(known->classes.begin(), known->classes.end(), FactValue(word)) == known->classes.end())
            known->classes.push_back(word);
        break;
    }
  }
}

// A class begins at the number for >= and <, behind it for > and <=, at both for == and !=.
void Space::cut(const model::Policy& policy, const model::Term& term) {
  const model::FactDeclaration* fact = policy.fact(term.fact);
  if (fact == nullptr || fact->type != FactType::integer) return;
  const auto dimension =
      std::find_if(dimensions_.begin(), dimensions_.end(), [&](const Dimension& d) { return d.fact == term.fact; });
  const bool after = term.compare == Compare::greater || term.compare == Compare::at_most;
  const bool before = term.compare == Compare::less || term.compare == Compare::at_least;
  const auto begin = [&](std::int64_t n) {
    if ((!fact->min || n > *fact->min) && (!fact->max || n <= *fact->max)) insert_sorted(dimension->classes, n);
  };
  for (const FactValue& value : term.values) {
    const auto* n = std::get_if<std::int64_t>(&value);
    if (n == nullptr) continue;
    if (!after) begin(*n);
    if (!before && *n != std::numeric_limits<std::int64_t>::max()) begin(*n + 1);
  }
}

const Dimension* Space::find(std::string_view fact) const {
  for (const Dimension& d : dimensions_)
    if (d.fact == fact) return &d;
  return nullptr;
}

std::size_t Space::classes() const {
  std::size_t out = 0;
  for (const Dimension& d : dimensions_) out += d.classes.size();
  return out;
}

std::uint64_t Space::cells() const { return cells(whole()); }

std::uint64_t Space::cells(const Box& box) const {
  std::uint64_t out = 1;
  for (const Dimension& d : dimensions_) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < d.words; ++i) bits += static_cast<std::uint64_t>(std::popcount(box[d.first + i]));
    out = times(out, bits);
  }
  return out;
}

Box Space::whole() const {
  Box out(words_, 0);
  for (const Dimension& d : dimensions_)
    for (std::size_t i = 0; i < d.classes.size(); ++i) out[d.first + i / 64] |= std::uint64_t{1} << (i % 64);
  return out;
}

bool Space::is_empty(const Box& box) const {
  for (const Dimension& d : dimensions_) {
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < d.words; ++i) any |= box[d.first + i];
    if (any == 0) return true;
  }
  return false;
}

void Space::restrict(Box& box, const model::Term& term) const {
  const Dimension* d = find(term.fact);
  for (std::size_t i = 0; i < d->classes.size(); ++i)
    if (!model::holds(term, d->classes[i])) box[d->first + i / 64] &= ~(std::uint64_t{1} << (i % 64));
}

// Fact after fact: what `b` lacks of it, then on with what `b` has of it.
void Space::subtract(const Box& a, const Box& b, std::vector<Box>& out) const {
  if (is_empty(a & b)) {
    out.push_back(a);
    return;
  }
  Box rest = a;
  for (const Dimension& d : dimensions_) {
    std::uint64_t any = 0;
    for (std::size_t i = d.first; i < d.first + d.words; ++i) any |= rest[i] & ~b[i];
    if (any == 0) continue;
    Box& piece = out.emplace_back(rest);
    for (std::size_t i = d.first; i < d.first + d.words; ++i) {
      piece[i] = rest[i] & ~b[i];
      rest[i] &= b[i];
    }
  }
}

std::vector<Box> Space::subtract(std::vector<Box> boxes, const Box& b) const {
  std::vector<Box> out;
  for (const Box& box : boxes) subtract(box, b, out);
  return out;
}

std::vector<Box> Space::apart(const std::vector<Box>& boxes) const {
  std::vector<Box> out;
  for (const Box& box : boxes) {
    std::vector<Box> fresh{box};
    for (const Box& known : out) fresh = subtract(std::move(fresh), known);
    out.insert(out.end(), fresh.begin(), fresh.end());
  }
  return out;
}

Cell Space::least(const Box& box) const {
  Cell out;
  out.reserve(dimensions_.size());
  for (const Dimension& d : dimensions_) {
    std::uint32_t number = 0;
    while (!has(box, d, number)) ++number;
    out.push_back(number);
  }
  return out;
}

std::uint32_t Space::class_of(const Dimension& d, const FactValue& value) const {
  if (d.type == FactType::integer) {
    const auto above = std::upper_bound(d.classes.begin(), d.classes.end(), value);
    return static_cast<std::uint32_t>(above == d.classes.begin() ? 0 : above - d.classes.begin() - 1);
  }
  return static_cast<std::uint32_t>(std::find(d.classes.begin(), d.classes.end(), value) - d.classes.begin());
}

std::vector<NamedValue> Space::values(const Cell& cell) const {
  std::vector<NamedValue> out;
  for (std::size_t i = 0; i < cell.size(); ++i) out.push_back({dimensions_[i].fact, dimensions_[i].classes[cell[i]]});
  return out;
}

}  // namespace muster::rules
