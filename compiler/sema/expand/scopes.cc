#include "compiler/sema/expand/scopes.h"

#include <algorithm>

namespace muster::sema {

std::vector<Actual> actuals_for(std::span<const ast::Signature> parameters, const std::vector<Given>& given) {
  std::vector<Actual> out;
  for (const Given& g : given)
    if (std::any_of(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name.text == g.name; }))
      out.push_back({g.name, g.name_span, g.value, g.text, g.span});
  return out;
}

bool open_file(const ast::File& file, const std::vector<Actual>& actuals, const Callee& callee, Scope& scope,
               Evaluator& evaluator, Diagnostics& diagnostics) {
  if (!bind(file.parameters, actuals, callee, scope, evaluator, diagnostics)) return false;
  const std::size_t before = diagnostics.size();
  for (const ast::Binding& binding : file.bindings) {
    if (const Scope::Entry* other = scope.find(binding.name.text)) {
      diagnostics.add(Code::duplicate_name, binding.name.span, "`" + binding.name.text + "` is declared twice")
          .labels.push_back({other->declared, "first declared here"});
      continue;
    }
    ast::Expr value = evaluator.value(binding.value, scope);
    if (diagnostics.size() != before) return false;  // what uses it would be reported again
    scope.add(binding.name.text, std::move(value), binding.span);
  }
  return diagnostics.size() == before;
}

}  // namespace muster::sema
