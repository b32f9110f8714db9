// The assertions of a test, once it is known what became of the workloads.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/sema/expand/expand.h"
#include "compiler/syntax/ast.h"

namespace muster::sema {

// The values of `set { … }` of a test, for the parameters of its file. What is not a value is reported.
std::vector<Given> settings_of(const ast::Block& test, Diagnostics& diagnostics);

// The paths that the assertions of a test ask for: "titan.nodes". Each once, in the order written.
struct Question {
  std::string path;
  Span span;
};
std::vector<Question> questions_of(const ast::Block& test);

// An assertion that does not hold, with what is on its two sides where it compares.
struct Failure {
  const ast::Assertion* assertion = nullptr;
  std::string message;
  std::string sides;
};

// Judges the assertions of a test of `file`: `$name` is what the file declares, with `set` for its parameters;
// paths are looked up in `answers`. What cannot be judged is reported.
std::vector<Failure> judge(const ast::File& file, const ast::Block& test, const std::vector<Given>& set,
                           const std::map<std::string, ast::Expr>& answers, Diagnostics& diagnostics);

}  // namespace muster::sema
