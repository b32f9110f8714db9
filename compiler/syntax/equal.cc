// Equality of syntax trees, for the proof that the formatter changes nothing.
#include <algorithm>

#include "compiler/syntax/ast.h"
#include "compiler/syntax/literal.h"

namespace muster::ast {
namespace {

bool equal(const Name& a, const Name& b) { return a.text == b.text && a.quoted == b.quoted; }

bool equal(const std::optional<Name>& a, const std::optional<Name>& b) {
  return a.has_value() == b.has_value() && (!a || equal(*a, *b));
}

bool equal_leaf(const Expr& a, const Expr& b) {
  if (a.kind != b.kind || a.op != b.op || a.tag != b.tag || a.at != b.at || a.operands.size() != b.operands.size())
    return false;
  if (a.kind == Expr::Kind::quantity) return syntax::canonical_quantity(a.text) == syntax::canonical_quantity(b.text);
  return a.text == b.text;
}

}  // namespace

// A long `1 + 1 + …` hangs on its first operands: that side is walked in a loop, not by recursion.
bool equal(const Expr& first, const Expr& second) {
  const Expr *a = &first, *b = &second;
  for (;;) {
    if (!equal_leaf(*a, *b)) return false;
    for (std::size_t i = 1; i < a->operands.size(); ++i)
      if (!equal(a->operands[i], b->operands[i])) return false;
    if (a->operands.empty()) return true;
    a = &a->operands[0], b = &b->operands[0];
  }
}

namespace {

bool equal(const Argument& a, const Argument& b);
bool equal(const Import& a, const Import& b);
bool equal(const Signature& a, const Signature& b);
bool equal(const Binding& a, const Binding& b);
bool equal(const Template& a, const Template& b);
bool equal(const Item& a, const Item& b);

bool equal(const std::optional<Expr>& a, const std::optional<Expr>& b) {
  return a.has_value() == b.has_value() && (!a || equal(*a, *b));
}

template <class T>
bool equal(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return equal(x, y); });
}

bool equal(const Setting& a, const Setting& b) {
  return equal(a.key, b.key) && equal(a.value, b.value) && a.append == b.append;
}
bool equal(const Requirement& a, const Requirement& b) { return equal(a.condition, b.condition); }
bool equal(const Preference& a, const Preference& b) {
  return equal(a.condition, b.condition) && equal(a.weight_word, b.weight_word) && a.weight == b.weight;
}
bool equal(const Assertion& a, const Assertion& b) {
  return equal(a.condition, b.condition) && equal(a.message, b.message);
}
bool equal(const Conditional& a, const Conditional& b) {
  return ast::equal(a.condition, b.condition) && ast::equal(a.body, b.body) &&
         a.otherwise.has_value() == b.otherwise.has_value() && (!a.otherwise || ast::equal(*a.otherwise, *b.otherwise));
}

bool equal(const Argument& a, const Argument& b) { return equal(a.name, b.name) && equal(a.value, b.value); }
bool equal(const std::optional<Instance>& a, const std::optional<Instance>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return equal(a->module, b->module) && equal(a->base, b->base) && equal(a->arguments, b->arguments);
}

bool equal(const Import& a, const Import& b) { return equal(a.path, b.path) && equal(a.alias, b.alias); }
bool equal(const Signature& a, const Signature& b) {
  return equal(a.name, b.name) && equal(a.type.name, b.type.name) && a.type.element == b.type.element &&
         equal(a.range, b.range) && equal(a.fallback, b.fallback);
}
bool equal(const Binding& a, const Binding& b) { return equal(a.name, b.name) && equal(a.value, b.value); }
bool equal(const Template& a, const Template& b) {
  return equal(a.name, b.name) && equal(a.parameters, b.parameters) && ast::equal(a.body, b.body);
}

bool equal(const Item& a, const Item& b) {
  if (a.value.index() != b.value.index()) return false;
  return std::visit(
      [&](const auto& left) {
        using T = std::decay_t<decltype(left)>;
        return equal(left, std::get<T>(b.value));
      },
      a.value);
}

}  // namespace

bool equal(const Block& a, const Block& b) {
  return equal(a.kind, b.kind) && equal(a.label, b.label) && equal(a.from, b.from) && equal(a.items, b.items);
}

bool equal(const File& a, const File& b) {
  return equal(a.imports, b.imports) && equal(a.parameters, b.parameters) && equal(a.bindings, b.bindings) &&
         equal(a.templates, b.templates) && equal(a.blocks, b.blocks);
}

}  // namespace muster::ast
