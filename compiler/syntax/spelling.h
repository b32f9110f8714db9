// How names and expressions are spelt on one line. Inside compiler/syntax only.
#pragma once

#include <string>

#include "compiler/base/source.h"
#include "compiler/syntax/ast.h"

namespace muster::syntax {

// Columns of a text: its code points.
std::size_t columns(std::string_view text);

// Whether an operand has to be in parentheses, or does so by the user's choice.
bool in_parentheses(const ast::Expr& operand, const ast::Expr& operation, bool first);

// The operator with the blanks around it: " and ", "..".
std::string joint(ast::Op op);

// Spells nodes with a place as the sources have them, the others from the tree.
class Spelling {
 public:
  explicit Spelling(const Sources& sources) : sources_(sources) {}

  std::string name(const ast::Name& name) const;
  // A number, text, word: whatever has no parts.
  void leaf(const ast::Expr& expr, std::string& out) const;
  // Appends the whole expression. False, and `out` is to be thrown away, where it cannot be on one
  // line: a heredoc in it, a list that was broken after its bracket, more than a line's bytes.
  bool flat(const ast::Expr& expr, std::string& out) const;
  // Whether the user broke a list after its opening bracket.
  bool broken(const ast::Expr& list) const;

 private:
  bool operand(const ast::Expr& expr, bool parentheses, std::string& out) const;
  bool inside(const ast::Expr& expr, std::string& out) const;
  bool sequence(const ast::Expr& expr, char open, char close, std::string& out) const;
  bool operation(const ast::Expr& expr, std::string& out) const;
  bool choice(const ast::Expr& expr, std::string& out) const;

  const Sources& sources_;
};

}  // namespace muster::syntax
