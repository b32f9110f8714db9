// What the muster files of a run of lint say may stay, and which of it other files need.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/syntax/ast.h"
#include "driver/lint_specs.h"
#include "lint/outcome.h"
#include "lint/suppress.h"

namespace muster::driver {

// The `allow` blocks of a file by where they stand: each is for what lies in the block around it (a template, a
// workload, a role, a fleet), whoever finds it. `elsewhere`: the file is imported, and is judged by itself where it is
// linted. Added to what was read before.
void read_placed_allows(const ast::File& file, bool elsewhere, lint::Suppressions& out);

// The templates of a file that nothing in it makes a workload of: only others can tell what they need.
std::vector<Span> offered_templates(const ast::File& file);

// What is not used in a template goes only by unsafe fixes: a file that is not linted may need it.
void keep_in_templates(const std::vector<Span>& templates, std::vector<lint::Result>& results);

// What the files of a run needed of the suppressions of others. A suppression of a library is unused only if nothing in
// the run needs it; one in a template that is merely offered only if, besides, something in the run imports its file.
class NeededAllows {
 public:
  // What a file used of those that it imports; its suppressions have been judged.
  void add(const LintedSpec& spec, const Sources& sources);
  // Takes away the findings of unused suppressions that do not hold, as far as the run has come.
  void withdraw(std::vector<lint::Result>& results, const Sources& sources) const;

 private:
  bool needed(Span where, const Sources& sources) const;

  std::set<std::pair<std::string, std::uint32_t>> used_;  // by the file's name and where they are in it
  std::set<std::string> imported_;
  std::map<std::uint32_t, std::vector<Span>> offered_;  // by file
};

}  // namespace muster::driver
