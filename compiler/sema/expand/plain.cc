#include "compiler/sema/expand/plain.h"

#include <algorithm>

#include "compiler/sema/expand/evaluate.h"

namespace muster::sema {
namespace {

bool is_plain(const ast::Expr& e) {
  using Kind = ast::Expr::Kind;
  if (e.kind == Kind::choice || (e.kind == Kind::call && is_function(e.text))) return false;
  return std::all_of(e.operands.begin(), e.operands.end(), [](const ast::Expr& operand) { return is_plain(operand); });
}

bool is_plain(const ast::Setting& s) { return is_plain(s.value); }
bool is_plain(const ast::Requirement& r) { return is_plain(r.condition); }
bool is_plain(const ast::Preference& p) { return is_plain(p.condition); }
bool is_plain(const ast::Assertion&) { return false; }
bool is_plain(const ast::Conditional&) { return false; }

}  // namespace

bool is_plain(const ast::Block& block) {
  const auto plain = [](const ast::Item& item) {
    return std::visit([](const auto& i) { return is_plain(i); }, item.value);
  };
  return !block.from && std::all_of(block.items.begin(), block.items.end(), plain);
}

}  // namespace muster::sema
