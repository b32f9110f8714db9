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
  const plan::RolePlan* role = nullptr;  // set where each role has pods of its own in the object
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

// What the providers' words have in common: the pods of all members.
std::int64_t pods_of(std::span<const GangMember> members);

// Kubernetes' own gangs (native_gang.cc), as add_gang() does for the plane's provider.
void add_native_gang(Draft& draft, Node& object, std::span<const GangMember> members);

// For kinds with words of their own: the remark by which a person sees that the gang was admitted whole. `what`:
// what `kubectl get` is asked for.
void remark_admission(Draft& draft, const std::string& what);

}  // namespace muster::targets::kubernetes
