// Parameters, `let`, templates, `when`, `if`, `assert` and imports resolved: what comes out are blocks of plain
// values, as the data twin has them. The checker then sees nothing of all this.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/syntax/ast.h"

namespace muster::sema {

// A value for a parameter: from the command line, a cell of a matrix, or, already an expression, from a test.
struct Given {
  std::string name;
  Span name_span;
  std::string text;  // as written; a parameter of type string takes it as it is
  Span span;         // of the value
  std::optional<ast::Expr> value = {};
};

// A workload made of a template of a root, without a file that says so.
struct Request {
  std::string name;  // of the workload; "": the template's
  std::vector<Given> given;
};

struct ExpandOptions {
  // Of a file: the alias of each import and the number of the file behind it. Acyclic.
  std::map<std::uint32_t, std::map<std::string, std::uint32_t>> imports;
  // Files whose workloads are wanted; the others are there to be imported from.
  std::vector<std::uint32_t> roots;
  // For the parameters of the roots. With `blueprint`, what the template lacks goes to them.
  std::vector<Given> set;
  // A template of a root, and the workloads to make of it: then no others are made. "": none.
  std::string blueprint;
  std::vector<Request> requests;
};

// The files with blocks of values alone. Workloads and tests come from the roots; fleets, sites and rules from
// all files. Rules and tests stay as they are: their names are their own. What is wrong is reported and
// left out, so that the rest is still checked. A file that uses none of this comes back untouched.
std::vector<ast::File> expand(std::vector<ast::File> files, const ExpandOptions& options, Diagnostics& diagnostics);

}  // namespace muster::sema
