// What an existing script or manifest says of its nodes itself. For a workload of the language, muster writes this.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/base/units.h"

namespace muster::model {

struct NodesAsRead {
  bool apart = false;                                   // no two of its pods are on one node
  Size memory_a_cpu{};                                  // --mem-per-cpu: the CPUs that it gets are those of a pool
  std::string reservation{};                            // whose nodes it asks for
  std::optional<std::vector<std::string>> tolerates{};  // taints; nullopt: those that its queue tolerates
  std::optional<std::vector<std::string>> pools{};      // that its selectors allow; nullopt: they allow all
  std::string selects{};                                // then what it selects, for messages: "a=b"
  std::vector<std::string> unsure{};                    // pools that the site does not say that they allow
  std::vector<std::string> undeclared{};                // of these: "which nodes have the label `a=b`"
};

}  // namespace muster::model
