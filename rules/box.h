// The space of all facts a policy can be asked with, cut into cells: integers fall into classes that no term tells
// apart, booleans and symbols are classes by themselves. A condition on facts is a box of cells, so questions about
// rules are answered exactly: overlap is intersection, a gap is a difference.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/model/policy.h"
#include "rules/engine.h"

namespace muster::rules {

// One bit a class, fact after fact, each fact beginning on a word of its own.
using Box = std::vector<std::uint64_t>;
// The number of a class for every fact, in the order of their declaration.
using Cell = std::vector<std::uint32_t>;

struct Dimension {
  std::string fact;
  model::FactType type = model::FactType::boolean;
  std::vector<model::FactValue> classes;  // the least value of each, ascending; symbols as declared
  std::size_t first = 0, words = 0;       // its part of a box
};

class Space {
 public:
  // The facts of all the policies, integers cut where a term of any of them does.
  explicit Space(std::span<const model::Policy* const> policies);
  explicit Space(const model::Policy& policy);

  std::span<const Dimension> dimensions() const { return dimensions_; }
  const Dimension* find(std::string_view fact) const;
  std::size_t classes() const;
  // Their number, or the greatest there is where they are more.
  std::uint64_t cells() const;
  std::uint64_t cells(const Box& box) const;

  Box whole() const;
  bool is_empty(const Box& box) const;
  // The part of `box` in which a term on a fact holds.
  void restrict(Box& box, const model::Term& term) const;
  // `a` without `b` as boxes that do not overlap.
  void subtract(const Box& a, const Box& b, std::vector<Box>& out) const;
  std::vector<Box> subtract(std::vector<Box> boxes, const Box& b) const;
  // The same cells as boxes that do not overlap.
  std::vector<Box> apart(const std::vector<Box>& boxes) const;

  // The cell of the box that comes first when cells are ordered by their first fact, then the second, …
  Cell least(const Box& box) const;
  std::uint32_t class_of(const Dimension& dimension, const model::FactValue& value) const;
  std::vector<NamedValue> values(const Cell& cell) const;

 private:
  void add(const model::Policy& policy);
  void cut(const model::Policy& policy, const model::Term& term);
  std::vector<Dimension> dimensions_;
  std::size_t words_ = 0;
};

Box operator&(const Box& a, const Box& b);
bool has(const Box& box, const Dimension& dimension, std::uint32_t number);

// How many cells, and the first of them.
struct Tally {
  std::uint64_t cells = 0;
  std::optional<Cell> least;

  void add(std::uint64_t count, const Cell& cell);
  // One more, which comes after all that were added.
  void add_next(const Cell& cell) {
    if (cells++ == 0) least = cell;
  }
  friend bool operator==(const Tally&, const Tally&) = default;
};

}  // namespace muster::rules
