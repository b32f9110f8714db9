// All lint rules over many specs, and over what muster emits for them: a rule that no workload of a muster file can
// break never fires on muster's own output.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lint/rule.h"

namespace muster::emitted {

struct Options {
  std::string root;          // of the source tree
  std::string cases;         // the recorded facts, a JSON object a line; "": none
  std::size_t specs = 2000;  // generated, each at two sites
  std::size_t step = 1;      // through values, sites, cases and examples: a sample takes every so many
  std::uint32_t seed = 1;
};

// How often a rule fired: surely wrong, and not to be told from the file alone.
struct Fired {
  std::size_t wrong = 0, unclear = 0;
};

struct Report {
  std::size_t examples = 0, cases = 0, generated = 0;  // that the checker took, at a site
  std::size_t workloads = 0, files = 0;                // linted: workloads of specs, files emitted for them
  std::map<std::string, Fired> in_specs, in_files;     // by rule
  std::vector<std::string> faults;
};

Report judge(const Options& options);

// Whether muster makes the fault impossible, whatever a workload says.
bool is_impossible(lint::RuleId rule);

// A recorded case as a workload that states its facts.
std::string spec_of(const std::string& recorded, std::size_t number);

}  // namespace muster::emitted
