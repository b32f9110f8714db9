// What facts of a cluster say of each of its namespaces: two teams may call their jobs the same.
#pragma once

#include <string>
#include <vector>

#include "why/facts.h"

namespace muster::why {

struct Space {
  std::string name;  // "": the facts are of one namespace, whichever it is
  Facts facts;       // of it and of the cluster as a whole
};

// One for each namespace. An output that does not print its namespace is of the one whose names it has; it is left out
// where several have them, or none. Empty: there are more than 20.
std::vector<Space> by_namespace(const Facts& facts);

}  // namespace muster::why
