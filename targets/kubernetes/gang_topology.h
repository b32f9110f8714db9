// How near the pods of a replica are kept, in the words of each gang provider.
#pragma once

#include <span>
#include <string>

#include "targets/kubernetes/gang.h"

namespace muster::targets::kubernetes {

// The first topology that a role of several pods asks for, else what muster prefers for a gang; nullptr: the pods may
// lie anywhere.
const model::Topology* topology_of(const Draft& draft);

// The label of nodes that tells domains of a level apart: the plane's `level`, else the usual one; "" if there is none.
std::string level_label(const Draft& draft, model::Within within);

// The same, and a report where the plane has none.
std::string near_label(Draft& draft, const model::Topology& topology);

// Whether a provider that keeps all pods of a gang in one domain does what `topology` asks, which is of one replica: a
// gang of several is refused where the domain is required.
bool serves_gang(Draft& draft, const model::Topology& topology);

// The entries of a topology that such a provider carries as `as`, and of one that is not carried: a refusal where it is
// required.
void report_topology(Draft& draft, const std::string& as);
void cannot_place(Draft& draft, const model::Topology& topology, const std::string& why, const std::string& help);
// The same, where the workload asks for a topology at all.
void refuse_topology(Draft& draft, const std::string& why, const std::string& help);

// Kueue's words on the pod templates. Whether Kueue assigns nodes too: with a topology it admits only what has a place.
bool kueue_topology(Draft& draft, std::span<const GangMember> members);

// `networkTopology` of Volcano; nothing without a topology, or where the plane has no tier for it.
Node volcano_topology(Draft& draft);

}  // namespace muster::targets::kubernetes
