// What `$name` stands for in a file. Inside compiler/sema only.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/sema/expand/evaluate.h"
#include "compiler/sema/expand/expand.h"
#include "compiler/sema/expand/parameters.h"

namespace muster::sema {

// The values meant for these parameters.
std::vector<Actual> actuals_for(std::span<const ast::Signature> parameters, const std::vector<Given>& given);

// The parameters and `let`s of a file. False: reported.
bool open_file(const ast::File& file, const std::vector<Actual>& actuals, const Callee& callee, Scope& scope,
               Evaluator& evaluator, Diagnostics& diagnostics);

}  // namespace muster::sema
