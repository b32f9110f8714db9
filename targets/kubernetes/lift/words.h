// A text for a shell as the words of one command, where it is nothing else. Inside targets/kubernetes/lift only.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compiler/model/text.h"
#include "targets/kubernetes/lift/object_lift.h"

namespace muster::targets::kubernetes::lifting {

// nullopt: a shell has to read it. `$X` of a variable that the container sets is `${env.X}`; of others only where it
// cannot be several words.
std::optional<std::vector<model::Text>> words_of_line(const ObjectLift& lift, const Container& container,
                                                      std::string_view text);

}  // namespace muster::targets::kubernetes::lifting
