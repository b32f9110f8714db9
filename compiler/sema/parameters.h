// Parameters and the values they are given. Inside compiler/sema only.
#pragma once

#include <span>
#include <vector>

#include "compiler/sema/evaluate.h"
#include "compiler/sema/expand.h"

namespace muster::sema {

// An argument of an instance, or a value of the command line.
struct Actual {
  std::string name;
  Span name_span;
  ast::Expr value;    // evaluated
  std::string spelt;  // of the command line; "" else
};

// Gives every parameter its value in `scope`: the argument, else the default, which may use the parameters
// before it. Reports what is missing, unknown, of another type or out of range; `of` names the template in
// messages, `where` is the place to blame for what is missing.
void bind(std::span<const ast::Signature> parameters, const std::vector<Actual>& actuals, const std::string& of,
          Span where, Scope& scope, Evaluator& evaluator, Diagnostics& diagnostics);

// "int", "list(string)".
std::string spelling(const ast::TypeName& type);

}  // namespace muster::sema
