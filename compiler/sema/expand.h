// Parameters, `let`, templates, `when`, `if` and imports resolved: what comes out are blocks of plain
// values, as the data twin has them. The checker then sees nothing of all this.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/syntax/ast.h"

namespace muster::sema {

// A value for a parameter, from the command line or a row of a matrix.
struct Given {
  std::string name;
  ast::Expr value;    // as an expression of the language would be read
  std::string spelt;  // as written, for parameters of type string
};

struct ExpandOptions {
  // Of a file: the alias of each import and the number of the file behind it. Acyclic.
  std::map<std::uint32_t, std::map<std::string, std::uint32_t>> imports;
  // Files whose workloads are wanted; the others are there to be imported from.
  std::vector<std::uint32_t> roots;
  // For the parameters of the roots, or, where a template is named, for those of the template.
  std::vector<Given> set;
  std::string instance;  // a template of a root that becomes a workload; "" for none
  std::string name;      // of that workload; "": the template's
};

// The files with blocks alone. Workloads and tests come from the roots; fleets, sites and rules from
// all files. What is wrong is reported; the result is to be used only if nothing was.
std::vector<ast::File> expand(const std::vector<ast::File>& files, const ExpandOptions& options,
                              Diagnostics& diagnostics);

}  // namespace muster::sema
