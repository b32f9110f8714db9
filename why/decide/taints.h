// Which nodes a pod may not use for their taints or labels, as describe and YAML print them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "why/facts.h"

namespace muster::why {

struct Taint {
  std::string key, value, effect;
};
// Those that keep pods away: NoSchedule and NoExecute.
std::vector<Taint> taints_of(const Object& node);

struct Toleration {
  std::string key, value, effect;  // "" of key and effect: any
  bool any_value = false;
};
// Of a pod, or of the template of a job.
std::vector<Toleration> tolerations_of(const Object& object);

// Whether a node has a taint that no toleration is for.
bool keeps_away(const Object& node, const std::vector<Toleration>& tolerations);

// "zone=a" of the node selector of a pod, or of the template of a job.
std::vector<std::string> selectors_of(const Object& object);
bool has_labels(const Object& node, const std::vector<std::string>& selectors);

// The pod that the facts are about, or the job with its template; nullptr: none is shown.
const Object* shown_pod(const Facts& facts, const std::set<std::string>& focus);

}  // namespace muster::why
