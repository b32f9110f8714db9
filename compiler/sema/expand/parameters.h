// Parameters and the values they are given. Inside compiler/sema only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/sema/expand/evaluate.h"

namespace muster::sema {

// An argument of an instance, which was evaluated, or a value of the command line or a matrix, which the type
// of its parameter reads.
struct Actual {
  std::string name;
  Span name_span;
  std::optional<ast::Expr> value;
  std::string text;  // without `value`
  Span span;         // of the value
};

// Whose parameters these are, for messages: "template `fsdp`".
struct Callee {
  std::string title;
  Span where;            // what to blame for a missing value
  bool options = false;  // its values come from `--set`
};

// Gives every parameter its value in `scope`: the argument, else the default, which may use the parameters
// before it. Reports values that are missing, unknown, of another type or out of range. False: reported.
bool bind(std::span<const ast::Signature> parameters, const std::vector<Actual>& actuals, const Callee& callee,
          Scope& scope, Evaluator& evaluator, Diagnostics& diagnostics);

// Reports a value for a parameter that is not there, with the nearest one that is.
void report_unknown(std::span<const ast::Signature> parameters, const Actual& actual, const std::string& title,
                    Diagnostics& diagnostics);

}  // namespace muster::sema
