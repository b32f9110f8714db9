#include "compiler/sema/expand/budget.h"

#include <algorithm>

namespace muster::sema {

Weight weigh(const ast::Expr& expr) {
  Weight out{1, expr.text.size(), 0};
  for (const ast::Expr& operand : expr.operands) {
    const Weight inner = weigh(operand);
    out.nodes += inner.nodes;
    out.bytes += inner.bytes;
    out.depth = std::max(out.depth, inner.depth + 1);
  }
  return out;
}

bool Budget::exceed(Span where, const char* what) {
  if (!spent_) diagnostics_.add(Code::budget, where, what);
  spent_ = true;
  return false;
}

bool Budget::spend(const Weight& weight, Span where) {
  here_ += weight.nodes;
  all_ += weight.nodes;
  if (here_ > max_expressions) return exceed(where, "the workload evaluates more than 100,000 expressions");
  if (all_ > max_all_expressions) return exceed(where, "the files evaluate more than 1,000,000 expressions in total");
  if (weight.depth > max_value_depth) return exceed(where, "the value is nested more than 1,000 levels deep");
  return spend_text(weight.bytes, where);
}

bool Budget::spend_text(std::size_t bytes, Span where) {
  text_ += bytes;
  return !spent_ &&
         (text_ <= max_all_text || exceed(where, "parameters and templates repeat more than 64 MiB of text"));
}

bool Budget::allow_text(std::size_t bytes, Span where) {
  return bytes <= max_text || exceed(where, "the string is longer than 1 MiB");
}

}  // namespace muster::sema
