// Values of expressions that hold no fact: variables, `if`, comparisons, arithmetic, built-ins.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "compiler/base/diagnostic.h"
#include "compiler/sema/expand/budget.h"
#include "compiler/sema/expand/texts.h"
#include "compiler/syntax/ast.h"

namespace muster::sema {

// What `$name` stands for. Inner scopes hide outer ones.
struct Scope {
  struct Entry {
    ast::Expr value;  // evaluated
    Span declared;
    Weight weight;  // of the value
  };
  const Scope* outer = nullptr;
  std::unordered_map<std::string, Entry> entries;
  std::unordered_set<std::string> late;  // axes of the sweep: known only at each point

  void add(std::string name, ast::Expr value, Span declared);
  // nullptr where no scope has it, or it is an axis.
  const Entry* find(const std::string& name) const;
  bool is_late(const std::string& name) const;
};

// One expansion's worth of evaluation; counts what it does against the budget of the language.
class Evaluator {
 public:
  // `texts`: of a file, the bytes behind each path of its `file("…")`; nullptr: none.
  explicit Evaluator(Diagnostics& diagnostics, const FileTexts* texts = nullptr)
      : diagnostics_(diagnostics), texts_(texts), budget_(diagnostics) {}

  Budget& budget() { return budget_; }

  // The expression with everything known filled in. What depends on facts of a pool stays an
  // expression; what is wrong is reported, and comes back as it was.
  ast::Expr value(const ast::Expr& expr, const Scope& scope);
  // The same, where only true or false will do; nullopt: reported.
  std::optional<bool> truth(const ast::Expr& expr, const Scope& scope);
  // What is on the two sides of a comparison that does not hold: "the left side is 3, the right side 4".
  // "" where there is no comparison to blame.
  std::string sides(const ast::Expr& expr, const Scope& scope);

 private:
  ast::Expr variable(const ast::Expr& expr, const Scope& scope);
  ast::Expr text(const ast::Expr& expr, const Scope& scope);
  static bool append(ast::Expr& text, const ast::Expr& value);
  ast::Expr operation(const ast::Expr& expr, const Scope& scope);
  ast::Expr logical(const ast::Expr& expr, const Scope& scope);
  ast::Expr comparison(ast::Expr expr);
  std::optional<ast::Expr> rounded_division(const ast::Expr& expr, const Scope& scope);
  ast::Expr call(ast::Expr expr);
  ast::Expr concat(const ast::Expr& expr);
  ast::Expr file(const ast::Expr& expr);
  ast::Expr arithmetic_call(const ast::Expr& expr);
  ast::Expr extreme(const ast::Expr& expr);
  ast::Expr wrong(const ast::Expr& expr, const std::string& message);

  Diagnostics& diagnostics_;
  const FileTexts* texts_;
  Budget budget_;
};

// min max ceil floor mod len concat file.
bool is_function(std::string_view name);
// Whether `${name}` is a run reference: `env.HOME`.
bool is_run_name(std::string_view name);
// Whether an expression is a value: no variable, fact or operation in it. A text may have run references.
bool is_literal(const ast::Expr& expr);
// Whether two literals are the same value; `80GB` and `80000MB` are.
bool same_value(const ast::Expr& a, const ast::Expr& b);
// Order of two numbers or quantities of one kind: below 0, 0, above 0; nullopt where there is none.
std::optional<int> order(const ast::Expr& a, const ast::Expr& b);
// As a text would show it: a text's bytes, other literals as spelt; nullopt for lists, scripts and texts with
// references.
std::optional<std::string> shown(const ast::Expr& literal);
// As the language spells it, for messages: `16`, `"a"`, `[1, 2]`, `1..64`; long ones cut.
std::string literal_text(const ast::Expr& literal);

}  // namespace muster::sema
