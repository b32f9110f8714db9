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

// A part of a file that must fit in any case.
struct LeastPart {
  model::Workload workload;
  std::vector<model::NodesAsRead> nodes{};  // of each of its roles
  bool rounded_down = false;                // all of the file, with fractions of CPUs rounded down instead of up
};

struct AsRead {
  model::Workload workload;
  std::vector<model::NodesAsRead> nodes{};  // of each of its roles
  const model::Plane* plane = nullptr;      // that the file is written for; nullptr: the site has none of its family
  std::string refusal{};                    // why that plane rejects it whatever room there is; "": nothing is known
  std::string unknown{};                    // what of its size is not in the file; then nothing can be said. "": all is
  std::vector<std::string> open{};          // what it asks for that the site does not declare: then "fits" is not known
  // Where less than `workload` says may start, or it asks for fractions of CPUs: only if one of these parts does not
  // fit either, it is known that not all of the file ever runs. Empty: what `workload` says must fit.
  std::vector<LeastPart> least{};
  bool one_part_suffices = false;  // it starts where one of the parts fits
  bool no_queue = false;    // it names no queue, and its scheduler puts it into none: no queue and no quota limits it
  bool one_flavor = false;  // its queue gives all pods of a role nodes of one kind, as a flavor of Kueue has them
  bool flavor_by_replica = false;  // the same, but of each replica by itself: a group of a LeaderWorkerSet
};

}  // namespace muster::targets
