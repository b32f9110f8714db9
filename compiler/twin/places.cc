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
void drop(ast::Conditional& c) {
  drop(c.condition), drop(c.body), c.span = {};
  if (c.otherwise) drop(*c.otherwise);
}
void drop(ast::Argument& a) { drop(a.name), drop(a.value); }
void drop(ast::Import& i) { drop(i.path), drop(i.alias), i.span = {}; }
void drop(ast::Binding& b) { drop(b.name), drop(b.value), b.span = {}; }
void drop(ast::Signature& s) {
  drop(s.name), drop(s.type.name), s.type.span = {}, s.span = {};
  if (s.range) drop(*s.range);
  if (s.fallback) drop(*s.fallback);
}
void drop(ast::Template& t) {
  drop(t.name), drop(t.body), t.span = {};
  for (ast::Signature& s : t.parameters) drop(s);
}
void drop(ast::Instance& i) {
  drop(i.base), i.span = {};
  if (i.module) drop(*i.module);
  for (ast::Argument& a : i.arguments) drop(a);
}

void drop(ast::Block& block) {
  block.span = {};
  drop(block.kind);
  if (block.label) drop(*block.label);
  if (block.from) drop(*block.from);
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
  const auto each = [](auto& items) {
    for (auto& item : items) drop(item);
  };
  each(file.imports), each(file.parameters), each(file.bindings), each(file.templates), each(file.blocks);
}

}  // namespace muster::twin
