// One pod template as a role: what its pods hold and which nodes they may have. Inside targets/kubernetes/read only.
#pragma once

#include "targets/as_read.h"
#include "targets/kubernetes/read/node_choice.h"
#include "targets/kubernetes/read/pod_amounts.h"

namespace muster::targets::kubernetes {

struct PodRole {
  model::Role role;
  model::NodesAsRead nodes{};
  std::string unknown{};  // what of it the file does not say; "": nothing
  std::vector<std::string> open{};
  bool may_have_slices = false;  // its whole GPUs might be some of a pool that has slices, which `nodes` leaves out
  std::optional<std::vector<std::string>> with_slices{};  // then: its pools with these
  std::int64_t millicpus = 0;                             // that its containers request
  Size memory{};

  bool is_rounded() const { return millicpus % 1000 > 0; }  // its CPUs are, up to whole ones
};

// The amounts of the role are those of its containers.
void set_amounts(PodRole& pods);

// The role without its number of pods. `specs`: what says which nodes it may have (see choose_nodes()).
PodRole role_of(const PodTemplate& pods, std::span<const Field> specs, const Manifest& manifest, const PodSite& site);

}  // namespace muster::targets::kubernetes
