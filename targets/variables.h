// What a running program finds in its environment on a target, beside what muster writes: the law of givers as people
// read it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "targets/target.h"

namespace muster::targets {

struct TargetVariable {
  std::string_view name;     // `*`: any letters
  std::string_view meaning;  // in plain words; "": nothing that a job asks for
  std::string when;          // in plain words; "": always
};

// Those of its batch system, or of the operator and the kubelet, in the order of their tables.
std::vector<TargetVariable> variables_of(const Target& target);

// Files and folders that the operator puts into the pods.
std::vector<std::string_view> files_of(const Target& target);

}  // namespace muster::targets
