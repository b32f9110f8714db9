// Names that a manifest reads and does not set itself: variables of the operator and of the kubelet, files, hosts.
// Inside targets/kubernetes/lift only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "targets/kubernetes/lift/object_lift.h"

namespace muster::targets::kubernetes::lifting {

// A variable that a text of a shell reads: `$NAME`, `${NAME}`, or in quotes as other languages do.
struct NameRead {
  std::string name;
  std::size_t at = 0;
};
// Those that the text does not set itself, without those that have a default or are only tested for being there.
std::vector<NameRead> names_read(std::string_view text);

// Once the role has its program and its runner: what the operator gives becomes a run reference where the language has
// one that means the same; else the name goes into `gives` of the target's block, by which other targets refuse it.
void settle_names(ObjectLift& lift, const Container& container, model::Role& role);

// The block for the target of the object.
model::TargetOptions& own_block(ObjectLift& lift);

}  // namespace muster::targets::kubernetes::lifting
