// The muster files among the files of `muster lint`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lint_base.h"
#include "lint/finding.h"
#include "lint/suppress.h"

namespace muster::cli {

// By its name (*.muster and the data twin's); standard input, `-`, is one if it begins with `{`.
bool is_spec(std::string_view path, std::string_view text);

// What was found in one muster file.
struct LintedSpec {
  std::uint32_t file = 0;  // of the run's sources
  std::vector<lint::Finding> findings;
  lint::Suppressions suppressions;
  std::vector<model::Waiver> waivers;  // of a policy that the file itself puts in force
  std::vector<Diagnostic> faults;      // what makes it unusable; each is among the findings too
};

// Checks a file, with what it imports, as compile does up to its placement, and by the rules of the catalogue: each
// workload (of `any-of` each option), each template with the defaults of its parameters, each rule file as a whole. A
// file with a site of its own is decided by that one, the others by the base. `path` "-" is standard input.
LintedSpec lint_spec(const std::string& path, std::string text, LintBase& base);

}  // namespace muster::cli
