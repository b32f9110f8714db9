// Syntax trees to the checked model.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"
#include "compiler/model/module.h"
#include "compiler/syntax/ast.h"

namespace muster::sema {

struct CheckOptions {
  // File number to the folder of the file below the import root ("" for the root itself): the first
  // part of the id of its workloads.
  std::map<std::uint32_t, std::string> folders;
};

// Checks all files together. What is wrong is reported; the model holds what was right, and is to be
// used only if no error was reported.
model::Module check(const std::vector<ast::File>& files, const Sources& sources, const CheckOptions& options,
                    Diagnostics& diagnostics);

// On what was found in the body of a template: who asked for it. `own` is the block that did, `made_at` the place
// of its `from …`, unknown for a block that was made of none.
void label_origin(Span own, Span made_at, std::span<Diagnostic> found);

}  // namespace muster::sema
