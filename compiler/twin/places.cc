#include "compiler/twin/places.h"

#include <utility>

namespace muster::twin {
namespace {

void drop(ast::Expr& expr) {
  expr.span = {};
  expr.grouped = false;
  for (ast::Expr& operand : expr.operands) drop(operand);
}

void drop(ast::Name& name) { name.span = {}; }
void drop(ast::Block& block);

void drop(ast::Setting& s) { drop(s.key), drop(s.value); }
void drop(ast::Requirement& r) { drop(r.condition), r.span = {}; }
void drop(ast::Preference& p) { drop(p.condition), drop(p.weight_word), p.span = {}; }
void drop(ast::Assertion& a) { drop(a.condition), drop(a.message), a.span = {}; }
void drop(ast::Conditional& c) { drop(c.condition), drop(c.body), c.span = {}; }

void drop(ast::Block& block) {
  block.span = {};
  drop(block.kind);
  if (block.label) drop(*block.label);
  for (ast::Item& item : block.items) std::visit([](auto& i) { drop(i); }, item.value);
}

}  // namespace

ast::Expr without_places(ast::Expr expr) {
  drop(expr);
  return expr;
}

void drop_places(ast::File& file) {
  file.file = 0;
  file.comments.clear();
  for (ast::Block& block : file.blocks) drop(block);
}

}  // namespace muster::twin
