// The muster files among the files of `muster lint`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "driver/files.h"
#include "driver/lint_base.h"
#include "lint/finding.h"
#include "lint/outcome.h"
#include "lint/suppress.h"

namespace muster::driver {

// By its name (*.muster and the data twin's); standard input, `-`, is one if it begins with `{`.
bool is_spec(std::string_view path, std::string_view text);

// What could not be judged: the findings of a workload below a path ("target.slurm"; "": all of them).
struct Unjudged {
  std::string subject, path;
};

// What was found in one muster file.
struct LintedSpec {
  std::uint32_t file = 0;  // of the run's sources
  std::vector<lint::Finding> findings;
  lint::Suppressions suppressions;              // of the file and of those that it imports
  std::vector<std::uint32_t> imported;          // files, directly or not
  std::vector<Span> templates;                  // of the file
  std::vector<Span> offered;                    // those that nothing in the file makes a workload of
  std::vector<model::Waiver> waivers;           // of a policy that the file itself puts in force
  std::vector<model::Waiver> proposed_waivers;  // that only the file has, not the tree of --policy-from
  std::vector<lint::Added> added;               // by it and by what it imports, beyond that tree
  std::vector<Unjudged> unjudged;
  std::vector<Diagnostic> faults;  // what makes it unusable; each is among the findings too
};

// Checks a file, with what it imports, as compile does up to its placement, and by the rules of the catalogue: each
// workload (of `any-of` each option), each template with the defaults of its parameters, each rule file as a whole. A
// file with a site of its own is decided by that one, the others by the base. `path` "-" is standard input; what it
// imports is read from `from`.
LintedSpec lint_spec(const std::string& path, std::string text, const Files& from, LintBase& base);
// The same of a file whose own site, fleets and rules are left aside: its workloads are for the base's.
LintedSpec lint_spec_for(const std::string& path, std::string text, const Files& from, LintBase& base);

}  // namespace muster::driver
