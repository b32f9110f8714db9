// What the site's gang scheduler needs: which objects wait for each other, in which queue, how near.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "targets/kubernetes/draft.h"

namespace muster::targets::kubernetes {

// Pods of one template in an object. The template is {metadata, spec}; it must not move until the words are put.
struct GangMember {
  Node* pod_template;
  std::string group;  // unique in the workload
  std::int64_t pods = 1;
};

// Whether pods of the workload must start together, so that a provider is needed.
bool needs_gang(const Draft& draft);

// Puts the provider's words (draft.provider) on an object and its pod templates, adds a PodGroup to the draft where the
// provider has one, and the remark that tells how a person sees that the gang was admitted whole. Accounts for `gang`,
// `queue`, `topology` and, with Kueue, the priority of the queue. A gang without a provider is refused, and so is a
// required topology that the plane has no words for.
// The kinds whose operator makes PodGroups itself (pytorchjob, kuberay, volcano's Job) put their own words instead.
void add_gang(Draft& draft, Node& object, std::span<const GangMember> members);

// The queue of the workload in the plane's word; "" where there is none.
std::string queue_name(const Draft& draft);

// The label of nodes that tells domains of a level apart: the plane's `level`, else the usual one; "" if there is none.
std::string level_label(const Draft& draft, model::Within within);

// What the providers' words have in common: the pods of all members; the topology that a role asks for, nullptr where
// it may lie anywhere; one label for what is near, "" where the plane has none, which is reported; the entries of a
// topology that is carried, and of one that is not: a refusal where it is required.
std::int64_t pods_of(std::span<const GangMember> members);
const model::Topology* topology_of(const Draft& draft);
std::string near_label(Draft& draft, const model::Topology& topology);
void report_topology(Draft& draft, const std::string& as, bool has_segments = false);
void cannot_place(Draft& draft, const model::Topology& topology, const std::string& why, const std::string& help);

// Kubernetes' own gangs (native_gang.cc), as add_gang() does for the plane's provider.
void add_native_gang(Draft& draft, Node& object, std::span<const GangMember> members);

// The parts that kinds with words of their own have in common: `networkTopology` of Volcano, nothing without a topology
// or where the plane has no tier for it; a refusal of a required topology that cannot be said, an entry for another;
// the remark by which a person sees that the gang was admitted whole: what `kubectl get` is asked for.
Node volcano_topology(Draft& draft);
void refuse_topology(Draft& draft, const std::string& why, const std::string& help);
void remark_admission(Draft& draft, const std::string& what);

}  // namespace muster::targets::kubernetes
