// Goes through every place of a tree.
#pragma once

#include <utility>

#include "compiler/syntax/ast.h"

namespace muster::syntax {

// Calls `change(Span&)` for each place of a tree, and `change(ast::Expr&)` for each expression before its parts. The
// parser's limits bound the depth.
template <class Change>
class SpanWalk {
 public:
  explicit SpanWalk(Change change) : change_(std::move(change)) {}

  void file(ast::File& file) {
    each(file.imports), each(file.parameters), each(file.bindings), each(file.templates), each(file.blocks);
    for (Span& comment : file.comments) change_(comment);
  }

  void walk(ast::Expr& e) { change_(e), change_(e.span), each(e.operands); }
  void walk(ast::Block& b) {
    change_(b.span), change_(b.made_at), walk(b.kind), maybe(b.label), maybe(b.from);
    for (ast::Item& item : b.items) std::visit([this](auto& i) { walk(i); }, item.value);
  }

 private:
  void walk(ast::Name& n) { change_(n.span); }
  void walk(ast::Setting& s) { walk(s.key), walk(s.value); }
  void walk(ast::Requirement& r) { walk(r.condition), change_(r.span); }
  void walk(ast::Preference& p) { walk(p.condition), walk(p.weight_word), change_(p.span); }
  void walk(ast::Assertion& a) { walk(a.condition), walk(a.message), change_(a.span); }
  void walk(ast::Conditional& c) { walk(c.condition), walk(c.body), change_(c.span), maybe(c.otherwise); }
  void walk(ast::Argument& a) { walk(a.name), walk(a.value); }
  void walk(ast::Instance& i) { maybe(i.module), walk(i.base), each(i.arguments), change_(i.span); }
  void walk(ast::Import& i) { walk(i.path), walk(i.alias), change_(i.span); }
  void walk(ast::Binding& b) { walk(b.name), walk(b.value), change_(b.span); }
  void walk(ast::Template& t) { walk(t.name), each(t.parameters), walk(t.body), change_(t.span); }
  void walk(ast::Signature& s) {
    walk(s.name), walk(s.type.name), change_(s.type.span), change_(s.span);
    maybe(s.range), maybe(s.fallback);
  }
  void each(auto& items) {
    for (auto& item : items) walk(item);
  }
  void maybe(auto& part) {
    if (part) walk(*part);
  }

  Change change_;
};

}  // namespace muster::syntax
