// An existing job script or object as it asks a site for machines: the same workload that the language would state, so
// that one count, one placement and one certificate serve both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/model/nodes_as_read.h"
#include "compiler/model/site.h"
#include "compiler/model/workload.h"

namespace muster::targets {

struct AsRead {
  model::Workload workload;
  std::vector<model::NodesAsRead> nodes{};  // of each of its roles
  const model::Plane* plane = nullptr;      // that the file is written for; nullptr: the site has none of its family
  std::string refusal{};                    // why that plane rejects it whatever room there is; "": nothing is known
  std::string unknown{};                    // what of its size is not in the file; then nothing can be said. "": all is
  std::vector<std::string> open{};          // what it asks for that the site does not declare: then "fits" is not known
  // What starts in any case, where the file may start with less than `workload` says: only if this does not fit either,
  // the file never starts.
  std::optional<model::Workload> least{};
};

}  // namespace muster::targets
