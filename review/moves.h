// Workloads that went at one path of the old tree and came at another of the new one.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "review/tree.h"

namespace muster::review {

// Takes out of both lists what is the same thing at another path: a spec of the same name for which the same is
// written, a script of the same bytes, an object of the same kind, namespace and name, for the same site. Where several
// on a side may be meant is not known, and none has moved.
std::vector<std::pair<Workload*, Workload*>> take_moves(std::vector<Workload*>& gone, std::vector<Workload*>& fresh);

// The old workload under the id and file of the new one: what still differs then is a difference.
Workload called_as(Workload before, const Workload& after);

// A finding's key where one of its parts, the file or the workload, is called otherwise.
std::string renamed_key(std::string_view key, std::string_view from, std::string_view to);

}  // namespace muster::review
