#include "compiler/sema/expand/judge.h"

#include <set>

#include "compiler/sema/expand/scopes.h"

namespace muster::sema {
namespace {

using Kind = ast::Expr::Kind;

void collect(const ast::Expr& e, std::set<std::string>& seen, std::vector<Question>& out) {
  if (e.kind == Kind::path && !e.is_symbol() && seen.insert(e.text).second) out.push_back({e.text, e.span});
  for (const ast::Expr& operand : e.operands) collect(operand, seen, out);
}

ast::Expr answered(const ast::Expr& e, const std::map<std::string, ast::Expr>& answers) {
  if (e.kind == Kind::path)
    if (const auto found = answers.find(e.text); found != answers.end()) {
      ast::Expr out = found->second;
      out.span = e.span;
      return out;
    }
  ast::Expr out = e;
  for (ast::Expr& operand : out.operands) operand = answered(operand, answers);
  return out;
}

}  // namespace

std::vector<Given> settings_of(const ast::Block& test, Diagnostics& diagnostics) {
  std::vector<Given> out;
  Evaluator evaluator(diagnostics);
  for (const ast::Item& item : test.items) {
    const auto* block = std::get_if<ast::Block>(&item.value);
    if (block == nullptr || block->kind.text != "set") continue;
    for (const ast::Item& inner : block->items)
      if (const auto* s = std::get_if<ast::Setting>(&inner.value))
        out.push_back({s->key.text, s->key.span, {}, s->value.span, evaluator.value(s->value, Scope())});
  }
  return out;
}

std::vector<Question> questions_of(const ast::Block& test) {
  std::vector<Question> out;
  std::set<std::string> seen;
  for (const ast::Item& item : test.items)
    if (const auto* a = std::get_if<ast::Assertion>(&item.value)) collect(a->condition, seen, out);
  return out;
}

std::vector<Failure> judge(const ast::File& file, const ast::Block& test, const std::vector<Given>& set,
                           const std::map<std::string, ast::Expr>& answers, Diagnostics& diagnostics) {
  std::vector<Failure> out;
  Evaluator evaluator(diagnostics);
  Scope scope;
  const auto actuals = actuals_for(file.parameters, set);
  if (!open_file(file, actuals, {"the file", {}, true}, scope, evaluator, diagnostics)) return out;
  for (const ast::Item& item : test.items) {
    const auto* a = std::get_if<ast::Assertion>(&item.value);
    if (a == nullptr) continue;
    const ast::Expr condition = answered(a->condition, answers);
    const auto holds = evaluator.truth(condition, scope);
    if (holds && !*holds)
      out.push_back({a, evaluator.value(a->message, scope).text, evaluator.sides(condition, scope)});
  }
  return out;
}

}  // namespace muster::sema
