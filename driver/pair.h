// A script and a manifest of the same job as one workload: what the systems have words of their own for goes to the
// planes of one site, and the rest is compared.
#pragma once

#include <string>
#include <vector>

#include "driver/importer.h"

namespace muster::driver {

// A key that the two say differently; the workload has what the script says.
struct PairDifference {
  std::string key;               // "nodes", "env.NCCL_DEBUG"
  std::string script, manifest;  // as the language has them; "": it is not there
};

struct Pair {
  model::Workload workload;
  std::vector<targets::Parameter> parameters;
  model::Site site;
  std::vector<PairDifference> differences;
  std::vector<std::string> files{};  // the script's and the manifest's, for people
};

// The workload of a script joined with that of a manifest; `site` is the draft of both.
Pair pair_of(const ImportedFile& script, const ImportedFile& manifest, const model::Site& site);

}  // namespace muster::driver
