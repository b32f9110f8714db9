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

// Where the ${variables} of a text stand in it.
bool same_offsets(const Expr& a, const Expr& b) {
  for (std::size_t i = 0; i < a.operands.size(); ++i)
    if (a.operands[i].span.begin - a.span.begin != b.operands[i].span.begin - b.span.begin) return false;
  return true;
}

bool equal_leaf(const Expr& a, const Expr& b) {
  if (a.kind != b.kind || a.op != b.op || a.tag != b.tag || a.operands.size() != b.operands.size()) return false;
  if (a.kind == Expr::Kind::text && a.span.known() && b.span.known() && !a.operands.empty() && !same_offsets(a, b))
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

bool equal(const Setting& a, const Setting& b) { return equal(a.key, b.key) && equal(a.value, b.value); }
bool equal(const Requirement& a, const Requirement& b) { return equal(a.condition, b.condition); }
bool equal(const Preference& a, const Preference& b) {
  return equal(a.condition, b.condition) && equal(a.weight_word, b.weight_word) && a.weight == b.weight;
}
bool equal(const Assertion& a, const Assertion& b) {
  return equal(a.condition, b.condition) && equal(a.message, b.message);
}
bool equal(const Conditional& a, const Conditional& b) {
  return ast::equal(a.condition, b.condition) && ast::equal(a.body, b.body);
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
  return equal(a.kind, b.kind) && equal(a.label, b.label) &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(),
                    [](const Item& x, const Item& y) { return equal(x, y); });
}

bool equal(const File& a, const File& b) {
  return std::equal(a.blocks.begin(), a.blocks.end(), b.blocks.begin(), b.blocks.end(),
                    [](const Block& x, const Block& y) { return equal(x, y); });
}

}  // namespace muster::ast
