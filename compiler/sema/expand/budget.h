// What one expansion may cost. Inside compiler/sema only.
#pragma once

#include <cstddef>

#include "compiler/base/diagnostic.h"
#include "compiler/base/limits.h"
#include "compiler/syntax/ast.h"

namespace muster::sema {

constexpr std::size_t max_expressions = value_of(Limit::expressions);  // evaluated or copied, for one declaration
constexpr std::size_t max_all_expressions = value_of(Limit::all_expressions);  // for all of them
constexpr std::size_t max_text = value_of(Limit::text_bytes);                  // bytes of one text
constexpr std::size_t max_all_text = value_of(Limit::all_text_bytes);
constexpr std::size_t max_value_depth = 1'000;
constexpr std::size_t max_instances = 32;  // templates and workloads made from each other, one inside the other

// How much a tree holds.
struct Weight {
  std::size_t nodes = 0;
  std::size_t bytes = 0;
  std::size_t depth = 0;
};
Weight weigh(const ast::Expr& expr);

// Counts, and reports the first excess; from then on `spent()` holds and nothing more is to be evaluated.
class Budget {
 public:
  explicit Budget(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  // A new declaration: its own allowance of expressions.
  void renew() { here_ = 0; }
  bool spend(const Weight& weight, Span where);
  bool spend_text(std::size_t bytes, Span where);
  // One text; a longer one is over the budget wherever it came from.
  bool allow_text(std::size_t bytes, Span where);
  // Reports what is over a budget, once. False.
  bool exceed(Span where, const char* what);
  bool spent() const { return spent_; }

 private:
  Diagnostics& diagnostics_;
  std::size_t here_ = 0;
  std::size_t all_ = 0;
  std::size_t text_ = 0;
  bool spent_ = false;
};

}  // namespace muster::sema
